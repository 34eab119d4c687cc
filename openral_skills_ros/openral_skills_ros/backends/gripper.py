"""The gripper by ros2_control, with the opening that its joint measures."""

from math import isfinite

from rclpy.node import Node
from sensor_msgs.msg import JointState

from openral_core.robot import GripperDescription
from openral_core.skills import SkillStatus
from openral_ros.qos import SENSOR
from openral_ros.resources import ResourceScope
from openral_skills_ros.backends.backend import Failed, Run
from openral_skills_ros.foreign_actions.client import Ended, ForeignAction
from openral_skills_ros.foreign_actions.goal_templates import Message, field_of
from openral_skills_ros.foreign_actions.status_table import GoalEnd

ACTIONS = {
    "parallel": "control_msgs/action/ParallelGripperCommand",
    "command": "control_msgs/action/GripperCommand",
}


class Gripper:
    """Client of a gripper's controller."""

    def __init__(self, scope: ResourceScope, node: Node, options: GripperDescription) -> None:
        self.options = options
        self._action = ForeignAction(scope, node, ACTIONS[options.type], options.action)
        self._opening: float | None = None
        scope.subscription(JointState, "joint_states", self._on_joints, SENSOR)

    @property
    def unavailable(self) -> str:
        """Reason why the fingers cannot be moved now."""
        return "" if self._action.ready else f"no action server at {self._action.name}; start its controller"

    @property
    def opening(self) -> float | None:
        """Distance between the pads that the joint measures now [m]; None if it was never published."""
        return self._opening

    @property
    def is_closed(self) -> bool:
        """True if the fingers have closed on nothing."""
        return self._opening is not None and self._opening < self.options.missed_opening

    async def move(self, opening: float, run: Run, stage: str) -> float:
        """Move the pads to a distance [m] and return the one that was measured at the end [m].

        Fingers that stall on an object have done what they should, however their controller ends the goal.

        Raises:
            Failed: If they did not move, or nothing tells their opening.
        """
        run.check()
        run.report(stage, 0.0)
        ended = await self._action.run(self._goal(opening), lambda _: run.report(stage, 0.5), run.stopping)
        if ended.end is GoalEnd.CANCELED:
            raise Failed(SkillStatus.CANCELLED, f"{stage}: cancelled")
        if ended.end is GoalEnd.ABORTED and not field_of(ended.result, "stalled"):
            raise Failed(SkillStatus.BLOCKED, f"{stage}: {self._action.name} aborted, and nothing is gripped")
        measured = self._measured(ended)
        if measured is None:
            raise Failed(
                SkillStatus.SKILL_ERROR,
                f"{stage}: neither the result nor joint_states has joint {self.options.joint!r}",
            )
        self._opening = measured
        run.report(stage, 1.0)
        return measured

    def _goal(self, opening: float) -> Message:
        goal, position = self._action.goal(), self._position(opening)
        if self.options.type == "parallel":
            goal.command = JointState(
                name=[self.options.joint], position=[position], effort=[self.options.effort]
            )
        else:
            goal.command.position, goal.command.max_effort = position, self.options.effort
        return goal

    def _measured(self, ended: Ended) -> float | None:
        state = field_of(ended.result, "state")
        position = field_of(ended.result, "position") if state is None else self._joint_position(state)
        if isinstance(position, float) and isfinite(position):
            return self._opening_at(position)
        return self._opening

    def _joint_position(self, state: Message) -> float | None:
        positions = dict(zip(state.name, state.position, strict=False))
        return positions.get(self.options.joint)

    def _position(self, opening: float) -> float:
        closed, span = self.options.closed_position, self.options.open_position - self.options.closed_position
        return closed + span * min(max(opening / self.options.opening, 0.0), 1.0)

    def _opening_at(self, position: float) -> float:
        closed, span = self.options.closed_position, self.options.open_position - self.options.closed_position
        return self.options.opening * (position - closed) / span

    def _on_joints(self, message: JointState) -> None:
        position = self._joint_position(message)
        if position is not None and isfinite(position):
            self._opening = self._opening_at(position)
