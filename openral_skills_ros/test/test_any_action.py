"""Any verb by any action: the goal by template, the result by field names."""

from typing import Any

import pytest

pytest.importorskip("rclpy")
pytest.importorskip("nav2_msgs", reason="the interfaces of Nav2 are not built: make robot")

from action_msgs.msg import GoalStatusArray
from nav2_msgs.action import NavigateToPose
from rclpy.qos import qos_profile_action_status_default

from openral_core.geometry import Pose
from openral_core.skills import SkillStatus

HERE = Pose((1.0, 2.0, 0.5))
PLACE = {
    "backend": "action",
    "type": "nav2_msgs/action/NavigateToPose",
    "action": "put_down",
    "goal": {"pose": "$target", "behavior_tree": "gently"},
    "status_field": "error_code",
    "statuses": {7: "NOTHING_HELD", 8: "SUCCEEDED"},
    "message_field": "error_msg",
    "evidence": ["error_code"],
}


def test_the_template_is_filled_with_typed_parameters(bench: Any) -> None:
    server = bench.serve(NavigateToPose, "put_down")
    bench.start({"PLACE": PLACE})
    result = bench.send("place", target=HERE).result()
    assert result.status is SkillStatus.SUCCEEDED
    (goal,) = server.goals
    assert (goal.pose.header.frame_id, goal.pose.pose.position.y, goal.behavior_tree) == (
        "map",
        2.0,
        "gently",
    )


@pytest.mark.parametrize(
    ("code", "status"),
    [(7, SkillStatus.NOTHING_HELD), (8, SkillStatus.SKILL_ERROR), (9, SkillStatus.SKILL_ERROR)],
)
def test_an_aborted_goal_is_what_its_field_says_but_never_a_success(
    bench: Any, code: int, status: SkillStatus
) -> None:
    server = bench.serve(NavigateToPose, "put_down")
    server.mode, server.code = "aborts", code
    bench.start({"PLACE": PLACE})
    result = bench.send("place", target=HERE).result()
    assert result.status is status
    assert result.evidence["error_code"] == code


def test_two_verbs_with_one_action_leave_each_others_goals_alone(bench: Any) -> None:
    server = bench.serve(NavigateToPose, "put_down")
    server.mode = "runs"
    bench.start({"PLACE": PLACE, "HANDOVER": {**PLACE, "goal": {"pose": "$agent"}}})
    goal = bench.send("place", target=HERE)
    statuses: list[Any] = []
    bench.client.create_subscription(
        GoalStatusArray, "put_down/_action/status", statuses.append, qos_profile_action_status_default
    )
    bench.until(lambda: server.running and statuses)
    # A cancellation would have been requested by the status that both clients have received by now.
    bench.until(lambda: goal.feedback)
    assert not goal.ended
    assert server.cancels == 0
    goal.cancel()
    assert goal.result().status is SkillStatus.CANCELLED


def test_an_action_type_that_is_not_installed_is_told(bench: Any) -> None:
    bench.start({"PLACE": {**PLACE, "type": "absent_msgs/action/PutDown"}})
    result = bench.send("place", target=HERE).result()
    assert result.status is SkillStatus.INACTIVE
    assert "absent_msgs/action/PutDown is not installed" in result.message
    assert "ros-jazzy-absent-msgs" in result.message


def test_a_template_that_does_not_fit_the_type_is_told(bench: Any) -> None:
    bench.serve(NavigateToPose, "put_down")
    bench.start({"PLACE": {**PLACE, "goal": {"position": "$target"}}})
    result = bench.send("place", target=HERE).result()
    assert result.status is SkillStatus.SKILL_ERROR
    assert "field 'position': there is none; valid are 'pose'" in result.message
