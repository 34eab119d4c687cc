"""moveit_msgs/action/MoveGroup of the simulated arm: goals by pose or by joints, and MoveIt's error codes.

Paths avoid the world as it is, as with an octomap without gaps; collision objects and attached objects of a
goal's planning scene are not added. A goal of the planner LIN is a straight line and is not planned.
"""

from typing import Any

from moveit_msgs.action import MoveGroup
from moveit_msgs.msg import MoveItErrorCodes

from openral_core.arrays import Transform
from openral_core.errors import OpenRALError, format_choices
from openral_core.geometry import yaw_matrix
from openral_core.skill_errors import Blocked
from openral_ros.conversions.geometry import pose_from_message
from openral_sim.planning.arm_planner import NoArmPath
from openral_sim.planning.inverse_kinematics import IkFailed
from openral_sim.robot.control import RobotControl
from openral_sim.robot.urdf import TIP, ros_name
from openral_sim.ros.state_publishers import BASE, MAP, ODOM
from openral_testing.foreign_robot.controlled_robot import MotionEnd, MotionOutcome, Unit
from openral_testing.foreign_robot.motions import GoalInCollision, Posture, Reach
from openral_testing.foreign_robot.ros.interfaces import Codes, GoalRefused, code_of, words_of

Message = Any
"""Message of a package that is not typed."""
GROUP = "arm"
"""Planning group: the lift and the arm."""
LINEAR = "LIN"
"""Planner of straight lines, of pilz_industrial_motion_planner."""
C = MoveItErrorCodes
CODES: Codes = {
    IkFailed: C.NO_IK_SOLUTION,
    GoalInCollision: C.GOAL_IN_COLLISION,
    NoArmPath: C.PLANNING_FAILED,
    Blocked: C.CONTROL_FAILED,
}
"""Error codes of motions that failed."""


class MoveGroupInterface:
    """moveit_msgs/action/MoveGroup of the group `GROUP`, whose tip is `TIP`."""

    action_type, unit = MoveGroup, Unit.ARM

    def __init__(self, robot: RobotControl) -> None:
        self._robot = robot
        self._joints = [ros_name(name) for name in robot.names.reach_joints]

    def motion(self, goal: Message) -> Reach | Posture:
        """Move to a pose of the tip or to joint values; raises `GoalRefused` with MoveIt's code."""
        request = goal.request
        if request.group_name != GROUP:
            reason = f"planning group {request.group_name!r}: valid is {GROUP}"
            raise GoalRefused(C.INVALID_GROUP_NAME, reason)
        if len(request.goal_constraints) != 1:
            count = len(request.goal_constraints)
            raise GoalRefused(C.INVALID_GOAL_CONSTRAINTS, f"needs one set of goal constraints, found {count}")
        constraints, speed = request.goal_constraints[0], request.max_velocity_scaling_factor
        fraction = float(speed) if 0.0 < speed <= 1.0 else 1.0
        if constraints.joint_constraints:
            return self._posture(constraints.joint_constraints, fraction)
        T = self._pose(constraints)
        return Reach(T, fraction, request.planner_id == LINEAR)

    def result(self, motion: object, end: MotionEnd) -> Message:
        """Make the result with MoveIt's error code."""
        result = MoveGroup.Result()
        match end.outcome:
            case MotionOutcome.SUCCEEDED:
                code = C.SUCCESS
            case MotionOutcome.FAILED:
                code = code_of(end, CODES, C.FAILURE)
            case _:
                code = C.PREEMPTED
        result.error_code = MoveItErrorCodes(val=code, message=words_of(end))
        return result

    def feedback(self, motion: object) -> Message:
        """Tell that the arm moves."""
        return MoveGroup.Feedback(state="MONITOR")

    def _posture(self, constraints: Message, speed: float) -> Posture:
        values = {}
        for constraint in constraints:
            if constraint.joint_name not in self._joints:
                valid = format_choices(self._joints)
                reason = f"joint {constraint.joint_name!r}: the group has {valid}"
                raise GoalRefused(C.INVALID_GOAL_CONSTRAINTS, reason)
            index = self._joints.index(constraint.joint_name)
            low, high = self._robot.robot.reach_model.jnt_range[index]
            if not low <= constraint.position <= high:
                reason = f"{constraint.joint_name} of {constraint.position}: its range is {low} to {high}"
                raise GoalRefused(C.GOAL_VIOLATES_PATH_CONSTRAINTS, reason)
            values[index] = float(constraint.position)
        return Posture(values, speed)

    def _pose(self, constraints: Message) -> Transform:
        """Pose of the tip in map that position and orientation constraints ask for, shape (4, 4)."""
        try:
            (position,), (orientation,) = (
                constraints.position_constraints,
                constraints.orientation_constraints,
            )
            (target,) = position.constraint_region.primitive_poses
        except ValueError as error:
            reason = "needs joint constraints, or one position and one orientation constraint of one region"
            raise GoalRefused(C.INVALID_GOAL_CONSTRAINTS, reason) from error
        links = {position.link_name, orientation.link_name}
        if links != {TIP}:
            raise GoalRefused(C.INVALID_LINK_NAME, f"links {format_choices(links)}: valid is {TIP}")
        frames = {position.header.frame_id, orientation.header.frame_id}
        if len(frames) != 1 or not frames <= {MAP, ODOM, BASE}:
            valid = format_choices([MAP, ODOM, BASE])
            reason = f"frames {format_choices(frames)}: valid is one of {valid}"
            raise GoalRefused(C.FRAME_TRANSFORM_FAILURE, reason)
        target.orientation = orientation.orientation
        try:
            T = pose_from_message(target).matrix()
        except OpenRALError as error:
            raise GoalRefused(C.INVALID_GOAL_CONSTRAINTS, str(error)) from error
        return yaw_matrix(*self._robot.base_pose) @ T if frames == {BASE} else T
