"""Working state of one mission."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from openral_core.geometry import Pose
from openral_core.spatial_memory import Presence, RecallMatch, ResolveResult, ResolveStatus
from openral_reasoner.budget import BudgetExhausted, SearchBudget
from openral_reasoner.commands import PublishStatus, SpanEnded, SpanStarted
from openral_reasoner.events import PromptReceived
from openral_reasoner.evidence import Gone, Node
from openral_reasoner.mission import Mission, at_once
from openral_reasoner.mission_objects import MissionObject
from openral_reasoner.palette.entries import ToolPalette
from openral_reasoner.settings import MissionSettings

MUG = MissionObject("mug_1", "mug", "object", None, words="red mug", place="table_1")
UNSPENT = SearchBudget()


def started(budget: SearchBudget = UNSPENT) -> Mission:
    settings = MissionSettings(budget=budget, default_requester="ana")
    return Mission("m1", PromptReceived(id="p1", text="bring me the mug"), settings, ToolPalette())


def test_a_prompt_without_a_requester_is_for_the_default_one(
    palette: ToolPalette, settings: MissionSettings
) -> None:
    named = PromptReceived(id="p1", text="bring me the mug", requester="ben")
    assert started().requester == "ana"
    assert Mission("m1", named, settings, palette).requester == "ben"


@given(st.lists(st.sampled_from(["recall", "locate"]), min_size=1, max_size=20))
def test_no_two_calls_share_an_id(kinds: list[str]) -> None:
    mission = started()
    ids = [mission.next_id(kind) for kind in kinds]
    assert len(set(ids)) == len(ids)


@given(st.floats(allow_nan=False), st.text(max_size=10))
def test_the_progress_shown_is_a_percentage_of_the_newest_stage(fraction: float, stage: str) -> None:
    mission = started()
    mission.say("GRASP mug")
    mission.progress("old", 0.5)
    mission.progress(stage, fraction)
    head, _, percent = mission.step.removesuffix(" %]").rpartition(" ")
    assert head == f"GRASP mug [{stage}"
    assert 0 <= int(percent) <= 100


def test_commands_are_drained_once() -> None:
    mission = started()
    mission.tell("hello")
    assert len(mission.drain()) == 1
    assert mission.drain() == ()


@pytest.mark.parametrize(
    ("budget", "tokens", "cost", "line"),
    [
        (SearchBudget(tokens=100), 101, 0.0, "tokens"),
        (SearchBudget(dollars=0.5), 1, 0.6, "dollars"),
        (SearchBudget(unpriced_calls=0), 1, None, "unpriced_calls"),
    ],
)
def test_a_decision_beyond_the_budget_names_the_line(
    budget: SearchBudget, tokens: int, cost: float | None, line: str
) -> None:
    with pytest.raises(BudgetExhausted) as caught:
        started(budget).charge_decision(tokens, cost)
    assert caught.value.line == line


def test_closing_a_span_interrupts_those_left_open_inside_it() -> None:
    mission = started()
    for span in ("a", "b", "c"):
        mission.open_span(span, span)
    mission.close_span("b", "DONE")
    mission.close_span("c", "DONE")
    mission.close_every_span("END")
    commands = mission.drain()
    assert [(c.span, c.parent) for c in commands if isinstance(c, SpanStarted)] == [
        ("a", ""),
        ("b", "a"),
        ("c", "b"),
    ]
    ended = [(c.span, c.status) for c in commands if isinstance(c, SpanEnded)]
    assert ended == [("c", "INTERRUPTED"), ("b", "DONE"), ("a", "END")]


def test_a_call_is_pending_until_it_is_finished() -> None:
    mission = started()
    mission.begin("c1", "recall_object", query="mug")
    mission.now = 2.0
    assert mission.calls.pending("recall_object") == ("c1",)
    mission.finish("c1", "FOUND", "remembered")
    assert mission.calls.pending("recall_object") == ()
    (record,) = mission.report().calls
    assert (record.status, record.message, record.duration) == ("FOUND", "remembered", 2.0)
    assert isinstance(mission.drain()[-1], PublishStatus)


def test_ending_all_calls_changes_only_those_that_are_pending() -> None:
    mission = started()
    mission.begin("c1", "recall_object")
    mission.finish("c1", "FOUND")
    mission.begin("c2", "locate_in_view")
    mission.calls.finish_all("CANCELLED")
    assert [record.status for record in mission.calls.records.values()] == ["FOUND", "CANCELLED"]


def test_a_disproved_object_counts_its_place_as_searched_once() -> None:
    mission = started()
    mission.learn(MUG)
    mission.disprove(MUG)
    mission.disprove(MUG)
    assert mission.objects["mug_1"].disproved
    assert mission.search.outcomes == ["table_1: NOT_IN_VIEW"]
    assert "table_1" in mission.search.episode("the red mug").visited
    assert Gone("mug_1") in mission.evidence.facts


def test_a_search_is_found_under_any_spelling_of_its_query_until_it_is_forgotten() -> None:
    mission = started()
    mission.search.store(mission.search.episode("the Mug").after_escalation())
    assert mission.search.episode("mug").escalated
    mission.search.drop(mission.search.episode("mug"))
    assert not mission.search.episode("mug").escalated


def test_nothing_is_news_before_the_first_decision() -> None:
    mission = started()
    assert not mission.has_decided
    mission.spend("model_calls")
    assert mission.has_decided


def test_a_value_at_once_waits_for_nothing() -> None:
    with pytest.raises(StopIteration) as ended:
        next(at_once(7))
    assert ended.value.value == 7


AT, BEFORE = Pose.planar(1.0, 2.0, 0.0), Pose.planar(0.4, 2.0, 0.0)


def match(presence: Presence = Presence.PRESENT) -> RecallMatch:
    return RecallMatch(
        "mug_1",
        "mug",
        0.9,
        AT,
        (0.1, 0.1, 0.1),
        "same label",
        viewpoint=BEFORE,
        place="shelf_1",
        containers=("cabinet_1",),
        must_open="cabinet_1",
        presence=presence,
    )


@pytest.mark.parametrize("presence", list(Presence))
def test_only_an_object_that_is_present_is_not_stale(presence: Presence) -> None:
    assert MissionObject.from_match(match(presence), "mug").stale is (presence is not Presence.PRESENT)


def test_the_summary_for_the_model_holds_no_pose() -> None:
    summary = MissionObject.from_match(match(), "mug").summary()
    assert (summary.id, summary.place, summary.must_open) == ("mug_1", "shelf_1", "cabinet_1")
    assert not {"pose", "standing", "size"} & set(summary.model_dump())


def test_evidence_records_the_place_and_the_containers() -> None:
    node = MissionObject.from_match(match(), "mug").node()
    assert node == Node("mug_1", "mug", "object", "", ("shelf_1", "cabinet_1"))


def test_a_resolved_place_keeps_its_pose_and_the_base_pose_before_it() -> None:
    result = ResolveResult(ResolveStatus.FOUND, "", BEFORE, AT, "place", "table_1")
    table = MissionObject.from_resolve(result, "table")
    assert (table.id, table.label, table.kind) == ("table_1", "table", "place")
    assert (table.pose, table.standing) == (AT, BEFORE)
