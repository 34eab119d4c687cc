"""The ExecuteRskill action server."""

from typing import Protocol

from rclpy.action import CancelResponse
from rclpy.action.server import ServerGoalHandle
from rclpy.node import Node

from openral_core.rskills import Registry
from openral_core.skills import SkillResult
from openral_msgs.action import ExecuteRskill
from openral_ros.conversions.skills import fill_skill_result
from openral_ros.scopes import Scope
from openral_sim.goals import admit
from openral_sim.loops import Simulation
from openral_sim.ros.inbox import ExecutorInbox
from openral_sim.ros.sim_loop import GoalOrder
from openral_sim.ros.skill_serving.announcements import Announcements
from openral_sim.ros.skill_serving.ongoing_goal import OngoingGoal
from openral_sim.ros.skill_serving.refusals import RobotBusy, SimulationInactive
from openral_sim.ros.skill_serving.requests import requested_goal
from openral_sim.skills import SERVED
from openral_sim.skills.failures import SkillFailed

WATCH_PERIOD = 0.2
"""Between two looks at feedback and deadline [s]."""


class Robot(Protocol):
    """Who carries goals out."""

    def submit(self, order: GoalOrder) -> None:
        """Begin a goal; its ``on_end`` tells how it ended."""


class SkillServer:
    """Every goal is accepted and ends in a typed result; one is carried out at a time.

    All of its state belongs to the executor; the robot works elsewhere and reports through an inbox.
    """

    def __init__(self, scope: Scope, node: Node, registry: Registry, simulation: Simulation) -> None:
        self._registry, self._simulation = registry, simulation
        self._robot: Robot | None = None
        self._ongoing: OngoingGoal | None = None
        self._verbs = sorted({skill.verb for skill in registry.skills} & set(SERVED))
        self._inbox = ExecutorInbox(scope)
        self._announcements = Announcements(scope)
        scope.action_server(ExecuteRskill, "openral/execute_rskill", self._execute, self._cancel)
        scope.timer(WATCH_PERIOD, self._watch)
        self._announce()

    def serve(self, scope: Scope, robot: Robot) -> None:
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

    def _begin(self, handle: ServerGoalHandle) -> OngoingGoal:
        if self._robot is None:
            raise SimulationInactive
        goal = admit(requested_goal(handle.request), self._registry, SERVED)
        if self._ongoing is not None:
            raise RobotBusy(self._ongoing.goal.verb)
        order = GoalOrder(goal, handle.request.traceparent, self._come_home)
        self._ongoing = OngoingGoal(handle, order)
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
