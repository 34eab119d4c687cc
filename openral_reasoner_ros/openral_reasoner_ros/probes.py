"""Whether a managed node still answers: discovery alone learns of a killed process many seconds late."""

import time

from lifecycle_msgs.srv import GetState
from rclpy.node import Node

from openral_ros.calls import CallError, ServiceCaller
from openral_ros.scopes import Scope


class Probe:
    """Asks for a node's state again and again; it lives while it has answered within ``timeout`` [s]."""

    def __init__(self, scope: Scope, node: Node, node_name: str, timeout: float) -> None:
        self._caller = ServiceCaller[GetState.Response](scope, node, GetState, f"{node_name}/get_state")
        self._timeout = timeout
        self._answered = time.monotonic()
        self._asking = False

    @property
    def alive(self) -> bool:
        """Whether the last answer is fresh."""
        return time.monotonic() - self._answered <= self._timeout

    def poll(self) -> None:
        """Ask, unless an answer is still awaited."""
        if not self._asking and self._caller.ready:
            self._asking = True
            self._caller.call(GetState.Request(), self._timeout, self._on_done)

    def _on_done(self, outcome: GetState.Response | CallError) -> None:
        self._asking = False
        if not isinstance(outcome, CallError):
            self._answered = time.monotonic()
