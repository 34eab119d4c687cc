"""The foreign robot serves the interfaces of Nav2, MoveIt and ros2_control, and nothing of this project."""

from collections.abc import Callable, Iterator
from pathlib import Path
from time import monotonic
from typing import Any

import pytest

pytest.importorskip("rclpy")
for package in ("nav2_msgs", "moveit_msgs", "control_msgs"):
    pytest.importorskip(package, reason="the interfaces of Nav2 and MoveIt are not built: make robot")

import rclpy
from action_msgs.msg import GoalStatus, GoalStatusArray
from builtin_interfaces.msg import Duration
from control_msgs.action import FollowJointTrajectory, ParallelGripperCommand
from geometry_msgs.msg import PoseWithCovarianceStamped
from moveit_msgs.action import MoveGroup
from moveit_msgs.msg import Constraints, JointConstraint, MoveItErrorCodes, OrientationConstraint
from nav2_msgs.action import NavigateToPose, Spin
from nav_msgs.msg import OccupancyGrid, Odometry
from rclpy.action import ActionClient
from rclpy.executors import SingleThreadedExecutor
from rclpy.parameter import Parameter
from rclpy.qos import qos_profile_action_status_default
from sensor_msgs.msg import CameraInfo, JointState
from trajectory_msgs.msg import JointTrajectory, JointTrajectoryPoint

from openral_core.geometry import Pose
from openral_ros.conversions.geometry import pose_message
from openral_ros.qos import LATCHED, RELIABLE
from openral_testing.foreign_robot.ros.node import ForeignRobotNode

pytestmark = pytest.mark.xdist_group("foreign_robot")
FAR = (8.6, 0.8)
NEAR = (1.6, 2.0)


class Client:
    """The foreign robot and a client of it on one executor."""

    def __init__(self, context: Any, scene: Path) -> None:
        values = {"scene": str(scene), "real_time_factor": 4.0, "client_timeout": 1.0}
        overrides = [Parameter(name, value=value) for name, value in values.items()]
        self.robot = ForeignRobotNode(context=context, parameter_overrides=overrides)
        self.node = rclpy.create_node("client", context=context)
        self.executor = SingleThreadedExecutor(context=context)
        self.executor.add_node(self.robot)
        self.executor.add_node(self.node)
        self.robot.trigger_configure()
        self.robot.trigger_activate()
        self.clients: dict[str, ActionClient] = {}

    def until(self, condition: Callable[[], object], timeout: float = 30.0) -> None:
        deadline = monotonic() + timeout
        while not condition():
            assert monotonic() < deadline, f"still false after {timeout} s: {condition}"
            self.executor.spin_once(timeout_sec=0.02)

    def hear(self, message_type: type, topic: str, qos: Any) -> Any:
        heard: list[Any] = []
        subscription = self.node.create_subscription(message_type, topic, heard.append, qos)
        self.until(lambda: heard)
        self.node.destroy_subscription(subscription)
        return heard[-1]

    def send(self, action_type: Any, name: str, goal: Any, feedback: Any = None) -> Any:
        if name not in self.clients:
            self.clients[name] = ActionClient(self.node, action_type, name)
        self.until(self.clients[name].server_is_ready)
        sent = self.clients[name].send_goal_async(goal, feedback)
        self.until(sent.done)
        assert sent.result().accepted
        return sent.result()

    def result(self, handle: Any) -> Any:
        answer = handle.get_result_async()
        self.until(answer.done)
        return answer.result()

    def do(self, action_type: Any, name: str, goal: Any) -> Any:
        return self.result(self.send(action_type, name, goal))

    def close(self) -> None:
        self.robot.close()
        for client in self.clients.values():
            client.destroy()
        self.executor.shutdown()
        self.node.destroy_node()
        self.robot.destroy_node()


@pytest.fixture(scope="module")
def client(sim_context: Any, small_home: Path) -> Iterator[Client]:
    made = Client(sim_context, small_home)
    yield made
    made.close()


def drive_goal(x: float, y: float, frame: str = "map") -> NavigateToPose.Goal:
    goal = NavigateToPose.Goal()
    goal.pose.header.frame_id = frame
    goal.pose.pose = pose_message(Pose.planar(x, y, 0.0))
    return goal


def begin_driving(client: Client) -> Any:
    """Send a far goal and wait until the base moves."""
    told: list[Any] = []
    handle = client.send(NavigateToPose, "navigate_to_pose", drive_goal(*FAR), told.append)
    client.until(lambda: told and told[-1].feedback.distance_remaining < 6.5)
    return handle


def speed_of(client: Client) -> float:
    return abs(float(client.hear(Odometry, "odom", RELIABLE).twist.twist.linear.x))


def test_a_drive_arrives_and_ends_without_an_error_code(client: Client) -> None:
    answer = client.do(NavigateToPose, "navigate_to_pose", drive_goal(*NEAR))
    assert (answer.status, answer.result.error_code) == (GoalStatus.STATUS_SUCCEEDED, 0)
    position = client.hear(Odometry, "odom", RELIABLE).pose.pose.position
    assert (position.x, position.y) == pytest.approx(NEAR, abs=0.02)
    estimate = client.hear(PoseWithCovarianceStamped, "amcl_pose", LATCHED).pose
    assert 0.0 < estimate.covariance[0] < 0.1


def test_a_cancelled_drive_has_stopped_when_its_status_says_so(client: Client) -> None:
    handle = begin_driving(client)
    cancelled = handle.cancel_goal_async()
    client.until(cancelled.done)
    assert client.result(handle).status == GoalStatus.STATUS_CANCELED
    assert speed_of(client) < 0.02


def test_a_newer_goal_aborts_the_older_one(client: Client) -> None:
    first = begin_driving(client)
    answer = client.do(Spin, "spin", Spin.Goal(target_yaw=0.2))
    assert answer.status == GoalStatus.STATUS_SUCCEEDED
    assert client.result(first).status == GoalStatus.STATUS_ABORTED


def test_a_goal_does_not_outlive_its_client(client: Client) -> None:
    statuses: list[GoalStatusArray] = []
    begin_driving(client)
    topic = "navigate_to_pose/_action/status"
    client.node.create_subscription(
        GoalStatusArray, topic, statuses.append, qos_profile_action_status_default
    )
    client.until(lambda: statuses and statuses[-1].status_list[-1].status == GoalStatus.STATUS_EXECUTING)
    client.clients.pop("navigate_to_pose").destroy()
    client.until(lambda: statuses[-1].status_list[-1].status == GoalStatus.STATUS_ABORTED)
    assert speed_of(client) < 0.02


@pytest.mark.parametrize(
    ("goal", "code"), [(drive_goal(0.3, 1.7), 208), (drive_goal(1.0, 1.0, frame="camera"), 9002)]
)
def test_a_refused_drive_has_nav2s_code(client: Client, goal: Any, code: int) -> None:
    answer = client.do(NavigateToPose, "navigate_to_pose", goal)
    assert (answer.status, answer.result.error_code) == (GoalStatus.STATUS_ABORTED, code)
    assert answer.result.error_msg


def head_goal(*names: str, positions: tuple[float, ...] = (0.4, 0.2)) -> FollowJointTrajectory.Goal:
    point = JointTrajectoryPoint(positions=list(positions), time_from_start=Duration(sec=1))
    return FollowJointTrajectory.Goal(trajectory=JointTrajectory(joint_names=list(names), points=[point]))


def test_the_head_follows_a_trajectory_whatever_the_order_of_its_joints(client: Client) -> None:
    name = "head_controller/follow_joint_trajectory"
    answer = client.do(FollowJointTrajectory, name, head_goal("head_tilt", "head_pan"))
    assert (answer.status, answer.result.error_code) == (GoalStatus.STATUS_SUCCEEDED, 0)
    joints = client.hear(JointState, "joint_states", RELIABLE)
    found = dict(zip(joints.name, joints.position, strict=True))
    assert (found["head_tilt"], found["head_pan"]) == pytest.approx((0.4, 0.2), abs=0.06)
    wrong = client.do(FollowJointTrajectory, name, head_goal("neck", "head_pan"))
    assert (wrong.status, wrong.result.error_code) == (GoalStatus.STATUS_ABORTED, -2)


def test_the_gripper_reports_its_measured_position(client: Client) -> None:
    goal = ParallelGripperCommand.Goal()
    goal.command = JointState(name=["arm_left_finger_joint"], position=[0.03])
    answer = client.do(ParallelGripperCommand, "gripper_controller/gripper_cmd", goal)
    assert answer.result.reached_goal
    assert not answer.result.stalled
    assert answer.result.state.position[0] == pytest.approx(0.03, abs=0.004)
    other = client.do(ParallelGripperCommand, "gripper_controller/gripper_cmd", ParallelGripperCommand.Goal())
    assert other.status == GoalStatus.STATUS_ABORTED


def arm_goal(group: str = "arm", **joints: float) -> MoveGroup.Goal:
    goal = MoveGroup.Goal()
    goal.request.group_name = group
    constraints = [JointConstraint(joint_name=name, position=value) for name, value in joints.items()]
    goal.request.goal_constraints = [Constraints(joint_constraints=constraints)]
    return goal


def test_the_arm_takes_a_posture(client: Client) -> None:
    answer = client.do(MoveGroup, "move_action", arm_goal(lift=0.15))
    assert (answer.status, answer.result.error_code.val) == (
        GoalStatus.STATUS_SUCCEEDED,
        MoveItErrorCodes.SUCCESS,
    )
    joints = client.hear(JointState, "joint_states", RELIABLE)
    assert joints.position[list(joints.name).index("lift")] == pytest.approx(0.15, abs=0.02)


def half_a_pose() -> MoveGroup.Goal:
    goal = arm_goal()
    goal.request.goal_constraints = [Constraints(orientation_constraints=[OrientationConstraint()])]
    return goal


@pytest.mark.parametrize(
    ("goal", "code"),
    [
        (arm_goal(group="legs", lift=0.1), MoveItErrorCodes.INVALID_GROUP_NAME),
        (arm_goal(wing=0.1), MoveItErrorCodes.INVALID_GOAL_CONSTRAINTS),
        (arm_goal(lift=3.0), MoveItErrorCodes.GOAL_VIOLATES_PATH_CONSTRAINTS),
        (half_a_pose(), MoveItErrorCodes.INVALID_GOAL_CONSTRAINTS),
        (MoveGroup.Goal(), MoveItErrorCodes.INVALID_GROUP_NAME),
    ],
)
def test_a_refused_motion_of_the_arm_has_moveits_code(client: Client, goal: Any, code: int) -> None:
    answer = client.do(MoveGroup, "move_action", goal)
    assert (answer.status, answer.result.error_code.val) == (GoalStatus.STATUS_ABORTED, code)
    assert answer.result.error_code.message


def test_it_publishes_a_map_and_cameras_and_nothing_of_this_project(client: Client) -> None:
    grid = client.hear(OccupancyGrid, "map", LATCHED)
    assert {0, 100} == set(grid.data)
    assert len(grid.data) == grid.info.width * grid.info.height
    assert client.hear(CameraInfo, "head_camera/camera_info", RELIABLE).width == 160
    own = client.robot.get_fully_qualified_name().rpartition("/")
    topics = client.node.get_publisher_names_and_types_by_node(own[2], own[0] or "/")
    services = client.node.get_service_names_and_types_by_node(own[2], own[0] or "/")
    names = [name for name, _ in (*topics, *services)]
    assert not [name for name in names if "openral" in name or name == "/clock"]
