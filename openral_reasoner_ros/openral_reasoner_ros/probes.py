"""Whether a node still answers: discovery alone learns of a killed process many seconds late."""

import math
import time
from collections.abc import Callable, Mapping
from typing import Protocol

from lifecycle_msgs.msg import State
from lifecycle_msgs.srv import GetState
from rcl_interfaces.srv import GetParameters
from rclpy.node import Node

from openral_ros.calls import CallError, ServiceCaller
from openral_ros.scopes import Scope

STATE, PARAMETERS = "get_state", "get_parameters"


class Question(Protocol):
    """A type of service."""

    Request: Callable[[], object]


QUESTIONS: Mapping[str, type[Question]] = {STATE: GetState, PARAMETERS: GetParameters}
"""What a node can be asked without consequence: a managed one its state, any other none of its parameters."""
STEPS = 2
"""A silence takes at least so many polls, however late they come: who stalls himself hears nobody."""


class Silence:
    """How long nothing was heard, as far as one was listening [s]."""

    def __init__(self, timeout: float, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock, self._step, self._timeout = clock, timeout / STEPS, timeout
        self._listened = clock()
        self._length = math.inf

    def listen(self) -> None:
        """Time has passed."""
        passed, self._listened = self._clock() - self._listened, self._clock()
        self._length += min(passed, self._step)

    def broken(self) -> None:
        """Something was heard."""
        self._length = 0.0

    @property
    def too_long(self) -> bool:
        """Whether nothing was heard for the timeout, or ever."""
        return self._length >= self._timeout


class Probe:
    """Asks a node again and again; it lives while it answers within ``timeout`` [s]."""

    def __init__(
        self, scope: Scope, node: Node, node_name: str, timeout: float, question: str = STATE
    ) -> None:
        self._kind = QUESTIONS[question]
        self._caller = ServiceCaller[object](scope, node, self._kind, f"{node_name}/{question}")
        self._timeout = timeout
        self._silence = Silence(timeout)
        self._active = question != STATE

    @property
    def alive(self) -> bool:
        """Whether it answers."""
        return not self._silence.too_long

    @property
    def serves(self) -> bool:
        """Whether it answers, and is active if it is a managed node."""
        return self.alive and self._active

    def poll(self) -> None:
        """Ask; an answer that is still awaited is no reason not to: its node may have been replaced."""
        self._silence.listen()
        if self._caller.ready:
            self._caller.call(self._kind.Request(), self._timeout, self._on_done)

    def _on_done(self, outcome: object) -> None:
        if isinstance(outcome, CallError):
            return
        self._silence.broken()
        if isinstance(outcome, GetState.Response):
            self._active = outcome.current_state.id == State.PRIMARY_STATE_ACTIVE
