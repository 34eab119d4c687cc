"""Depth images on demand: cameras are not received while every detector is known to be inactive."""

import time
from collections.abc import Callable
from dataclasses import dataclass, field, replace

from openral_core.detectors import LifecycleState
from openral_ros.resources import ResourceScope
from openral_ros.stream_watchdog import StreamWatchdog
from openral_ros.unused_memory import release_unused_memory
from openral_world_state.ros.depth_subscription import DepthSubscription

LINGER = 5.0
"""Time for which cameras are received after the last detector became inactive [s]; its last detections
wait for their depth, and objects are stored by a query."""
ASLEEP = {LifecycleState.INACTIVE.value, LifecycleState.UNCONFIGURED.value}
"""States of lifecycle_msgs/State in which a detector detects nothing."""


@dataclass(frozen=True, slots=True)
class DepthDemand:
    """Detectors by slug with their state; while all known ones are inactive, depth is not needed.

    Detections without a known detector, of other people's nodes, therefore always find their depth.
    """

    states: dict[str, int] = field(default_factory=dict)
    needed_until: float = float("inf")

    def reported(self, slug: str, state: int, now: float) -> "DepthDemand":
        """Return the demand after a detector announced its state at steady time ``now`` [s]."""
        states = {**self.states, slug: state}
        if not set(states.values()) <= ASLEEP:
            return DepthDemand(states)
        return DepthDemand(states, min(self.needed_until, now + LINGER))

    def used(self, now: float) -> "DepthDemand":
        """Return the demand after detections arrived."""
        return replace(self, needed_until=max(self.needed_until, now + LINGER))

    def is_needed(self, now: float) -> bool:
        """Return whether depth is needed."""
        return now < self.needed_until


class DepthStreams:
    """Subscriptions to the depth of every camera, closed while there is no demand.

    Args:
        scope: Of the node.
        watchdog: Watches the streams while they are open.
        clock: Steady time [s].
    """

    def __init__(
        self, scope: ResourceScope, watchdog: StreamWatchdog, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._scope, self._watchdog, self._clock = scope, watchdog, clock
        self._demand = DepthDemand()
        self._cameras: list[DepthSubscription] = []
        self.part = scope.part()
        self.is_open = True

    def add(self, cameras: list[DepthSubscription]) -> None:
        """Take over cameras that subscribed with ``part``."""
        self._cameras = cameras
        self._watch()

    def reported(self, slug: str, state: int) -> None:
        """Open or close the streams for the state that a detector announced."""
        self._demand = self._demand.reported(slug, state, self._clock())
        self.update()

    def used(self) -> None:
        """Open the streams, because detections have arrived."""
        self._demand = self._demand.used(self._clock())
        self.update()

    def update(self) -> None:
        """Open the streams if they are needed, and close them if they no longer are."""
        needed = self._demand.is_needed(self._clock())
        if needed and not self.is_open:
            self._open()
        elif not needed and self.is_open and all(camera.can_pause for camera in self._cameras):
            self._close()

    def _open(self) -> None:
        self.part, self.is_open = self._scope.part(), True
        for camera in self._cameras:
            camera.subscribe(self.part)
        self._watch()

    def _close(self) -> None:
        self.part.close()
        self.is_open = False
        for camera in self._cameras:
            camera.pause()
        release_unused_memory()

    def _watch(self) -> None:
        for camera in self._cameras:
            self._watchdog.watch(camera.stream, self.part)
