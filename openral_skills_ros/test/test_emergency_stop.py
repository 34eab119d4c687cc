"""An emergency stop of a robot driven by others: every goal is cancelled, also of other clients."""

from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("rclpy")
pytest.importorskip("nav2_msgs", reason="the interfaces of Nav2 are not built: make robot")

from foreign_robot import release, stop
from nav2_msgs.action import NavigateToPose
from rclpy.action import ActionClient

from openral_core.geometry import Pose
from openral_core.skills import SkillStatus

KITCHEN = Pose.planar(3.0, 1.0, 1.5)
NAV2 = {"NAVIGATE": {"backend": "nav2"}}


def test_a_stop_cancels_the_drive_at_nav2_and_refuses_the_next(bench: Any) -> None:
    nav2 = bench.nav2()
    nav2.mode = "runs"
    bench.start(NAV2)
    goal = bench.send("navigate", goal=KITCHEN)
    bench.until(lambda: nav2.running)
    stop(bench)
    result = goal.result()
    assert not nav2.running
    assert (result.status, result.evidence["emergency_stop"]) == (SkillStatus.CANCELLED, "red button")
    assert bench.send("navigate", goal=KITCHEN).result().status is SkillStatus.INACTIVE
    bench.until(lambda: bench.offered() == [])
    assert len(nav2.goals) == 1
    release(bench)
    nav2.mode = "succeeds"
    assert bench.send("navigate", goal=KITCHEN).result().success


def test_goals_of_other_clients_are_cancelled_until_the_release(bench: Any) -> None:
    nav2 = bench.nav2()
    nav2.mode = "runs"
    teleoperator = ActionClient(bench.client, NavigateToPose, "navigate_to_pose")
    bench.until(teleoperator.server_is_ready)
    bench.wait(teleoperator.send_goal_async(NavigateToPose.Goal()))
    bench.start(NAV2)
    bench.until(lambda: bench.offered() == ["NAVIGATE"])
    assert nav2.running
    stop(bench)
    bench.until(lambda: not nav2.running)
    bench.wait(teleoperator.send_goal_async(NavigateToPose.Goal()))
    bench.until(lambda: nav2.ended == 2)
    release(bench)
    bench.wait(teleoperator.send_goal_async(NavigateToPose.Goal()))
    bench.until(lambda: nav2.running)
    teleoperator.destroy()


@pytest.mark.parametrize("left", [True, False])
def test_a_stop_counts_while_the_skill_server_is_inactive(bench: Any, left: bool) -> None:
    nav2 = bench.nav2()
    nav2.mode = "runs"
    node = bench.start(NAV2)
    node.trigger_deactivate()
    if not left:
        node.trigger_cleanup()
        node.trigger_configure()
    teleoperator = ActionClient(bench.client, NavigateToPose, "navigate_to_pose")
    bench.until(teleoperator.server_is_ready)
    bench.wait(teleoperator.send_goal_async(NavigateToPose.Goal()))
    stop(bench)
    bench.until(lambda: not nav2.running)
    node.trigger_activate()
    assert bench.send("navigate", goal=KITCHEN).result().status is SkillStatus.INACTIVE
    teleoperator.destroy()


def test_a_backend_that_does_not_stop_is_told_to_the_client_and_asked_again(bench: Any) -> None:
    nav2 = bench.nav2()
    nav2.mode = "hangs"
    bench.start(NAV2)
    goal = bench.send("navigate", goal=KITCHEN)
    bench.until(lambda: nav2.running)
    stop(bench)
    result = goal.result()
    assert result.status is SkillStatus.CANCELLED
    assert "has not confirmed that it stands still" in result.message
    bench.until(lambda: nav2.cancels >= 3)


def test_a_restarted_skill_server_cancels_what_drives_on(bench: Any, tmp_path: Path) -> None:
    file = tmp_path / "stop.json"
    file.write_text('{"reason": "red button", "since": 1.0}')
    nav2 = bench.nav2()
    nav2.mode = "runs"
    other = ActionClient(bench.client, NavigateToPose, "navigate_to_pose")
    bench.until(other.server_is_ready)
    bench.wait(other.send_goal_async(NavigateToPose.Goal()))
    bench.start(NAV2, parameters={"stop_file": str(file)})
    bench.until(lambda: not nav2.running)
    assert bench.send("navigate", goal=KITCHEN).result().status is SkillStatus.INACTIVE
    other.destroy()


def test_a_stop_outlives_its_file(bench: Any, tmp_path: Path) -> None:
    file = tmp_path / "stop.json"
    file.write_text('{"reason": "red button", "since": 1.0}')
    bench.nav2()
    node = bench.start(NAV2, parameters={"stop_file": str(file)})
    assert bench.send("navigate", goal=KITCHEN).result().status is SkillStatus.INACTIVE
    node.trigger_deactivate()
    node.trigger_cleanup()
    file.unlink()
    node.trigger_configure()
    node.trigger_activate()
    assert bench.send("navigate", goal=KITCHEN).result().status is SkillStatus.INACTIVE
    release(bench)
    assert bench.send("navigate", goal=KITCHEN).result().success
