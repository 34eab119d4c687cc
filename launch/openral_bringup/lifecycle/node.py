"""Lifecycle bring-up node.

Does: configures and activates the managed nodes level by level, watches them, brings a respawned one
back to the state it should be in, and takes them down in reverse when it is deactivated itself.
Publishes: /diagnostics (diagnostic_msgs/DiagnosticArray), openral/failure/bringup (FailureTrigger).
Subscribes: transition_event of each managed node.
Calls: get_state and change_state of each managed node.
"""

import time
from functools import partial

from diagnostic_msgs.msg import DiagnosticArray, DiagnosticStatus

from openral_bringup.lifecycle.absences import Absences
from openral_bringup.lifecycle.parameters import BringupParameters
from openral_bringup.lifecycle.peers import Patience, Peer, Step
from openral_bringup.lifecycle.remotes import Remote
from openral_bringup.lifecycle.rosters import Roster, roster
from openral_core.detectors import LifecycleState
from openral_msgs.msg import FailureTrigger
from openral_ros.managed_node import SUCCESS, ManagedNode
from openral_ros.parameters import declare
from openral_ros.qos import RELIABLE
from openral_ros.running import run
from openral_ros.scopes import Scope


class BringupNode(ManagedNode):
    """Carries observations to the `Roster` and its steps to the nodes."""

    def __init__(self) -> None:
        super().__init__("bringup")
        self._given = declare(self, BringupParameters)
        self._given_up: set[str] = set()
        if self._given.autostart and self.trigger_configure() == SUCCESS:
            self.trigger_activate()

    def configure(self, scope: Scope) -> None:
        """Make the clients and publishers."""
        given = self._given = declare(self, BringupParameters)
        self._patience = Patience(given.step_deadline, given.retries, given.back_off)
        self._remotes = {
            n: Remote(scope, self, n, partial(self._seen, n, LifecycleState.INACTIVE))
            for level in given.levels
            for n in level
        }
        self._diagnostics = scope.publisher(DiagnosticArray, "/diagnostics", RELIABLE)
        self._failures = scope.publisher(FailureTrigger, "openral/failure/bringup", RELIABLE)
        self._roster: Roster = _roster(given, self._patience)
        self._absences = Absences()
        scope.timer(given.poll, self._look)
        scope.timer(0.1, self._advance)
        scope.timer(1.0, self._report)

    def activate(self, scope: Scope) -> None:
        """Bring the nodes up from now on."""
        self._roster = _roster(self._given, self._patience)

    def deactivated(self) -> None:
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

    def _ended(self, name: str, step: Step, success: bool) -> None:
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

    def _status(self, peer: Peer) -> DiagnosticStatus:
        seen = "down" if peer.seen is None else peer.seen.name.lower()
        doing = seen if peer.step is None else peer.step.under_way
        level = DiagnosticStatus.OK if peer.seen is peer.goal else DiagnosticStatus.WARN
        if peer.gave_up(self._patience):
            level, doing = DiagnosticStatus.ERROR, f"given up, {seen}"
        return DiagnosticStatus(level=level, name=f"bringup: {peer.name}", message=doing, hardware_id=seen)


def _roster(given: BringupParameters, patience: Patience) -> Roster:
    return roster(given.levels, patience, time.monotonic(), given.asleep)


def main() -> int:
    """Run the bring-up node."""
    return run(BringupNode)
