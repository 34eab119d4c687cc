"""Lifecycle bring-up node.

Does: configures and activates the managed nodes level by level, watches them, brings a respawned one
back to the state it should be in, and takes them down in reverse when it is deactivated itself.
Publishes: /diagnostics (diagnostic_msgs/DiagnosticArray), openral/failure/bringup (FailureTrigger).
Subscribes: transition_event of each managed node.
Calls: get_state and change_state of each managed node.
"""
# MERGED Parameters of the bring-up node.

import time
from functools import partial

from diagnostic_msgs.msg import DiagnosticArray, DiagnosticStatus
from pydantic import Field

from openral_bringup.lifecycle_manager.client import NodeLifecycleClient
from openral_bringup.lifecycle_manager.managed_node import (
    LifecycleStep,
    ManagedNodeState,
    OutageTracker,
    RetryPolicy,
)
from openral_bringup.lifecycle_manager.sequencer import LifecycleSequencer, make_sequencer
from openral_core.detectors import LifecycleState
from openral_msgs.msg import FailureTrigger
from openral_ros.lifecycle_node import SUCCESS, LifecycleNodeBase
from openral_ros.parameters import Parameters, declare
from openral_ros.qos import RELIABLE
from openral_ros.resources import ResourceScope
from openral_ros.run_node import run

ASLEEP = "=inactive"


class BringupParameters(Parameters):
    """Which nodes are managed, in which order, and how patiently."""

    nodes: tuple[str, ...] = Field(
        description="fully qualified names as 'level:name', lower levels first; '=inactive' leaves it so"
    )
    autostart: bool = Field(default=True, description="configure and activate this node itself at start")
    step_deadline: float = Field(60.0, ge=0.5, le=600.0, description="time one transition may take [s]")
    retries: int = Field(3, ge=0, le=100, description="refused transitions before a node is left as it is")
    back_off: float = Field(
        2.0, ge=0.0, le=60.0, description="wait before the first retry, doubled each time [s]"
    )
    absence: float = Field(
        45.0, ge=1.0, le=3600.0, description="a node that is down for longer is reported as left down [s]"
    )
    poll: float = Field(0.5, ge=0.05, le=10.0, description="time between looks at each node's state [s]")
    heartbeat: float = Field(
        1.5, ge=0.1, le=60.0, description="a node that answers later than this is down [s]"
    )

    @property
    def levels(self) -> tuple[tuple[str, ...], ...]:
        """Names level by level."""
        split = [entry.removesuffix(ASLEEP).split(":", 1) for entry in self.nodes]
        order = sorted({level for level, _ in split})
        return tuple(tuple(name for each, name in split if each == level) for level in order)

    @property
    def asleep(self) -> frozenset[str]:
        """Names of nodes that are configured and left inactive."""
        return frozenset(e.removesuffix(ASLEEP).split(":", 1)[1] for e in self.nodes if e.endswith(ASLEEP))


class BringupNode(LifecycleNodeBase):
    """Carries observations to the `LifecycleSequencer` and its steps to the nodes."""

    def __init__(self) -> None:
        super().__init__("bringup")
        self._given = declare(self, BringupParameters)
        self._given_up: set[str] = set()
        if self._given.autostart and self.trigger_configure() == SUCCESS:
            self.trigger_activate()

    def configure(self, scope: ResourceScope) -> None:
        """Make the clients and publishers."""
        given = self._given = declare(self, BringupParameters)
        self._patience = RetryPolicy(given.step_deadline, given.retries, given.back_off)
        self._remotes = {
            n: NodeLifecycleClient(scope, self, n, partial(self._seen, n, LifecycleState.INACTIVE))
            for level in given.levels
            for n in level
        }
        self._diagnostics = scope.publisher(DiagnosticArray, "/diagnostics", RELIABLE)
        self._failures = scope.publisher(FailureTrigger, "openral/failure/bringup", RELIABLE)
        self._roster: LifecycleSequencer = _roster(given, self._patience)
        self._absences = OutageTracker()
        scope.timer(given.poll, self._look)
        scope.timer(0.1, self._advance)
        scope.timer(1.0, self._report)

    def activate(self, scope: ResourceScope) -> None:
        """Bring the nodes up from now on."""
        self._roster = _roster(self._given, self._patience)

    def on_deactivated(self) -> None:
        """Bring the nodes down, last level first."""
        self._roster = self._roster.stopped()

    def _look(self) -> None:
        for name, remote in self._remotes.items():
            remote.look(self._given.heartbeat, partial(self._seen, name))

    def _seen(self, name: str, state: LifecycleState | None) -> None:
        self._absences = self._absences.observed(name, time.monotonic(), answers=state is not None)
        if state is not LifecycleState.UNKNOWN:
            self._roster = self._roster.observed(name, state)
            self._advance()

    def _advance(self) -> None:
        now = time.monotonic()
        for name, step in self._roster.steps(now):
            self.get_logger().info(f"{step.value} {name}")
            self._roster = self._roster.started(name, step)
            self._remotes[name].change(step, self._given.step_deadline, partial(self._ended, name, step))

    def _ended(self, name: str, step: LifecycleStep, success: bool) -> None:
        self._roster = self._roster.finished(name, success, time.monotonic())
        if not success:
            self.get_logger().error(f"{step.value} {name} was refused or late")
        for lost in set(self._roster.given_up()) - self._given_up:
            tries = self._given.retries + 1
            words = f"{lost} does not {step.value} after {tries} tries and is left as it is"
            self._tell_failure(lost, "bringup_gave_up", words)
        self._given_up = set(self._roster.given_up())

    def _tell_failure(self, name: str, kind: str, message: str) -> None:
        self.get_logger().error(message)
        failure = FailureTrigger(source=name, kind=kind, message=message)
        failure.severity = FailureTrigger.SEVERITY_ERROR
        failure.header.stamp = self.get_clock().now().to_msg()
        self._failures.publish(failure)

    def _tell_absences(self) -> None:
        for name in self._absences.overdue(time.monotonic(), self._given.absence):
            self._absences = self._absences.telling(name)
            words = f"{name} has not answered for {self._given.absence:.0f} s: the graph goes on without it"
            self._tell_failure(name, "node_down", words)

    def _report(self) -> None:
        self._tell_absences()
        message = DiagnosticArray(status=[self._status(peer) for peer in self._roster.peers])
        message.header.stamp = self.get_clock().now().to_msg()
        self._diagnostics.publish(message)

    def _status(self, peer: ManagedNodeState) -> DiagnosticStatus:
        seen = "down" if peer.seen is None else peer.seen.name.lower()
        doing = seen if peer.step is None else peer.step.under_way
        level = DiagnosticStatus.OK if peer.seen is peer.goal else DiagnosticStatus.WARN
        if peer.gave_up(self._patience):
            level, doing = DiagnosticStatus.ERROR, f"given up, {seen}"
        return DiagnosticStatus(level=level, name=f"bringup: {peer.name}", message=doing, hardware_id=seen)


def _roster(given: BringupParameters, patience: RetryPolicy) -> LifecycleSequencer:
    return make_sequencer(given.levels, patience, time.monotonic(), given.asleep)


def main() -> int:
    """Run the bring-up node."""
    return run(BringupNode)
