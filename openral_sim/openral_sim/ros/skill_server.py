"""The ExecuteRskill action server."""
# MERGED The goal the robot is at, as its client sees it.
# MERGED Why a goal does not reach the robot.
# MERGED An action goal as a core goal; what cannot be one is a bad request in words.

from collections import Counter
from collections.abc import Iterator
from time import monotonic
from typing import Protocol

from rclpy.action import CancelResponse
from rclpy.action.server import ServerGoalHandle
from rclpy.node import Node
from rclpy.task import Future

from openral_core.errors import OpenRALError
from openral_core.rskills import Registry
from openral_core.skills import SkillGoal, SkillResult, SkillStatus, Verb
from openral_msgs.action import ExecuteRskill
from openral_msgs.msg import KeyValue
from openral_ros.conversions.skills import fill_skill_result, skill_goal_from_message
from openral_ros.resources import ResourceScope
from openral_sim.ros.sim_thread import QueuedGoal
from openral_sim.ros.skill_publishers import ExecutorQueue, SkillPublishers
from openral_sim.ros.state_publishers import MAP
from openral_sim.simulation import Simulation
from openral_sim.skills.context import Feedback
from openral_sim.skills.errors import BadRequest, SkillFailed
from openral_sim.skills.registry import SERVED
from openral_sim.skills.requests import validate_goal

GRACE = 5.0
"""How long the robot may take to stop after a deadline before the client is answered anyway [s]."""


class ActiveGoal:
    """Feedback, deadline and end of one goal; deadlines are steady wall-clock time."""

    def __init__(self, handle: ServerGoalHandle, order: QueuedGoal) -> None:
        self.handle, self.goal = handle, order.goal
        self.ended = Future()
        self._order = order
        self._due = monotonic() + order.goal.deadline
        self._told: Feedback | None = None

    def tell(self, feedback: Feedback) -> None:
        """Publish feedback if it is news."""
        if feedback == self._told or not feedback.stage or self.ended.done():
            return
        self._told = feedback
        self.handle.publish_feedback(
            ExecuteRskill.Feedback(stage=feedback.stage, progress=float(feedback.progress))
        )

    def stop(self) -> None:
        """Have the robot brought to a controlled stop."""
        self._order.cancelled.set()

    def check_deadline(self) -> None:
        """Stop the robot at the deadline; answer the client anyway if it has not stopped in time."""
        late = monotonic() - self._due
        if late >= 0.0:
            self.stop()
        if late >= GRACE:
            self.end(SkillResult(SkillStatus.TIMEOUT, f"{self._late()} and has not stopped since"))

    def end(self, result: SkillResult) -> None:
        """Answer the client; the first answer counts."""
        if self.ended.done():
            return
        stopped = result.status is SkillStatus.CANCELLED and not self.handle.is_cancel_requested
        if stopped and monotonic() >= self._due:
            result = SkillResult(SkillStatus.TIMEOUT, f"{self._late()}: {result.message}", result.evidence)
        self.ended.set_result(result)

    def _late(self) -> str:
        return f"{self.goal.verb} did not end within {self.goal.deadline:.1f} s"


class SimulationInactive(SkillFailed):
    """Nothing moves while the node is inactive."""

    status = SkillStatus.INACTIVE

    def __init__(self) -> None:
        super().__init__("the simulation is not active; activate its node first")


class RobotBusy(SkillFailed):
    """One goal at a time."""

    status = SkillStatus.BUSY

    def __init__(self, verb: Verb) -> None:
        super().__init__(f"the robot is busy with {verb}; cancel that goal or wait for its end")


def requested_goal(message: ExecuteRskill.Goal) -> SkillGoal:
    """The goal a client asked for.

    Raises:
        BadRequest: If a parameter is given twice, has no valid type, or is a pose that is not in map.
    """
    problems = [*_repetitions(message), *_foreign_frames(message)]
    if problems:
        raise BadRequest("; ".join(problems))
    try:
        return skill_goal_from_message(message)
    except OpenRALError as error:
        raise BadRequest(str(error)) from error


def _repetitions(message: ExecuteRskill.Goal) -> Iterator[str]:
    for name, times in Counter(param.key for param in message.params).items():
        if times > 1:
            yield f"parameter '{name}' is given {times} times"


def _foreign_frames(message: ExecuteRskill.Goal) -> Iterator[str]:
    for param in message.params:
        frame = param.pose_value.header.frame_id
        if param.type == KeyValue.TYPE_POSE and frame not in ("", MAP):
            yield f"parameter '{param.key}' is in frame '{frame}': poses must be in '{MAP}'"


WATCH_PERIOD = 0.2
"""Between two looks at feedback and deadline [s]."""


class GoalSink(Protocol):
    """Who carries goals out."""

    def submit(self, order: QueuedGoal) -> None:
        """Begin a goal; its ``on_end`` tells how it ended."""


class SkillServer:
    """Every goal is accepted and ends in a typed result; one is carried out at a time.

    All of its state belongs to the executor; the robot works elsewhere and reports through an inbox.
    """

    def __init__(self, scope: ResourceScope, node: Node, registry: Registry, simulation: Simulation) -> None:
        self._registry, self._simulation = registry, simulation
        self._robot: GoalSink | None = None
        self._ongoing: ActiveGoal | None = None
        self._verbs = sorted({skill.verb for skill in registry.skills} & set(SERVED))
        self._inbox = ExecutorQueue(scope)
        self._announcements = SkillPublishers(scope)
        scope.action_server(ExecuteRskill, "openral/execute_rskill", self._execute, self._cancel)
        scope.timer(WATCH_PERIOD, self._watch)
        self._announce()

    def serve(self, scope: ResourceScope, robot: GoalSink) -> None:
        """Give goals to a robot for as long as the scope lives."""
        self._robot = robot
        scope.callback(self._dismiss)
        self._announce()

    def report_stopped(self, error: Exception) -> None:
        """Tell the graph that the simulation broke."""
        self._announcements.stopped(f"{type(error).__name__}: {error}", self._simulation.time)

    async def _execute(self, handle: ServerGoalHandle) -> ExecuteRskill.Result:
        try:
            ongoing = self._begin(handle)
        except SkillFailed as error:
            return self._conclude(handle, SkillResult(error.status, str(error)))
        return self._conclude(handle, await ongoing.ended)

    def _begin(self, handle: ServerGoalHandle) -> ActiveGoal:
        if self._robot is None:
            raise SimulationInactive
        goal = validate_goal(requested_goal(handle.request), self._registry, SERVED)
        if self._ongoing is not None:
            raise RobotBusy(self._ongoing.goal.verb)
        order = QueuedGoal(goal, handle.request.traceparent, self._come_home)
        self._ongoing = ActiveGoal(handle, order)
        if handle.is_cancel_requested:
            self._ongoing.stop()
        self._robot.submit(order)
        self._announce()
        return self._ongoing

    def _come_home(self, result: SkillResult) -> None:
        self._inbox.post(lambda: self._end(result))

    def _end(self, result: SkillResult) -> None:
        ongoing, self._ongoing = self._ongoing, None
        self._announce()
        if ongoing is not None:
            ongoing.end(result)

    def _conclude(self, handle: ServerGoalHandle, result: SkillResult) -> ExecuteRskill.Result:
        self._announcements.failure(handle.request, result, self._simulation.time)
        self._announcements.opening(result)
        if result.success:
            handle.succeed()
        elif handle.is_cancel_requested:
            handle.canceled()
        else:
            handle.abort()
        return fill_skill_result(ExecuteRskill.Result(), result)

    def _cancel(self, handle: ServerGoalHandle) -> CancelResponse:
        if self._ongoing is not None and self._ongoing.handle == handle:
            self._ongoing.stop()
        return CancelResponse.ACCEPT

    def _watch(self) -> None:
        if self._ongoing is not None:
            self._ongoing.tell(self._simulation.feedback)
            self._ongoing.check_deadline()
        self._announce()

    def _dismiss(self) -> None:
        self._robot = None
        self._announce()

    def _announce(self) -> None:
        verbs = [] if self._robot is None else self._verbs
        busy_with = "" if self._ongoing is None else self._ongoing.goal.verb
        self._announcements.catalogue(verbs, self._simulation.holding, busy_with, self._simulation.time)
