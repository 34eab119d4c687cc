"""LOOK_AT by a pan-tilt head, by turning the base, and by both."""

from math import atan2, pi
from typing import Any

import pytest

pytest.importorskip("rclpy")
pytest.importorskip("nav2_msgs", reason="the interfaces of Nav2 are not built: make robot")

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
