"""Lifecycle bring-up node.

Configures and activates the managed nodes level by level, monitors them, brings a restarted one back to its
goal state, and shuts them down in reverse order when it is deactivated itself.
Publishes: /diagnostics (diagnostic_msgs/DiagnosticArray), openral/failure/bringup (FailureTrigger).
Subscribes: transition_event of each managed node.
Calls: get_state and change_state of each managed node.
"""

import re
import time
from functools import partial

from diagnostic_msgs.msg import DiagnosticArray, DiagnosticStatus
from pydantic import Field, field_validator

from openral_bringup.lifecycle_manager.client import NodeLifecycleClient
from openral_bringup.lifecycle_manager.sequencer import (
    LifecycleSequencer,
    LifecycleStep,
    ManagedNodeState,
    OutageTracker,
    TransitionRetryPolicy,
    make_sequencer,
)
from openral_core.detectors import LifecycleState
from openral_msgs.msg import FailureTrigger
from openral_ros.lifecycle_node import SUCCESS, LifecycleNodeBase
from openral_ros.parameters import Parameters, declare
from openral_ros.qos import RELIABLE
from openral_ros.resources import ResourceScope
from openral_ros.run_node import run_process

INACTIVE_SUFFIX = "=inactive"
ENTRY = re.compile(r"\d{1,4}:/?[A-Za-z_]\w*(/[A-Za-z_]\w*)*(=inactive)?", re.ASCII)
LONGEST_NAME = 200
"""Longest name of a managed node [characters]: those of its services must stay below 255."""


class BringupParameters(Parameters):
    """ROS parameters of the bring-up node: managed nodes with their order, deadlines and retries."""

    nodes: tuple[str, ...] = Field(
        description="nodes as 'level:name', lower levels first; '=inactive' leaves a node inactive"
    )
    autostart: bool = Field(default=True, description="configure and activate this node itself at start")
    step_deadline: float = Field(60.0, ge=0.5, le=600.0, description="deadline of one transition [s]")
    retries: int = Field(3, ge=0, le=100, description="retries of a failed transition before giving up")
    back_off: float = Field(
        2.0, ge=0.0, le=60.0, description="delay before the first retry, doubled each time [s]"
    )
    absence: float = Field(
        45.0, ge=1.0, le=3600.0, description="outage after which a node is reported as down [s]"
    )
    poll: float = Field(0.5, ge=0.05, le=10.0, description="time between two state requests to a node [s]")
    heartbeat: float = Field(
        1.5, ge=0.1, le=60.0, description="deadline of a state request; a node that misses it is down [s]"
    )

    @field_validator("nodes")
    @classmethod
    def _are_entries(cls, nodes: tuple[str, ...]) -> tuple[str, ...]:
        for entry in nodes:
            if len(entry) > LONGEST_NAME or not ENTRY.fullmatch(entry):
                raise ValueError(f"expected 'level:/name' or 'level:/name=inactive', found {entry[:80]!r}")
        return nodes

    @property
    def levels(self) -> tuple[tuple[str, ...], ...]:
        """Node names by level."""
        split = [entry.removesuffix(INACTIVE_SUFFIX).split(":", 1) for entry in self.nodes]
        order = sorted({level for level, _ in split}, key=int)
        return tuple(tuple(name for own, name in split if own == level) for level in order)

    @property
    def inactive(self) -> frozenset[str]:
        """Names of nodes that are configured and left inactive."""
        entries = (entry for entry in self.nodes if entry.endswith(INACTIVE_SUFFIX))
        return frozenset(entry.removesuffix(INACTIVE_SUFFIX).split(":", 1)[1] for entry in entries)

    def sequencer(self, retry_policy: TransitionRetryPolicy) -> LifecycleSequencer:
        """Return the sequencer that brings the nodes up from now on."""
        return make_sequencer(self.levels, retry_policy, time.monotonic(), self.inactive)


class BringupNode(LifecycleNodeBase):
    """Node around the `LifecycleSequencer`: passes observations in and requests its transitions."""

    def __init__(self, **options: object) -> None:
        super().__init__("bringup", **options)
        self._settings = declare(self, BringupParameters)
        self._given_up: set[str] = set()
        if self._settings.autostart and self.trigger_configure() == SUCCESS:
            self.trigger_activate()

    def configure(self, scope: ResourceScope) -> None:
        """Create clients and publishers."""
        settings = self._settings = declare(self, BringupParameters)
        self._retry_policy = TransitionRetryPolicy(
            settings.step_deadline, settings.retries, settings.back_off
        )
        self._lifecycle_clients = {
            n: NodeLifecycleClient(scope, self, n, partial(self._observed, n, LifecycleState.INACTIVE))
            for level in settings.levels
            for n in level
        }
        self._diagnostics = scope.publisher(DiagnosticArray, "/diagnostics", RELIABLE)
        self._failures = scope.publisher(FailureTrigger, "openral/failure/bringup", RELIABLE)
        self._sequencer: LifecycleSequencer = settings.sequencer(self._retry_policy)
        self._outages = OutageTracker()
        scope.timer(settings.poll, self._poll)
        scope.timer(1.0, self._report)

    def activate(self, scope: ResourceScope) -> None:
        """Start bringing the nodes up."""
        self._sequencer = self._settings.sequencer(self._retry_policy)

    def on_deactivated(self) -> None:
        """Start bringing the nodes down, last level first."""
        self._sequencer = self._sequencer.stopped()
        self._advance()

    def _poll(self) -> None:
        self._advance()
        for name, client in self._lifecycle_clients.items():
            client.get_state(self._settings.heartbeat, partial(self._observed, name))

    def _observed(self, name: str, state: LifecycleState | None) -> None:
        self._outages = self._outages.observed(name, time.monotonic(), answers=state is not None)
        if state is not LifecycleState.UNKNOWN:
            self._sequencer = self._sequencer.observed(name, state)
            self._advance()

    def _advance(self) -> None:
        now = time.monotonic()
        for name, step in self._sequencer.steps(now):
            self.get_logger().info(f"{step.value} {name}")
            self._sequencer = self._sequencer.started(name, step)
            self._lifecycle_clients[name].change(
                step, self._settings.step_deadline, partial(self._ended, name, step)
            )

    def _ended(self, name: str, step: LifecycleStep, success: bool) -> None:
        self._sequencer = self._sequencer.finished(name, success, time.monotonic())
        if not success:
            self.get_logger().error(f"Transition {step.value} of {name} was rejected or timed out")
        for lost in set(self._sequencer.given_up()) - self._given_up:
            tries = self._settings.retries + 1
            message = f"Giving up on {lost}: {step.value} failed {tries} times"
            self._report_failure(lost, "bringup_gave_up", message)
        self._given_up = set(self._sequencer.given_up())
        self._advance()

    def _report_failure(self, name: str, kind: str, message: str) -> None:
        self.get_logger().error(message)
        failure = FailureTrigger(source=name, kind=kind, message=message)
        failure.severity = FailureTrigger.SEVERITY_ERROR
        failure.header.stamp = self.get_clock().now().to_msg()
        self._failures.publish(failure)

    def report_outages(self) -> None:
        """Report every node that has been down for too long, once."""
        for name in self._outages.overdue(time.monotonic(), self._settings.absence):
            self._outages = self._outages.mark_reported(name)
            message = f"{name} has not answered for {self._settings.absence:.0f} s; continuing without it"
            self._report_failure(name, "node_down", message)

    def _report(self) -> None:
        self.report_outages()
        message = DiagnosticArray(status=[self._status(peer) for peer in self._sequencer.peers])
        message.header.stamp = self.get_clock().now().to_msg()
        self._diagnostics.publish(message)

    def _status(self, peer: ManagedNodeState) -> DiagnosticStatus:
        state = "down" if peer.state is None else peer.state.name.lower()
        doing = state if peer.step is None else peer.step.under_way
        level = DiagnosticStatus.OK if peer.state is peer.goal else DiagnosticStatus.WARN
        if peer.gave_up(self._retry_policy):
            level, doing = DiagnosticStatus.ERROR, f"given up, {state}"
        return DiagnosticStatus(level=level, name=f"bringup: {peer.name}", message=doing, hardware_id=state)


def main() -> None:
    """Run the bring-up node."""
    run_process(BringupNode)
