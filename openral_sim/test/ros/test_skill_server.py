"""Goals over the action: carried out, cancelled, late, refused in words; and the states that it reports."""

from itertools import groupby
from typing import Any

import numpy as np
import pytest

pytest.importorskip("rclpy")
from nav_msgs.msg import Odometry
from rclpy.qos import DurabilityPolicy, QoSProfile

from openral_core.geometry import Pose
from openral_core.object_states import StateReport, StateSource
from openral_core.skills import SkillResult, SkillStatus, Verb
from openral_msgs.action import ExecuteRskill
from openral_msgs.msg import FailureTrigger, SkillCatalogue
from openral_ros.conversions.object_states import state_report_from_message
from openral_ros.conversions.skills import key_values
from openral_ros.qos import LATCHED, RELIABLE
from openral_ros.skill_publishers import SkillPublishers
from openral_sim.skills import registry as verbs


class Ear:
    """Stands in for a scope and every publisher it makes."""

    def __init__(self) -> None:
        self.heard: list[Any] = []

    def publisher(self, *_: object) -> "Ear":
        return self

    def publish(self, message: Any) -> None:
        self.heard.append(message)


@pytest.mark.parametrize("status", [SkillStatus.SUCCEEDED, SkillStatus.BLOCKED])
def test_reports_how_far_a_door_stands_open_however_the_goal_ended(status: SkillStatus) -> None:
    ear = Ear()
    evidence = {"container_id": "fridge", "opening": 0.4, "angle": 0.7}
    SkillPublishers(ear).states(SkillResult(status, "", evidence), 12.0)
    assert [state_report_from_message(message) for message in ear.heard] == [
        StateReport("fridge", 0.4, StateSource.REPORTED, 12.0)
    ]


def test_reports_no_state_after_a_drive() -> None:
    ear = Ear()
    SkillPublishers(ear).states(SkillResult(SkillStatus.SUCCEEDED, "", {"x": 1.0}), 12.0)
    assert not ear.heard


def test_reports_what_was_switched_and_what_was_filled() -> None:
    ear = Ear()
    publishers = SkillPublishers(ear)
    publishers.states(SkillResult(SkillStatus.SUCCEEDED, "", {"appliance_id": "tv", "on": False}), 1.0)
    poured = {"fill": 0.6, "vessel": Pose((1.0, 2.0, 0.9))}
    publishers.states(SkillResult(SkillStatus.SUCCEEDED, "", poured), 2.0)
    assert [state_report_from_message(message) for message in ear.heard] == [
        StateReport("tv", "off", StateSource.REPORTED, 1.0),
        StateReport((1.0, 2.0, 0.9), "full", StateSource.REPORTED, 2.0),
    ]


pytestmark = pytest.mark.xdist_group("sim_node")
NEAR = Pose.planar(1.6, 2.0, 0.0)
FAR = Pose.planar(8.6, 0.8, 0.0)
STOVE = Pose((1.0, 4.2, 0.9))


def place_of(bench: Any) -> Odometry:
    return bench.hear(Odometry, "odom", RELIABLE)


def drive_and_wait_until_moving(bench: Any, goal: Pose, deadline: float = 0.0) -> Any:
    driving = bench.send("navigate", deadline=deadline, goal=goal)
    bench.until(lambda: any(told.stage == "driving" and told.progress > 0.02 for told in driving.feedback))
    return driving


def test_navigate_brings_odometry_to_the_goal(bench: Any) -> None:
    result = bench.send("navigate", goal=NEAR).result()
    assert result.status is SkillStatus.SUCCEEDED
    assert (result.evidence["x"], result.evidence["y"]) == pytest.approx((1.6, 2.0), abs=0.02)
    position = place_of(bench).pose.pose.position
    assert (position.x, position.y) == pytest.approx((1.6, 2.0), abs=0.02)


def test_a_cancelled_drive_stops_on_its_way(bench: Any) -> None:
    goal = drive_and_wait_until_moving(bench, FAR)
    goal.cancel()
    result = goal.result()
    assert result.status is SkillStatus.CANCELLED
    assert "driving" in result.message
    assert goal.cancelled
    odometry = place_of(bench)
    assert abs(odometry.twist.twist.linear.x) < 0.02
    assert odometry.pose.pose.position.x < FAR.position[0] - 1.0


def test_a_goal_cancelled_at_once_does_not_drive_off(bench: Any) -> None:
    before = place_of(bench).pose.pose.position
    goal = bench.send("navigate", goal=FAR)
    goal.cancel()
    assert goal.result().status is SkillStatus.CANCELLED
    after = place_of(bench).pose.pose.position
    assert np.hypot(after.x - before.x, after.y - before.y) < 1.0


def test_a_second_goal_is_busy_and_leaves_the_first_alone(bench: Any) -> None:
    first = drive_and_wait_until_moving(bench, FAR)
    second = bench.send("look-at", target=STOVE).result()
    assert second.status is SkillStatus.BUSY
    assert "NAVIGATE" in second.message
    first.cancel()
    assert first.result().status is SkillStatus.CANCELLED


def test_a_passed_deadline_stops_the_robot_and_says_so(bench: Any) -> None:
    goal = drive_and_wait_until_moving(bench, FAR, deadline=3.0)
    result = goal.result()
    assert result.status is SkillStatus.TIMEOUT
    assert "3.0 s" in result.message
    assert abs(place_of(bench).twist.twist.linear.x) < 0.02
    bench.send("navigate", goal=NEAR).result()


@pytest.mark.parametrize(
    ("rskill", "params", "words"),
    [
        ("fly", {}, "unknown skill 'fly': expected one of 'close'"),
        ("navigate", {}, "parameter 'goal' (pose) is missing"),
        ("navigate", {"goal": "kitchen"}, "parameter 'goal' must be a pose, found str 'kitchen'"),
        ("navigate", {"goal": NEAR, "speed": 2.0}, "unknown parameter 'speed': valid are 'goal'"),
        ("handover", {"agent": NEAR, "agent_id": 3}, "parameter 'agent_id' must be a string, found int 3"),
    ],
)
def test_what_does_not_fit_the_manifest_is_a_bad_request_in_words(
    bench: Any, rskill: str, params: dict[str, Any], words: str
) -> None:
    result = bench.send(rskill, **params).result()
    assert result.status is SkillStatus.BAD_REQUEST
    assert words in result.message


def test_a_pose_in_another_frame_is_a_bad_request(bench: Any) -> None:
    params = key_values({"goal": NEAR})
    params[0].pose_value.header.frame_id = "base_link"
    result = bench.send_message(ExecuteRskill.Goal(rskill_id="navigate", params=params)).result()
    assert result.status is SkillStatus.BAD_REQUEST
    assert "frame 'base_link': poses must be in 'map'" in result.message


def test_a_parameter_given_twice_is_a_bad_request(bench: Any) -> None:
    params = [*key_values({"goal": NEAR}), *key_values({"goal": FAR})]
    result = bench.send_message(ExecuteRskill.Goal(rskill_id="navigate", params=params)).result()
    assert result.status is SkillStatus.BAD_REQUEST
    assert "'goal' is given 2 times" in result.message


def test_a_failed_goal_is_told_to_the_graph_with_its_trace(bench: Any) -> None:
    heard = bench.listen(FailureTrigger, "openral/failure/skill_server", RELIABLE)
    bench.until(lambda: bench.client.count_publishers("openral/failure/skill_server"))
    trace = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"
    bench.until(lambda: bench.node.count_subscribers("openral/failure/skill_server"))
    bench.send_message(ExecuteRskill.Goal(rskill_id="handover", traceparent=trace)).result()
    bench.until(lambda: heard)
    assert (heard[0].source, heard[0].kind, heard[0].traceparent) == ("skill_server", "bad_request", trace)


def test_a_goal_outside_the_motion_envelope_is_refused_and_told_to_the_graph(bench: Any) -> None:
    heard = bench.listen(FailureTrigger, "openral/failure/skill_server", RELIABLE)
    bench.until(lambda: bench.node.count_subscribers("openral/failure/skill_server"))
    result = bench.send("navigate", goal=Pose.planar(50.0, 0.0, 0.0)).result()
    bench.until(lambda: heard)
    assert result.status is SkillStatus.BAD_REQUEST
    assert "motion envelope" in heard[0].message


def test_handing_over_with_an_empty_hand_holds_nothing(bench: Any) -> None:
    result = bench.send("handover", agent=NEAR, agent_id="requester").result()
    assert result.status is SkillStatus.NOTHING_HELD


def test_a_skill_that_breaks_is_an_error_and_the_next_goal_works(
    bench: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    def break_down(context: Any, params: Any) -> Any:
        raise ZeroDivisionError("gear")

    with monkeypatch.context() as patch:
        patch.setitem(verbs.SKILLS, Verb.LOOK_AT, break_down)
        result = bench.send("look-at", target=STOVE).result()
    assert result.status is SkillStatus.SKILL_ERROR
    assert "ZeroDivisionError: gear" in result.message
    assert bench.send("look-at", target=STOVE).result().success


def test_the_catalogue_names_the_verbs_and_what_the_robot_is_busy_with(bench: Any) -> None:
    served = set(verbs.SKILLS) - {Verb.EXPLORE}  # it needs the perceived floor
    assert bench.hear(SkillCatalogue, "openral/skills", LATCHED).verbs == sorted(served)
    all_of_them = QoSProfile(depth=10, durability=DurabilityPolicy.TRANSIENT_LOCAL)
    heard = bench.listen(SkillCatalogue, "openral/skills", all_of_them)
    bench.until(lambda: heard)
    bench.send("look-at", target=STOVE).result()

    def news() -> list[str]:
        return [busy_with for busy_with, _ in groupby(each.busy_with for each in heard)]

    bench.until(lambda: len(news()) >= 3)
    assert news() == ["", "LOOK_AT", ""]
    spoken = len(heard)
    bench.until(lambda: len(heard) >= spoken + 2)
    assert news() == ["", "LOOK_AT", ""]


def test_feedback_is_not_a_flood(bench: Any) -> None:
    goal = bench.send("navigate", goal=Pose.planar(1.6, 1.2, 0.0))
    assert goal.result().success
    stages = [told.stage for told in goal.feedback]
    assert "driving" in stages
    assert len(stages) < 30
