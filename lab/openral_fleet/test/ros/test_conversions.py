"""Messages become events, and records a table."""

import pytest

pytest.importorskip("openral_msgs")
from openral_core.geometry import Pose
from openral_core.missions import MissionState, PromptOutcome
from openral_core.spatial_memory import NodeKind, Presence, Relation, SceneEdge, SceneGraph, SceneNode
from openral_fleet.errands import parse_errands
from openral_fleet.records import ErrandState, FleetState
from openral_fleet.ros.conversions import (
    acting_call,
    errands_message,
    known_objects,
    mission_reported,
    prompt_answered,
)
from openral_msgs.msg import Budget, MissionStatus, PromptReceipt, ToolCallRecord
from openral_reasoner_ros.mission_client import SHUTTING_DOWN


def test_a_status_carries_its_skills_and_the_rest_of_its_time() -> None:
    calls = [
        ToolCallRecord(tool="recall_object", status="FOUND"),
        ToolCallRecord(tool="execute_rskill", arguments_json='{"rskill_id": "look-at"}', status="SUCCEEDED"),
    ]
    budget = [Budget(name="skills", used=1.0, limit=9.0), Budget(name="seconds", used=60.0, limit=900.0)]
    message = MissionStatus(state=MissionStatus.STATE_ACTIVE, prompt_id="p", calls=calls, budget=budget)
    event = mission_reported("/r1", message)
    assert (event.state, event.seconds_left, event.shutting_down) == (MissionState.ACTIVE, 840.0, False)
    assert [(call.verb, call.status) for call in event.calls] == [("LOOK_AT", "SUCCEEDED")]


def test_a_state_of_a_newer_peer_is_not_an_end() -> None:
    assert mission_reported("/r1", MissionStatus(state=99)).state is MissionState.ACTIVE
    assert prompt_answered("/r1", PromptReceipt(outcome=99)).outcome is PromptOutcome.REFUSED


def test_a_mission_that_its_reasoner_ended_with_itself_was_not_cancelled_by_a_person() -> None:
    message = MissionStatus(state=MissionStatus.STATE_CANCELLED, reason=f"{SHUTTING_DOWN}; unconfirmed")
    assert mission_reported("/r1", message).shutting_down


@pytest.mark.parametrize("arguments", ["", "[1]", "{", '{"rskill_id": 3}', "[" * 100_000])
def test_a_call_that_cannot_be_read_counts_as_acting(arguments: str) -> None:
    verb = acting_call(ToolCallRecord(tool="execute_rskill", arguments_json=arguments)).verb
    assert verb in ("", "3")


def test_an_object_has_the_names_of_its_place_and_room() -> None:
    at = Pose((1.0, 2.0, 0.5))
    nodes = (
        SceneNode("kitchen", NodeKind.ROOM, "kitchen", at),
        SceneNode("counter_1", NodeKind.PLACE, "kitchen counter", at, aliases=("worktop",)),
        SceneNode("mug_1", NodeKind.OBJECT, "mug", at, last_seen=7.0),
        SceneNode("bowl_1", NodeKind.OBJECT, "bowl", at, presence=Presence.GONE),
    )
    edges = (
        SceneEdge("mug_1", Relation.IN_ROOM, "kitchen"),
        SceneEdge("mug_1", Relation.AT_PLACE, "counter_1"),
    )
    (mug,) = known_objects(SceneGraph(nodes, edges))
    assert mug.places == ("counter_1", "kitchen counter", "worktop", "kitchen")
    assert (mug.label, mug.x, mug.y, mug.last_seen) == ("mug", 1.0, 2.0, 7.0)


def test_the_table_has_one_status_for_each_errand() -> None:
    state = FleetState.of("run", parse_errands({"errands": ["find the mug", "find the bowl"]}).errands, 0.0)
    record = state.records[0].having(state=ErrandState.FAILED, reason="no robot can do it")
    table = errands_message(state.with_record(record).records)
    assert [(each.name, each.message) for each in table.status] == [("e1", "failed"), ("e2", "queued")]
    assert {each.key: each.value for each in table.status[0].values} == {
        "goal": "find the mug",
        "reason": "no robot can do it",
        "missions": "0",
    }
