"""Whether a node still answers: discovery alone learns of a killed process many seconds late."""
# MERGED Whether somebody serves a name, whoever it is.

import math
import time
from collections.abc import Callable, Mapping
from typing import Protocol

from lifecycle_msgs.msg import State
from lifecycle_msgs.srv import GetState
from rcl_interfaces.srv import GetParameters
from rclpy.node import Node, NodeNameNonExistentError

from openral_ros.resources import ResourceScope
from openral_ros.service_client import AsyncServiceClient, CallError

STATE, PARAMETERS = "get_state", "get_parameters"


class ProbeRequest(Protocol):
    """A type of service."""

    Request: Callable[[], object]


QUESTIONS: Mapping[str, type[ProbeRequest]] = {STATE: GetState, PARAMETERS: GetParameters}
"""What a node can be asked without consequence: a managed one its state, any other none of its parameters."""
STEPS = 2
"""A silence takes at least so many polls, however late they come: who stalls himself hears nobody."""


class SilenceTimer:
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


class NodeProbe:
    """Asks a node again and again; it lives while it answers within ``timeout`` [s]."""

    def __init__(
        self, scope: ResourceScope, node: Node, node_name: str, timeout: float, question: str = STATE
    ) -> None:
        self._kind = QUESTIONS[question]
        self._caller = AsyncServiceClient[object](scope, node, self._kind, f"{node_name}/{question}")
        self._timeout = timeout
        self._silence = SilenceTimer(timeout)
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


class ServiceMonitor:
    """The nodes behind a service, found by discovery and then asked again and again.

    One that can be asked nothing lives for as long as discovery says so.
    """

    def __init__(self, scope: ResourceScope, node: Node, service: str, timeout: float) -> None:
        self._scope, self._node, self._timeout = scope, node, timeout
        self._service = node.resolve_service_name(service)
        self._probes: dict[str, NodeProbe] = {}
        self._silence = SilenceTimer(timeout)
        self._mute = False

    @property
    def serves(self) -> bool:
        """Whether one of them answers and is active, or was heard a moment ago."""
        return (
            self._mute or not self._silence.too_long or any(probe.serves for probe in self._probes.values())
        )

    def heard(self) -> None:
        """It spoke of its own accord; when busy it may do only that."""
        self._silence.broken()

    def poll(self) -> None:
        """Find who serves, and ask."""
        self._silence.listen()
        if not any(probe.alive for probe in self._probes.values()):
            self._find()
        for probe in self._probes.values():
            probe.poll()

    def _find(self) -> None:
        self._mute = False
        for name, namespace in set(self._node.get_node_names_and_namespaces()):
            offers = self._offers(name, namespace)
            full = f"{namespace.rstrip('/')}/{name}"
            if self._service not in offers or full in self._probes:
                continue
            question = next((each for each in QUESTIONS if f"{full}/{each}" in offers), None)
            if question is None:
                self._mute = True
            else:
                self._probes[full] = NodeProbe(self._scope, self._node, full, self._timeout, question)

    def _offers(self, name: str, namespace: str) -> set[str]:
        try:
            found = self._node.get_service_names_and_types_by_node(name, namespace)
        except NodeNameNonExistentError:
            return set()
        return {service for service, _ in found}
