"""NAVIGATE by a Nav2 that works, fails, hangs and disappears: each goal ends typed, none drives on."""

import hashlib
import os
from typing import Any

import pytest

pytest.importorskip("rclpy")
pytest.importorskip("nav2_msgs", reason="the interfaces of Nav2 are not built: make robot")

import numpy as np
from action_msgs.srv import CancelGoal
from lifecycle_msgs.srv import GetState
from nav2_msgs.action import NavigateToPose
from nav_msgs.msg import OccupancyGrid
from rclpy.action import ActionClient
from std_msgs.msg import String
from unique_identifier_msgs.msg import UUID

from openral_core.floor_map import FREE, OCCUPIED, FloorMap
from openral_core.geometry import Pose
from openral_core.home_map import Doorway, HomeMap, Room
from openral_core.skills import SkillStatus
from openral_ros.conversions.floor_maps import occupancy_grid_message
from openral_ros.qos import LATCHED

KITCHEN = Pose.planar(3.0, 1.0, 1.5)
NAV2 = {"NAVIGATE": {"backend": "nav2"}}


def feedback(distance: float, recoveries: int = 0) -> NavigateToPose.Feedback:
    message = NavigateToPose.Feedback(distance_remaining=distance, number_of_recoveries=recoveries)
    message.current_pose.pose.position.x = 3.0 - distance
    message.current_pose.pose.orientation.w = 1.0
    return message


def test_a_drive_reaches_nav2_in_the_map_frame_and_reports_its_progress(bench: Any) -> None:
    nav2 = bench.nav2()
    nav2.feedback = [feedback(2.0), feedback(1.0), feedback(0.5, recoveries=1)]
    bench.start(NAV2)
    bench.until(lambda: bench.offered() == ["NAVIGATE"])
    result = bench.send("navigate", goal=KITCHEN).result()
    assert (result.status, result.message) == (SkillStatus.SUCCEEDED, "arrived")
    assert result.evidence["x"] == 2.5
    assert result.evidence["recoveries"] == 1
    (goal,) = nav2.goals
    assert goal.pose.header.frame_id == "map"
    assert (goal.pose.pose.position.x, goal.pose.pose.position.y) == (3.0, 1.0)


@pytest.mark.parametrize(
    ("mode", "code", "status", "words"),
    [
        ("rejects", 0, SkillStatus.INACTIVE, "rejected the goal"),
        ("aborts", 208, SkillStatus.NOT_REACHABLE, "no valid path"),
        ("aborts", 105, SkillStatus.BLOCKED, "no progress along the path"),
        ("aborts", 9003, SkillStatus.TIMEOUT, "navigator timed out"),
        ("aborts", 0, SkillStatus.CANCELLED, "another client has taken over"),
        ("aborts", 4711, SkillStatus.SKILL_ERROR, "unknown error code 4711"),
        ("silent", 0, SkillStatus.SKILL_ERROR, "neither accepted nor rejected"),
    ],
)
def test_each_failure_has_its_status(
    bench: Any, mode: str, code: int, status: SkillStatus, words: str
) -> None:
    nav2 = bench.nav2()
    nav2.mode, nav2.code = mode, code
    bench.start(NAV2)
    result = bench.send("navigate", goal=KITCHEN).result()
    assert result.status is status
    assert words in result.message
    assert not nav2.running


def test_a_way_without_a_path_names_the_door_that_is_shut(bench: Any) -> None:
    nav2 = bench.nav2()
    nav2.mode, nav2.code = "aborts", 208
    cells = np.full((60, 100), OCCUPIED, np.int8)
    cells[2:58, 2:48] = cells[2:58, 50:98] = FREE  # a shut door at x = 2.45
    kitchen, study = (
        Room(id=name, name=name, polygon=((x, 0.1), (x + 2.3, 0.1), (x + 2.3, 2.9), (x, 2.9)))
        for name, x in (("kitchen", 0.1), ("study", 2.5))
    )
    door = Doorway(id="door", rooms=("kitchen", "study"), at=(2.45, 1.5), width=0.9)
    home = HomeMap(name="flat", rooms=(kitchen, study), doorways=(door,))
    maps = bench.robot.create_publisher(OccupancyGrid, "map", LATCHED)
    maps.publish(occupancy_grid_message(FloorMap(cells, 0.05), 0.0))
    homes = bench.robot.create_publisher(String, "home_map", LATCHED)
    homes.publish(String(data=home.model_dump_json()))
    bench.start(NAV2)
    bench.until(lambda: maps.get_subscription_count() and homes.get_subscription_count())
    bench.publish_transform("map", "base_link", 0.6)

    def told() -> str:
        result = bench.send("navigate", goal=Pose.planar(3.5, 1.5, 0.0)).result()
        assert result.status is SkillStatus.NOT_REACHABLE
        return str(result.message)

    bench.until(lambda: "the door from the kitchen to the study is shut" in told())


def test_without_nav2_the_verb_is_not_offered_and_a_goal_says_why(bench: Any) -> None:
    bench.start(NAV2)
    result = bench.send("navigate", goal=KITCHEN).result()
    assert result.status is SkillStatus.INACTIVE
    assert "no action server at /navigate_to_pose" in result.message
    assert bench.offered() == []
    bench.nav2()
    bench.until(lambda: bench.offered() == ["NAVIGATE"])


def test_a_verb_without_a_backend_is_refused(bench: Any) -> None:
    bench.start(NAV2)
    result = bench.send("handover", agent=KITCHEN, agent_id="anna").result()
    assert result.status is SkillStatus.UNSUPPORTED
    assert "it serves 'NAVIGATE'" in result.message


def test_an_inactive_navigator_gets_no_goals(bench: Any) -> None:
    nav2, state = bench.nav2(), [2]

    def answer(_: Any, response: GetState.Response) -> GetState.Response:
        response.current_state.id = state[0]
        return response

    bench.robot.create_service(GetState, "bt_navigator/get_state", answer)
    bench.start(NAV2)
    bench.until(lambda: bench.catalogue and bench.offered() == [])
    result = bench.send("navigate", goal=KITCHEN).result()
    assert result.status is SkillStatus.INACTIVE
    assert "bt_navigator is not active" in result.message
    assert not nav2.goals
    state[0] = 3
    bench.until(lambda: bench.offered() == ["NAVIGATE"])


def test_a_cancelled_drive_has_ended_at_nav2_when_its_client_is_told(bench: Any) -> None:
    nav2 = bench.nav2()
    nav2.mode = "runs"
    bench.start(NAV2)
    goal = bench.send("navigate", goal=KITCHEN)
    bench.until(lambda: nav2.running)
    goal.cancel()
    assert goal.result().status is SkillStatus.CANCELLED
    assert not nav2.running


def test_a_drive_that_arrives_while_it_is_cancelled_has_arrived(bench: Any) -> None:
    nav2 = bench.nav2()
    nav2.mode = "races"
    bench.start(NAV2)
    goal = bench.send("navigate", goal=KITCHEN)
    bench.until(lambda: nav2.running)
    goal.cancel()
    assert goal.result().status is SkillStatus.SUCCEEDED


def test_a_nav2_that_ignores_cancellation_is_asked_again_and_keeps_the_robot_busy(bench: Any) -> None:
    nav2 = bench.nav2()
    nav2.mode = "hangs"
    bench.start(NAV2)
    late = bench.send("navigate", deadline=0.5, goal=KITCHEN).result()
    assert late.status is SkillStatus.TIMEOUT
    assert "has not stopped" in late.message
    assert bench.send("navigate", goal=KITCHEN).result().status is SkillStatus.BUSY
    bench.until(lambda: nav2.cancels >= 2)
    nav2.obey()
    bench.until(lambda: not nav2.running and bench.catalogue[-1].busy_with == "")
    nav2.mode = "succeeds"
    assert bench.send("navigate", goal=KITCHEN).result().success


def test_a_nav2_that_dies_during_a_drive_ends_it(bench: Any) -> None:
    nav2 = bench.nav2()
    nav2.mode = "runs"
    bench.start(NAV2)
    goal = bench.send("navigate", goal=KITCHEN)
    bench.until(lambda: nav2.running)
    nav2.stop()
    result = goal.result()
    assert result.status is SkillStatus.SKILL_ERROR
    assert "disappeared" in result.message


def test_a_nav2_that_is_restarted_during_a_drive_ends_it(bench: Any) -> None:
    """The new server knows nothing of the goal, and the old one never ends it."""
    nav2 = bench.nav2()
    nav2.mode, nav2.feedback = "runs", [feedback(2.0)]
    bench.start(NAV2)
    goal = bench.send("navigate", goal=KITCHEN)
    bench.until(lambda: any("driving" in told.stage for told in goal.feedback))
    nav2.stop()
    nav2.running.clear()
    nav2.start()
    result = goal.result()
    assert (result.status, "was restarted" in result.message) == (SkillStatus.SKILL_ERROR, True)
    nav2.mode, nav2.feedback = "succeeds", []
    assert bench.send("navigate", goal=KITCHEN).result().success


def test_a_goal_that_is_accepted_too_late_is_cancelled(bench: Any) -> None:
    nav2 = bench.nav2()
    nav2.mode = "silent"
    bench.start(NAV2)
    assert bench.send("navigate", goal=KITCHEN).result().status is SkillStatus.SKILL_ERROR
    nav2.mode = "runs"
    nav2.answer()
    bench.until(lambda: nav2.ended)
    assert nav2.cancels


def test_goals_left_over_from_a_crash_are_cancelled_and_those_of_others_are_not(bench: Any) -> None:
    nav2 = bench.nav2()
    nav2.mode = "runs"
    own = hashlib.blake2s(b"/skill_server", digest_size=8).digest()
    ids = [own + os.urandom(8), os.urandom(16)]
    client = ActionClient(bench.client, NavigateToPose, "navigate_to_pose")
    bench.until(client.server_is_ready)
    for goal_id in ids:
        bench.wait(client.send_goal_async(NavigateToPose.Goal(), goal_uuid=UUID(uuid=list(goal_id))))
    bench.until(lambda: len(nav2.running) == 2)
    bench.start(NAV2)
    bench.until(lambda: list(nav2.running) == ids[1:])
    client.destroy()


@pytest.mark.parametrize("code", [0, 105])
def test_a_goal_that_another_client_replaces_is_the_operators_word_and_no_blocked_way(
    bench: Any, code: int
) -> None:
    nav2 = bench.nav2()
    nav2.mode, nav2.code = "runs", code
    bench.start(NAV2)
    ended = bench.send("navigate", goal=KITCHEN)
    bench.until(lambda: len(nav2.running) == 1)
    rviz = ActionClient(bench.client, NavigateToPose, "navigate_to_pose")
    bench.until(rviz.server_is_ready)
    bench.wait(rviz.send_goal_async(NavigateToPose.Goal()))
    bench.until(lambda: len(nav2.running) == 2)
    nav2.preempt()
    result = ended.result()
    assert (result.status, "sent a newer goal" in result.message) == (SkillStatus.CANCELLED, True)
    assert len(nav2.running) == 1, "the goal of the other client goes on"
    rviz.destroy()


def test_a_goal_that_another_client_cancels_says_so(bench: Any) -> None:
    nav2 = bench.nav2()
    nav2.mode = "runs"
    bench.start(NAV2)
    ended = bench.send("navigate", goal=KITCHEN)
    bench.until(lambda: len(nav2.running) == 1)
    canceller = bench.client.create_client(CancelGoal, "navigate_to_pose/_action/cancel_goal")
    bench.until(canceller.service_is_ready)
    bench.wait(canceller.call_async(CancelGoal.Request()))
    result = ended.result()
    assert (result.status, "another client" in result.message) == (SkillStatus.CANCELLED, True)
    bench.client.destroy_client(canceller)


def test_a_drive_stops_when_its_client_is_gone(bench: Any) -> None:
    nav2 = bench.nav2()
    nav2.mode = "runs"
    bench.start(NAV2, client_lease=0.5)
    bench.send("navigate", goal=KITCHEN)
    bench.until(lambda: nav2.running)
    bench.leave()
    bench.until(lambda: not nav2.running and bench.catalogue[-1].busy_with == "")
    assert nav2.cancels


def test_a_drive_ends_when_the_skill_server_is_deactivated(bench: Any) -> None:
    nav2 = bench.nav2()
    nav2.mode = "runs"
    node = bench.start(NAV2)
    goal = bench.send("navigate", goal=KITCHEN)
    bench.until(lambda: nav2.running)
    node.trigger_deactivate()
    bench.until(lambda: not nav2.running)
    result = goal.result()
    assert (result.status, result.message) == (
        SkillStatus.CANCELLED,
        "stopped: the skill server was deactivated",
    )


@pytest.mark.parametrize(("variance", "status"), [(0.5, SkillStatus.INACTIVE), (0.01, SkillStatus.SUCCEEDED)])
def test_a_poor_pose_stops_the_robot_before_it_moves(
    bench: Any, variance: float, status: SkillStatus
) -> None:
    nav2 = bench.nav2()
    bench.publish_pose(variance)
    bench.start(NAV2, localisation={})
    result = bench.send("navigate", goal=KITCHEN).result()
    while "no pose was received" in result.message:  # discovery of the topic
        result = bench.send("navigate", goal=KITCHEN).result()
    assert result.status is status
    assert bool(nav2.goals) is (status is SkillStatus.SUCCEEDED)


def test_no_progress_and_no_recovery_is_blocked(bench: Any) -> None:
    nav2 = bench.nav2()
    nav2.mode, nav2.feedback = "runs", [feedback(2.0)]
    bench.start({"NAVIGATE": {"backend": "nav2", "progress_timeout": 0.5}})
    result = bench.send("navigate", goal=KITCHEN).result()
    assert result.status is SkillStatus.BLOCKED
    assert "no progress for 0.5 s" in result.message
    assert not nav2.running
