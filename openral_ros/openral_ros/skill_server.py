"""Action server of ExecuteRskill: accepts every goal, executes one at a time, and ends each with a result.

`ActiveGoal` tracks the goal that is running, and `SkillServer` connects it to a robot.
"""

from collections.abc import Callable, Collection
from dataclasses import dataclass, field, replace
from threading import Event
from time import monotonic
from typing import Protocol

from rclpy.action import CancelResponse
from rclpy.action.server import ServerGoalHandle
from rclpy.node import Node
from rclpy.task import Future

from openral_core.consent.decisions import ConsentDecision
from openral_core.consent.policy import Policy, Subject, load_policy
from openral_core.emergency_stop import STOP_EVIDENCE, EmergencyStopped, StopState, after_emergency
from openral_core.home_map import HomeMap
from openral_core.rskills import Registry
from openral_core.skill_errors import RobotBusy, ServerInactive, SkillFailed
from openral_core.skill_requests import ValidatedGoal, validate_goal
from openral_core.skills import Feedback, SkillResult, SkillStatus, Verb
from openral_core.text.stop_words import is_cry
from openral_msgs.action import ExecuteRskill
from openral_ros.consent import OperatorConsent, SkillServerOptions
from openral_ros.conversions.skills import fill_skill_result, goal_from_message
from openral_ros.emergency_stop import EmergencyStop
from openral_ros.known_objects import KnownObjects
from openral_ros.resources import ResourceScope
from openral_ros.skill_publishers import SkillPublishers
from openral_ros.worker_thread import ExecutorQueue


@dataclass(frozen=True, slots=True)
class QueuedGoal:
    """A goal for the robot."""

    goal: ValidatedGoal
    traceparent: str  # Trace context of its client.
    on_end: Callable[[SkillResult], None]  # Called once with its result, from any thread.
    # Brings the robot to a controlled stop when set, from any thread.
    cancelled: Event = field(default_factory=Event)


EXECUTE = "openral/execute_rskill"
"""Name of the action."""
STOP_GRACE = 5.0
"""Time the robot has to stop before the client gets its result anyway [s]."""
WATCH_PERIOD = 0.2
"""Period at which feedback and deadline are checked [s]."""
SUSPENDED = 1.0
"""Time between two checks that means that this process did not run [s]; no deadline counts it."""


class ActiveGoal:
    """The goal that is running: its feedback, its deadline in steady wall-clock time, and its result."""

    def __init__(self, handle: ServerGoalHandle, queued: QueuedGoal) -> None:
        self.handle, self.goal = handle, queued.goal
        self.ended = Future()
        self._queued = queued
        self._checked = monotonic()
        self._due = self._checked + queued.goal.deadline
        self._halted: tuple[float, str] | None = None
        self._last_feedback: Feedback | None = None

    def publish_feedback(self, feedback: Feedback) -> None:
        """Publish feedback if it changed."""
        if feedback == self._last_feedback or not feedback.stage or self.ended.done():
            return
        self._last_feedback = feedback
        self.handle.publish_feedback(
            ExecuteRskill.Feedback(stage=feedback.stage, progress=float(feedback.progress))
        )

    def stop(self) -> None:
        """Bring the robot to a controlled stop."""
        self._queued.cancelled.set()

    def halt(self, reason: str) -> None:
        """Stop the robot for an emergency."""
        self._halted = self._halted or (monotonic(), reason)
        self.stop()

    def check_deadline(self) -> None:
        """Stop the robot at the deadline; end the goal after `STOP_GRACE` even if it has not stopped."""
        if self._halted is not None and monotonic() - self._halted[0] >= STOP_GRACE:
            self.end(SkillResult(SkillStatus.CANCELLED, "the robot has not confirmed that it stands still"))
        gap, self._checked = monotonic() - self._checked, monotonic()
        if gap > SUSPENDED:
            self._due += gap
        late = self._checked - self._due
        if late >= 0.0:
            self.stop()
        if late >= STOP_GRACE:
            self.end(
                SkillResult(SkillStatus.TIMEOUT, f"{self._timeout_message()}, and the robot has not stopped")
            )

    def end(self, result: SkillResult) -> None:
        """Set the result; only the first one counts."""
        if self.ended.done():
            return
        stopped = result.status is SkillStatus.CANCELLED and not self.handle.is_cancel_requested
        if self._halted is not None and not result.success:
            result = after_emergency(result, self._halted[1])
        elif stopped and monotonic() >= self._due:
            result = SkillResult(
                SkillStatus.TIMEOUT, f"{self._timeout_message()}: {result.message}", result.evidence
            )
        self.ended.set_result(result)

    def _timeout_message(self) -> str:
        return f"{self.goal.verb} did not end within {self.goal.deadline:.1f} s"


class Robot(Protocol):
    """Robot whose skills are served."""

    @property
    def served(self) -> Collection[Verb]:
        """Verbs that the robot has; a goal of another one is refused."""

    @property
    def available(self) -> Collection[Verb]:
        """Verbs that it can carry out now, which are offered."""

    @property
    def holding(self) -> str:
        """Label of the held object, "" for none."""

    @property
    def feedback(self) -> Feedback:
        """Progress of the goal that is running."""

    @property
    def time(self) -> float:
        """ROS time [s]."""


class GoalExecutor(Protocol):
    """Executor of goals, one at a time, and of the emergency stop."""

    def submit(self, goal: QueuedGoal) -> None:
        """Begin a goal; its ``on_end`` gets the result.

        Raises:
            SkillFailed: If the goal is refused.
        """

    def halt(self, reason: str) -> None:
        """Stop every motion at once, end the goal as CANCELLED, and allow no motion until `release`."""

    def release(self) -> None:
        """Allow motion again."""


class SkillServer:
    """Action server that accepts every goal, executes one at a time, and ends each with a typed result.

    All of its state belongs to the node's executor; a robot's thread posts results through a queue. Rules of
    the policy name rooms, fixtures and people of the ``home``; the options name its file unless it is loaded.

    Raises:
        InvalidPolicy: If the policy is invalid, or names what the home lacks.
    """

    def __init__(
        self,
        scope: ResourceScope,
        node: Node,
        registry: Registry,
        robot: Robot,
        options: SkillServerOptions,
        home: HomeMap | None = None,
        policy: Policy | None = None,
    ) -> None:
        self._registry, self._robot, self._home = registry, robot, home
        self._consent = OperatorConsent(scope, node, policy or load_policy(options.policy, home))
        self._objects = KnownObjects(scope, node)
        self._executor: GoalExecutor | None = None
        self._serves = False
        self._active: ActiveGoal | None = None
        self._skills = {skill.verb for skill in registry.skills}
        self._queue = ExecutorQueue(scope)
        self._publishers = SkillPublishers(scope)
        self._emergency = EmergencyStop(scope, node, options, self._on_stop_changed, self._stop_goal)
        scope.action_server(ExecuteRskill, EXECUTE, self._execute, self._cancel)
        scope.timer(WATCH_PERIOD, self._watch)
        self._publish_catalogue()

    def serve(self, scope: ResourceScope, executor: GoalExecutor) -> None:
        """Pass goals to an executor until the scope is left."""
        self._serves = True
        scope.callback(self._detach)
        self.attach(executor)

    def attach(self, executor: GoalExecutor) -> None:
        """Pass every emergency stop to an executor from now on, also while no goal is served."""
        self._executor = executor
        self._tell_executor(self._emergency.state.reason)
        self._publish_catalogue()

    def report_failure(self, kind: str, error: Exception) -> None:
        """Publish that the robot itself failed."""
        self._publishers.stopped(kind, f"{type(error).__name__}: {error}", self._robot.time)

    async def _execute(self, handle: ServerGoalHandle) -> ExecuteRskill.Result:
        try:
            self._active_executor()
            goal = validate_goal(goal_from_message(handle.request), self._registry, self._robot.served)
            self._check_idle()
            subject = self._objects.subject(goal, self._robot.holding, self._home)
            await self._consent.wait_for_answer(subject)
            active, decision = self._begin(handle, goal, subject)
        except SkillFailed as error:
            return self._conclude(handle, SkillResult(error.status, str(error), error.evidence))
        result = await active.ended
        evidence = {**decision.evidence, **result.evidence}
        return self._conclude(handle, replace(result, evidence=evidence))

    def _active_executor(self) -> GoalExecutor:
        """Return the executor if it may move the robot.

        Raises:
            EmergencyStopped: If the robot is stopped.
            ServerInactive: If no executor serves goals.
        """
        if self._emergency.reason:
            raise EmergencyStopped(self._emergency.reason)
        if self._executor is None or not self._serves:
            raise ServerInactive
        return self._executor

    def _check_idle(self) -> None:
        if self._active is not None:
            raise RobotBusy(self._active.goal.verb)

    def _begin(
        self, handle: ServerGoalHandle, goal: ValidatedGoal, subject: Subject
    ) -> tuple[ActiveGoal, ConsentDecision]:
        executor = self._active_executor()  # again: the goal may have waited for an answer
        self._check_idle()
        decision = self._consent.decide(subject, goal.rskill_id)
        queued = QueuedGoal(goal, handle.request.traceparent, self._post_result)
        if handle.is_cancel_requested:
            queued.cancelled.set()
        self._objects.began(subject, self._robot.holding)
        executor.submit(queued)
        self._active = ActiveGoal(handle, queued)
        self._publish_catalogue()
        return self._active, decision

    def _post_result(self, result: SkillResult) -> None:
        self._queue.post(lambda: self._end(result))

    def _end(self, result: SkillResult) -> None:
        active, self._active = self._active, None
        self._tell_executor(self._emergency.state.reason)  # a cry holds the robot until its goal has ended
        self._publish_catalogue()
        if active is not None:
            active.end(result)

    def _conclude(self, handle: ServerGoalHandle, result: SkillResult) -> ExecuteRskill.Result:
        self._publishers.failure(handle.request, result, self._robot.time)
        self._publishers.states(result, self._robot.time)
        if result.success:
            handle.succeed()
        elif handle.is_cancel_requested:
            handle.canceled()
        else:
            handle.abort()
        return fill_skill_result(ExecuteRskill.Result(), result)

    def _cancel(self, handle: ServerGoalHandle) -> CancelResponse:
        if self._active is not None and self._active.handle == handle:
            self._active.stop()
        return CancelResponse.ACCEPT

    def _stop_goal(self, text: str) -> None:
        """End the goal; after a cry without one motion more, such as turning a bottle upright."""
        self._consent.void()
        if self._active is not None:
            if is_cry(text):
                self._tell_executor(f"the operator said {text[:80]!r}")
            self._active.stop()

    def _on_stop_changed(self, state: StopState) -> None:
        """Halt or release the robot first, and report it afterwards."""
        self._tell_executor(state.reason)
        if state.reason:
            if self._active is not None:
                self._active.halt(state.reason)
            self._consent.void()
            self._publishers.stopped(STOP_EVIDENCE, state.reason, self._robot.time)
        self._publish_catalogue()

    def _tell_executor(self, reason: str) -> None:
        if self._executor is not None:
            self._executor.halt(reason) if reason else self._executor.release()

    def _watch(self) -> None:
        if self._active is not None:
            self._active.publish_feedback(self._robot.feedback)
            self._active.check_deadline()
        self._publish_catalogue()

    def _detach(self) -> None:
        self._serves = False
        self._publish_catalogue()

    def _publish_catalogue(self) -> None:
        moves = self._serves and not self._emergency.reason
        available = self._skills & set(self._robot.available) if moves else ()
        verbs = sorted(verb for verb in available if self._consent.policy.offers(verb))
        busy_with = "" if self._active is None else self._active.goal.verb
        self._publishers.catalogue(verbs, self._robot.holding, busy_with, self._robot.time)
