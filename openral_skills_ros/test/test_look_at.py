"""LOOK_AT by a pan-tilt head, by turning the base, and by both."""

from math import atan2, pi
from typing import Any

import pytest

pytest.importorskip("rclpy")
pytest.importorskip("nav2_msgs", reason="the interfaces of Nav2 are not built: make robot")

from sensor_msgs.msg import JointState
from std_msgs.msg import Float64MultiArray
from trajectory_msgs.msg import JointTrajectory

from openral_core.geometry import Pose
from openral_core.skills import SkillResult, SkillStatus
from openral_skills_ros import node

PATIENCE = node.WAIT_FOR_BACKEND

HEAD = {
    "backend": "head",
    "action": "head/follow_joint_trajectory",
    "pan_joint": "pan",
    "tilt_joint": "tilt",
    "pan_frame": "head_base",
    "tilt_height": 0.1,
}


def look_at(bench: Any, target: Pose) -> SkillResult:
    """Look at a target at once: the skill server waits for the robot's transforms."""
    return bench.send("look-at", target=target).result()


@pytest.fixture(autouse=True)
def _patient(bench: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """Leave discovery on a busy machine the time that it has in the product."""
    monkeypatch.setattr(node, "WAIT_FOR_BACKEND", PATIENCE)


def test_the_head_aims_at_the_target(bench: Any) -> None:
    head = bench.head()
    bench.publish_transform("map", "head_base", x=1.0)
    bench.start({"LOOK_AT": HEAD})
    result = look_at(bench, Pose((2.0, 1.0, -0.4)))
    assert result.status is SkillStatus.SUCCEEDED
    (goal,) = head.goals
    assert goal.trajectory.joint_names == ["pan", "tilt"]
    assert list(goal.trajectory.points[0].positions) == pytest.approx([pi / 4, atan2(0.5, 2.0**0.5)])


@pytest.mark.parametrize(("code", "status"), [(-4, SkillStatus.BLOCKED), (-2, SkillStatus.SKILL_ERROR)])
def test_a_controller_that_fails_says_so(bench: Any, code: int, status: SkillStatus) -> None:
    head = bench.head()
    head.mode, head.code = "aborts", code
    bench.publish_transform("map", "head_base")
    bench.start({"LOOK_AT": HEAD})
    assert look_at(bench, Pose((2.0, 0.0, 0.0))).status is status


def test_what_is_out_of_the_heads_range_is_not_reachable_without_turning(bench: Any) -> None:
    bench.head()
    bench.publish_transform("map", "head_base")
    bench.start({"LOOK_AT": HEAD})
    result = look_at(bench, Pose((-2.0, 0.1, 0.0)))
    assert result.status is SkillStatus.NOT_REACHABLE
    assert "the head can pan -1.57 to 1.57" in result.message


def test_the_base_turns_towards_the_target(bench: Any) -> None:
    spin = bench.spin()
    bench.publish_transform("map", "base_link")
    bench.start({"LOOK_AT": {"backend": "spin"}})
    result = look_at(bench, Pose((0.0, 2.0, 0.8)))
    assert result.status is SkillStatus.SUCCEEDED
    assert spin.goals[0].target_yaw == pytest.approx(pi / 2)
    assert look_at(bench, Pose((2.0, 0.0, 0.8))).message == "facing it already"
    assert len(spin.goals) == 1


def test_a_robot_without_transforms_does_not_move_and_offers_no_look(
    bench: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(node, "WAIT_FOR_BACKEND", 0.5)
    spin = bench.spin()
    bench.start({"LOOK_AT": {"backend": "spin"}})
    result = look_at(bench, Pose((0.0, 2.0, 0.8)))
    assert result.status is SkillStatus.INACTIVE
    assert "start localisation and robot_state_publisher" in result.message
    assert bench.offered() == []
    assert not spin.goals
    bench.publish_transform("map", "base_link")
    bench.until(lambda: bench.offered() == ["LOOK_AT"])


class PanTilt:
    """Pan-tilt unit with a topic; it moves at once, unless it is ``stuck``."""

    def __init__(self, bench: Any, kind: Any) -> None:
        self.posture, self.stuck = [0.3, 0.1], False
        self.commands: list[list[float]] = []
        bench.robot.create_subscription(kind, "pan_tilt/command", self._on_command, 10)
        self._states = bench.robot.create_publisher(JointState, "joint_states", 10)
        bench.robot.create_timer(0.05, self._publish)

    def _on_command(self, message: Any) -> None:
        trajectory = isinstance(message, JointTrajectory)
        self.commands.append(list(message.points[0].positions if trajectory else message.data))
        if not self.stuck:
            self.posture = self.commands[-1]

    def _publish(self) -> None:
        self._states.publish(JointState(name=["pan", "tilt"], position=self.posture))


def pan_tilt(kind: str) -> dict[str, Any]:
    head = {key: value for key, value in HEAD.items() if key != "action"}
    return {**head, "backend": "pan_tilt", "topic": "pan_tilt/command", "type": kind, "speed": 10.0}


@pytest.mark.parametrize(
    ("kind", "type_"), [("trajectory", JointTrajectory), ("positions", Float64MultiArray)]
)
def test_a_head_with_a_topic_has_arrived_when_its_joints_say_so(bench: Any, kind: str, type_: Any) -> None:
    unit = PanTilt(bench, type_)
    bench.publish_transform("map", "head_base", x=1.0)
    bench.start({"LOOK_AT": pan_tilt(kind)})
    result = look_at(bench, Pose((2.0, 1.0, -0.4)))
    assert result.status is SkillStatus.SUCCEEDED, result.message
    assert unit.commands == [pytest.approx([pi / 4, atan2(0.5, 2.0**0.5)])]


def test_a_head_that_is_stuck_is_blocked_and_told_to_hold(bench: Any) -> None:
    unit = PanTilt(bench, Float64MultiArray)
    unit.stuck = True
    bench.publish_transform("map", "head_base")
    bench.start({"LOOK_AT": pan_tilt("positions")})
    result = look_at(bench, Pose((2.0, 1.0, 0.0)))
    assert (result.status, "(0.30, 0.10) after" in result.message) == (SkillStatus.BLOCKED, True)
    bench.until(lambda: len(unit.commands) == 2)
    assert unit.commands[-1] == pytest.approx([0.3, 0.1])


def test_a_cancelled_look_holds_the_head_where_it_is(bench: Any) -> None:
    unit = PanTilt(bench, Float64MultiArray)
    unit.stuck = True
    bench.publish_transform("map", "head_base")
    bench.start({"LOOK_AT": {**pan_tilt("positions"), "speed": 0.1}})
    goal = bench.send("look-at", target=Pose((2.0, 1.0, 0.0)))
    bench.until(lambda: unit.commands)
    goal.cancel()
    assert goal.result().status is SkillStatus.CANCELLED
    bench.until(lambda: len(unit.commands) == 2)
    assert unit.commands[-1] == pytest.approx([0.3, 0.1])
