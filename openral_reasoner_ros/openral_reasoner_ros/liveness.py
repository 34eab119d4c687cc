"""Liveness of peers by polling: discovery alone notices a killed process many seconds late."""

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
    """Type of a service."""

    Request: Callable[[], object]


PROBE_SERVICES: Mapping[str, type[ProbeRequest]] = {STATE: GetState, PARAMETERS: GetParameters}
"""Services without side effects: the state of a managed node, an empty parameter request for any other."""
MIN_MISSED_POLLS = 2
"""Polls missed before a peer counts as dead, so that a stall of this process is not taken for theirs."""


class SilenceTimer:
    """Timer of a peer's silence, counting only the time in which this process was listening [s]."""

    def __init__(self, timeout: float, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock, self._max_step, self._timeout = clock, timeout / MIN_MISSED_POLLS, timeout
        self._updated = clock()
        self._silent_for = math.inf

    def update(self) -> None:
        """Add the time since the last update, bounded by one poll."""
        passed, self._updated = self._clock() - self._updated, self._clock()
        self._silent_for += min(passed, self._max_step)

    def reset(self) -> None:
        """Restart after a sign of life."""
        self._silent_for = 0.0

    @property
    def expired(self) -> bool:
        """True after ``timeout`` without a sign of life, and before the first one."""
        return self._silent_for >= self._timeout


class NodeProbe:
    """Periodic request to a node, which is alive while it answers within ``timeout`` [s]."""

    def __init__(
        self, scope: ResourceScope, node: Node, node_name: str, timeout: float, service: str = STATE
    ) -> None:
        self._kind = PROBE_SERVICES[service]
        self._caller = AsyncServiceClient[object](scope, node, self._kind, f"{node_name}/{service}")
        self._timeout = timeout
        self._silence = SilenceTimer(timeout)
        self._active = service != STATE

    @property
    def alive(self) -> bool:
        """True while the node answers."""
        return not self._silence.expired

    @property
    def available(self) -> bool:
        """True while the node answers and, if it is a lifecycle node, is active."""
        return self.alive and self._active

    def poll(self) -> None:
        """Send a request, even while one is pending: the node may have been replaced since."""
        self._silence.update()
        if self._caller.ready:
            self._caller.call(self._kind.Request(), self._timeout, self._on_done)

    def _on_done(self, outcome: object) -> None:
        if isinstance(outcome, CallError):
            return
        self._silence.reset()
        if isinstance(outcome, GetState.Response):
            self._active = outcome.current_state.id == State.PRIMARY_STATE_ACTIVE


class ServiceMonitor:
    """Availability of a service: its servers are found by discovery, then probed.

    A server without any probe service is available for as long as discovery lists it.
    """

    def __init__(self, scope: ResourceScope, node: Node, service: str, timeout: float) -> None:
        self._scope, self._node, self._timeout = scope, node, timeout
        self._service = node.resolve_service_name(service)
        self._probes: dict[str, NodeProbe] = {}
        self._silence = SilenceTimer(timeout)
        self._unprobeable = False

    @property
    def available(self) -> bool:
        """True while a server answers and is active, or has shown activity lately."""
        return (
            self._unprobeable
            or not self._silence.expired
            or any(probe.available for probe in self._probes.values())
        )

    def note_activity(self) -> None:
        """Count a message of the server as a sign of life; a busy server may not answer probes."""
        self._silence.reset()

    def poll(self) -> None:
        """Discover servers if none is alive, and probe the known ones."""
        self._silence.update()
        if not any(probe.alive for probe in self._probes.values()):
            self._discover()
        for probe in self._probes.values():
            probe.poll()

    def _discover(self) -> None:
        self._unprobeable = False
        for name, namespace in set(self._node.get_node_names_and_namespaces()):
            offers = self._offers(name, namespace)
            full = f"{namespace.rstrip('/')}/{name}"
            if self._service not in offers or full in self._probes:
                continue
            probe_service = next((s for s in PROBE_SERVICES if f"{full}/{s}" in offers), None)
            if probe_service is None:
                self._unprobeable = True
            else:
                self._probes[full] = NodeProbe(self._scope, self._node, full, self._timeout, probe_service)

    def _offers(self, name: str, namespace: str) -> set[str]:
        try:
            services = self._node.get_service_names_and_types_by_node(name, namespace)
        except NodeNameNonExistentError:
            return set()
        return {service for service, _ in services}
