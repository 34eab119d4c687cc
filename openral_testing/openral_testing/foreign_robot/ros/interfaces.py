"""Actions of Nav2 and ros2_control as motions of the simulated robot, and their ends as results."""

from collections.abc import Mapping
from typing import Any

import numpy as np
from control_msgs.action import FollowJointTrajectory, ParallelGripperCommand
from nav2_msgs.action import NavigateToPose, Spin
from sensor_msgs.msg import JointState

from openral_core.errors import OpenRALError, format_choices
from openral_core.skill_errors import Blocked, TookTooLong
from openral_ros.conversions.geometry import pose_from_message, pose_message
from openral_sim.planning.base_planner import NoBasePath
from openral_sim.robot.control import RobotControl
from openral_sim.robot.urdf import ros_name
from openral_sim.ros.state_publishers import MAP, ODOM
from openral_testing.foreign_robot.controlled_robot import MotionEnd, MotionOutcome, Unit
from openral_testing.foreign_robot.motions import Drive, GoalToleranceViolated, Grip, HeadTrajectory, TurnBy

Message = Any
"""Message of a package that is not typed."""
Codes = Mapping[type[Exception], int]


class GoalRefused(OpenRALError):
    """A goal that is invalid; ``code`` is the error code of its interface."""

    def __init__(self, code: int, reason: str) -> None:
        self.code = code
        super().__init__(reason)


def code_of(end: MotionEnd, codes: Codes, otherwise: int) -> int:
    """Return the error code of a motion, 0 of one that succeeded."""
    if end.outcome is MotionOutcome.SUCCEEDED:
        return 0
    if isinstance(end.error, GoalRefused):
        return end.error.code
    return next((code for kind, code in codes.items() if isinstance(end.error, kind)), otherwise)


def words_of(end: MotionEnd) -> str:
    """Describe an end, "" for a success."""
    if end.outcome is MotionOutcome.SUCCEEDED:
        return ""
    return str(end.error) if end.error else f"the motion was {end.outcome}"


NAVIGATION_CODES: Codes = {NoBasePath: 208, Blocked: 105, TookTooLong: 104}
"""NO_VALID_PATH of Nav2's planner, FAILED_TO_MAKE_PROGRESS and PATIENCE_EXCEEDED of its controller."""
UNKNOWN_NAVIGATION, NO_NAVIGATION_TF = 9000, 9002
"""Error codes of Nav2's navigator."""
TURN_CODES: Codes = {Blocked: 703, TookTooLong: 701}
UNKNOWN_TURN = 700
"""Error codes of Nav2's behaviour Spin."""


class NavigateToPoseInterface:
    """nav2_msgs/action/NavigateToPose of the base."""

    action_type, unit = NavigateToPose, Unit.BASE

    def __init__(self, robot: RobotControl) -> None:
        self._robot = robot

    def motion(self, goal: Message) -> Drive:
        """Drive to the goal; raises `GoalRefused` unless it is in map or odom."""
        frame = goal.pose.header.frame_id
        if frame not in (MAP, ODOM):
            raise GoalRefused(NO_NAVIGATION_TF, f"goal in frame {frame!r}: valid are {MAP} and {ODOM}")
        try:
            return Drive(pose_from_message(goal.pose.pose))
        except OpenRALError as error:
            raise GoalRefused(UNKNOWN_NAVIGATION, str(error)) from error

    def result(self, motion: object, end: MotionEnd) -> Message:
        """Make the result with Nav2's error code."""
        code = code_of(end, NAVIGATION_CODES, UNKNOWN_NAVIGATION)
        return NavigateToPose.Result(error_code=code, error_msg=words_of(end))

    def feedback(self, motion: Drive) -> Message:
        """Tell where the robot is, and how far it has to go."""
        feedback = NavigateToPose.Feedback()
        feedback.current_pose.header.frame_id = MAP
        feedback.current_pose.pose = pose_message(self._robot.planar_pose)
        feedback.distance_remaining = float(min(motion.remaining, 1e6))
        return feedback


class SpinInterface:
    """nav2_msgs/action/Spin of the base."""

    action_type, unit = Spin, Unit.BASE

    def motion(self, goal: Message) -> TurnBy:
        """Turn by the angle of the goal."""
        if not np.isfinite(goal.target_yaw):
            raise GoalRefused(UNKNOWN_TURN, f"target_yaw must be finite, found {goal.target_yaw}")
        return TurnBy(float(goal.target_yaw))

    def result(self, motion: object, end: MotionEnd) -> Message:
        """Make the result with Nav2's error code."""
        code = code_of(end, TURN_CODES, UNKNOWN_TURN)
        return Spin.Result(error_code=code, error_msg=words_of(end))

    def feedback(self, motion: TurnBy) -> Message:
        """Tell how far the base has turned."""
        return Spin.Feedback(angular_distance_traveled=float(motion.turned))


INVALID_GOAL, INVALID_JOINTS, GOAL_TOLERANCE = -1, -2, -5
"""Error codes of control_msgs/action/FollowJointTrajectory."""


class HeadInterface:
    """control_msgs/action/FollowJointTrajectory of pan and tilt."""

    action_type, unit = FollowJointTrajectory, Unit.HEAD

    def __init__(self, robot: RobotControl) -> None:
        self._joints = [ros_name(name) for name in robot.names.head_joints]

    def motion(self, goal: Message) -> HeadTrajectory:
        """Follow the trajectory; raises `GoalRefused` unless its points give both joints at rising times."""
        trajectory = goal.trajectory
        if sorted(trajectory.joint_names) != sorted(self._joints):
            actual, valid = format_choices(trajectory.joint_names), format_choices(self._joints)
            raise GoalRefused(INVALID_JOINTS, f"joints {actual}: the head has {valid}")
        order = [list(trajectory.joint_names).index(name) for name in self._joints]
        if not trajectory.points or any(len(point.positions) != 2 for point in trajectory.points):
            raise GoalRefused(INVALID_GOAL, "the trajectory needs points with two positions each")
        starts = [point.time_from_start for point in trajectory.points]
        times = np.array([start.sec + 1e-9 * start.nanosec for start in starts])
        points = np.array([list(point.positions) for point in trajectory.points])[:, order]
        if not np.isfinite(points).all() or times[0] < 0.0 or (np.diff(times) <= 0.0).any():
            raise GoalRefused(INVALID_GOAL, "the points need finite positions and rising times")
        return HeadTrajectory(np.maximum(times, 1e-3), points)

    def result(self, motion: object, end: MotionEnd) -> Message:
        """Make the result."""
        code = code_of(end, {GoalToleranceViolated: GOAL_TOLERANCE}, INVALID_GOAL)
        return FollowJointTrajectory.Result(error_code=code, error_string=words_of(end))

    def feedback(self, motion: object) -> None:
        """Tell nothing: joint_states has it."""


class GripperInterface:
    """control_msgs/action/ParallelGripperCommand of one finger; the other mirrors it."""

    action_type, unit = ParallelGripperCommand, Unit.GRIPPER

    def __init__(self, robot: RobotControl) -> None:
        self._robot, self._joint = robot, ros_name(robot.names.finger_joints[0])

    def motion(self, goal: Message) -> Grip:
        """Move the fingers; raises `GoalRefused` unless the goal gives a position of the finger."""
        positions = dict(zip(goal.command.name, goal.command.position, strict=False))
        position = positions.get(self._joint)
        if position is None or not np.isfinite(position):
            actual = format_choices(goal.command.name)
            raise GoalRefused(INVALID_GOAL, f"needs a position of {self._joint}, found {actual}")
        return Grip(2.0 * float(position))

    def result(self, motion: Grip | None, end: MotionEnd) -> Message:
        """Make the result with the measured position; a stall is no failure."""
        stalled = motion is not None and motion.stalled
        state = JointState(name=[self._joint], position=[self._robot.opening / 2.0])
        reached = end.outcome is MotionOutcome.SUCCEEDED and not stalled
        return ParallelGripperCommand.Result(state=state, stalled=stalled, reached_goal=reached)

    def feedback(self, motion: object) -> None:
        """Tell nothing: joint_states has it."""
