"""The arm by MoveIt: poses of the tip, straight motions, and the posture for driving."""

import numpy as np
from moveit_msgs.msg import (
    BoundingVolume,
    Constraints,
    JointConstraint,
    MotionPlanRequest,
    OrientationConstraint,
    PositionConstraint,
)
from rclpy.node import Node
from shape_msgs.msg import SolidPrimitive

from openral_core.arrays import Rotation, Transform
from openral_core.geometry import Pose
from openral_core.robot import ArmDescription, Frames
from openral_core.skills import SkillStatus
from openral_ros.conversions.geometry import pose_message
from openral_ros.resources import ResourceScope
from openral_skills_ros.backends.backend import Failed, Run
from openral_skills_ros.foreign_actions.client import ForeignAction
from openral_skills_ros.foreign_actions.goal_templates import Message, code_of, field_of
from openral_skills_ros.foreign_actions.status_table import GoalEnd, status_of

MOVE_GROUP = "moveit_msgs/action/MoveGroup"
JOINT_TOLERANCE = 0.01
"""Tolerance of a joint in the posture for driving [rad] or [m]."""
_INDEX = {"x": 0, "y": 1, "z": 2}


class Arm:
    """Client of move_group; every motion is planned around a scene and raises unless it ends in success."""

    def __init__(self, scope: ResourceScope, node: Node, frames: Frames, options: ArmDescription) -> None:
        self._frames, self.options = frames, options
        self._action = ForeignAction(scope, node, MOVE_GROUP, options.move_action)
        self._R_grasp_tip = tip_axes(options)

    @property
    def unavailable(self) -> str:
        """Reason why the arm cannot be moved now."""
        return "" if self._action.ready else f"no action server at {self._action.name}; start move_group"

    def T_grasp_tip(self) -> Transform:
        """Pose of the tip's frame in the grasp frame, shape (4, 4)."""
        T = np.eye(4)
        T[:3, :3] = self._R_grasp_tip
        return T

    async def reach(
        self, T_map_grasp: Transform, scene: Message, run: Run, stage: str, *, straight: bool = False
    ) -> None:
        """Move the hand to a pose of the grasp frame; ``straight``: along a line, if a planner for it is set.

        Raises:
            Failed: If it cannot be planned or carried out.
        """
        request = self._request()
        pose = Pose.from_matrix(T_map_grasp @ self.T_grasp_tip())
        request.goal_constraints = [self._pose_goal(pose)]
        if straight:
            request.pipeline_id, request.planner_id = (
                self.options.linear_pipeline,
                self.options.linear_planner,
            )
        await self._run(request, scene, run, stage)

    async def take_posture(self, scene: Message, run: Run, stage: str) -> None:
        """Take the posture for driving, if there is one; raises as `reach` does."""
        if self.options.carry:
            request = self._request()
            request.goal_constraints = [
                Constraints(joint_constraints=[_joint(*item) for item in self.options.carry.items()])
            ]
            await self._run(request, scene, run, stage)

    async def _run(self, request: MotionPlanRequest, scene: Message, run: Run, stage: str) -> None:
        run.check()
        run.report(stage, 0.0)
        goal = self._action.goal()
        goal.request = request
        goal.planning_options.planning_scene_diff = scene
        ended = await self._action.run(
            goal, lambda feedback: run.report(f"{stage} ({feedback.state.lower()})", 0.5), run.stopping
        )
        status, meaning = status_of(ended.end, "moveit", code_of(ended.result, "error_code.val"))
        if status is not SkillStatus.SUCCEEDED:
            detail = str(field_of(ended.result, "error_code.message") or "") or meaning
            raise Failed(status, f"{stage}: MoveIt: {detail}")
        if ended.end is not GoalEnd.SUCCEEDED:
            raise Failed(SkillStatus.SKILL_ERROR, f"{stage}: MoveIt ended with {ended.end.name.lower()}")
        run.report(stage, 1.0)

    def _request(self) -> MotionPlanRequest:
        options = self.options
        request = MotionPlanRequest(
            group_name=options.group,
            num_planning_attempts=options.attempts,
            allowed_planning_time=options.planning_time,
            max_velocity_scaling_factor=options.speed,
            max_acceleration_scaling_factor=options.speed,
        )
        request.start_state.is_diff = True
        return request

    def _pose_goal(self, pose: Pose) -> Constraints:
        options, target = self.options, pose_message(pose)
        ball = SolidPrimitive(type=SolidPrimitive.SPHERE, dimensions=[options.position_tolerance])
        position = PositionConstraint(
            link_name=options.tip,
            constraint_region=BoundingVolume(primitives=[ball], primitive_poses=[target]),
            weight=1.0,
        )
        tolerance = options.orientation_tolerance
        orientation = OrientationConstraint(
            link_name=options.tip,
            orientation=target.orientation,
            absolute_x_axis_tolerance=tolerance,
            absolute_y_axis_tolerance=tolerance,
            absolute_z_axis_tolerance=tolerance,
            weight=1.0,
        )
        position.header.frame_id = orientation.header.frame_id = self._frames.map
        return Constraints(position_constraints=[position], orientation_constraints=[orientation])


def _joint(name: str, position: float) -> JointConstraint:
    return JointConstraint(
        joint_name=name,
        position=position,
        tolerance_above=JOINT_TOLERANCE,
        tolerance_below=JOINT_TOLERANCE,
        weight=1.0,
    )


def tip_axes(options: ArmDescription) -> Rotation:
    """Rotation of the tip's frame in the grasp frame (z approach, y finger travel), shape (3, 3)."""
    approach, travel = _INDEX[options.approach_axis], _INDEX[options.travel_axis]
    other = 3 - approach - travel
    R = np.zeros((3, 3))
    R[:, approach], R[:, travel] = (0.0, 0.0, 1.0), (0.0, 1.0, 0.0)
    R[:, other] = np.cross(R[:, (other + 1) % 3], R[:, (other + 2) % 3])
    return R
