"""A policy holds for a robot driven by others: nothing reaches Nav2 that it does not permit."""

from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("rclpy")
pytest.importorskip("nav2_msgs", reason="the interfaces of Nav2 are not built: make robot")

from nav2_msgs.action import NavigateToPose

from openral_core.consent.decisions import QUESTION
from openral_core.geometry import Pose
from openral_core.skills import SkillStatus
from openral_msgs.msg import PromptStamped
from openral_ros.conversions.geometry import pose_message
from openral_ros.qos import RELIABLE

KITCHEN = Pose.planar(3.0, 1.0, 1.5)
NAV2 = {"NAVIGATE": {"backend": "nav2"}}
ZONE = "{id: stairs, name: stairs, polygon: [[5, 0], [6, 0], [6, 2], [5, 2]]}"


def policy(folder: Path, text: str) -> dict[str, str]:
    file = folder / "policy.yaml"
    file.write_text(text)
    return {"policy": str(file)}


def drive_at(x: float) -> NavigateToPose.Feedback:
    feedback = NavigateToPose.Feedback(distance_remaining=1.0)
    feedback.current_pose.pose = pose_message(Pose.planar(x, 1.0, 0.0))
    return feedback


def test_nav2_gets_a_goal_once_the_operator_says_yes(bench: Any, tmp_path: Path) -> None:
    nav2 = bench.nav2()
    bench.start(NAV2, parameters=policy(tmp_path, "default: ask each time"))
    asked = bench.send("navigate", goal=KITCHEN).result()
    assert (asked.status, nav2.goals) == (SkillStatus.INACTIVE, [])
    publisher = bench.client.create_publisher(PromptStamped, "openral/prompt", RELIABLE)
    bench.until(lambda: publisher.get_subscription_count() == 2)
    answer = PromptStamped(text="yes", in_reply_to=str(asked.evidence[QUESTION]))
    answer.header.frame_id = "operator"
    publisher.publish(answer)
    assert bench.send("navigate", goal=KITCHEN).result().success
    assert len(nav2.goals) == 1


def test_the_base_is_not_sent_into_a_keep_out_zone(bench: Any, tmp_path: Path) -> None:
    nav2 = bench.nav2()
    bench.start(NAV2, parameters=policy(tmp_path, f"keep_out: [{ZONE}]"))
    refused = bench.send("navigate", goal=Pose.planar(5.5, 1.0, 0.0)).result()
    assert (refused.status, nav2.goals) == (SkillStatus.BAD_REQUEST, [])
    assert "keep-out zone 'stairs'" in refused.message


@pytest.mark.parametrize(("way", "stopped"), [((3.0, 5.5), True), ((5.5, 3.0), False)])
def test_a_drive_that_enters_a_zone_is_stopped_and_one_that_leaves_it_is_not(
    bench: Any, tmp_path: Path, way: tuple[float, float], *, stopped: bool
) -> None:
    nav2 = bench.nav2()
    nav2.mode, nav2.feedback = "runs" if stopped else "succeeds", [drive_at(x) for x in way]
    bench.start(NAV2, parameters=policy(tmp_path, f"keep_out: [{ZONE}]"))
    result = bench.send("navigate", goal=KITCHEN).result()
    assert result.status is (SkillStatus.BLOCKED if stopped else SkillStatus.SUCCEEDED)
    assert ("entered the keep-out zone 'stairs'" in result.message) is stopped
    assert not nav2.running
