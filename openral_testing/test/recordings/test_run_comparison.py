"""Two runs beside each other: the first difference of decisions or outcomes, and the ends."""

import json

import pytest

from openral_core.missions import MissionState
from openral_reasoner.commands import CallRecord, EndMission, MissionReport, PublishStatus
from openral_reasoner.events import Cancelled, PromptReceived
from openral_reasoner.recording import RecordedEvent
from openral_reasoner.settings import MissionSettings
from openral_testing.recordings.lives import Life
from openral_testing.recordings.run_comparison import RunStory, compare_runs, comparison_lines, story_of

GRASPED = ("execute_rskill", {"step": "GRASP mug"}, "SUCCEEDED", "holding the mug")
BLOCKED = ("execute_rskill", {"step": "GRASP mug"}, "BLOCKED", "the door is in the way")
RECALLED = ("recall_object", {"query": "mug"}, "FOUND", "")
LOOKED = ("locate_in_view", {"query": "mug", "detector": "eye"}, "FOUND", "")
NOTHING = Cancelled(reason="")
Call = tuple[str, dict[str, str], str, str]


def run(*calls: Call, reason: str, begun: float = 100.0) -> Life:
    """A recording in which each call is first pending and ends a second later; each took two seconds."""
    steps = [RecordedEvent(begun, PromptReceived(id="p", text="find the mug"), ())]
    records: list[CallRecord] = []
    for index, (tool, arguments, status, message) in enumerate(calls):
        begin = begun + 1.0 + 2.0 * index
        pending = CallRecord(index=index, tool=tool, arguments=json.dumps(arguments))
        steps.append(RecordedEvent(begin, NOTHING, (status_of(*records, pending),)))
        records.append(pending.model_copy(update={"status": status, "message": message}))
        steps.append(RecordedEvent(begin + 1.0, NOTHING, (status_of(*records),)))
    state = MissionState.SUCCEEDED if reason == "done" else MissionState.FAILED
    ended = EndMission(mission_id="m", state=state, reason=reason)
    steps.append(RecordedEvent(begun + 20.0, NOTHING, (status_of(*records), ended)))
    return Life(MissionSettings(), steps)


def status_of(*records: CallRecord) -> PublishStatus:
    return PublishStatus(report=MissionReport(mission_id="m", goal="find the mug", calls=tuple(records)))


def story(*calls: Call, reason: str = "done", begun: float = 100.0) -> RunStory:
    return story_of([run(*calls, reason=reason, begun=begun)])


def test_a_story_has_each_decision_once_with_its_outcome() -> None:
    found = story(RECALLED, GRASPED)
    assert [moment.words() for moment in found.moments] == [
        "asked memory for 'mug': found",
        "GRASP mug: succeeded (holding the mug)",
        "the mission ends: succeeded (done)",
    ]
    assert [found.clock(moment) for moment in found.moments] == [1.0, 3.0, 20.0]


def test_runs_that_go_alike_have_no_difference_whenever_they_began() -> None:
    compared = compare_runs(story(RECALLED, GRASPED), story(RECALLED, GRASPED, begun=5000.0))
    assert not compared.divergences
    assert list(comparison_lines(compared)) == [
        "3 of 3 decisions have the same outcome in both runs",
        "no difference",
    ]


def test_another_outcome_of_the_same_decision_is_the_first_difference() -> None:
    compared = compare_runs(story(RECALLED, BLOCKED, reason="blocked"), story(RECALLED, GRASPED))
    assert list(comparison_lines(compared, "bad", "good")) == [
        "1 of 3 decisions have the same outcome in both runs",
        "first difference: the same decision, another outcome",
        "      3.0 s  bad: GRASP mug: blocked (the door is in the way)",
        "     20.0 s  bad: the mission ends: failed (blocked)",
        "      3.0 s  good: GRASP mug: succeeded (holding the mug)",
        "     20.0 s  good: the mission ends: succeeded (done)",
    ]


@pytest.mark.parametrize(
    ("first", "second", "kind"),
    [
        ((RECALLED, LOOKED, GRASPED), (RECALLED, GRASPED), "decisions of one run alone"),
        ((RECALLED, LOOKED, GRASPED), (RECALLED, RECALLED, GRASPED), "other decisions"),
    ],
)
def test_other_decisions_are_told_and_what_follows_is_aligned_again(
    first: tuple[Call, ...], second: tuple[Call, ...], kind: str
) -> None:
    compared = compare_runs(story(*first), story(*second))
    (part,) = compared.divergences
    assert [moment.decision for moment in part.first] == ["eye looked for 'mug'"]
    assert f"first difference: {kind}" in list(comparison_lines(compared))


def test_a_difference_of_the_other_run_alone_begins_where_this_one_goes_on() -> None:
    (part,) = compare_runs(story(RECALLED, GRASPED), story(RECALLED, LOOKED, GRASPED)).divergences
    assert (part.first, part.begun) == ((), 103.0)  # at the grasp, three seconds after the goal


def test_of_a_long_difference_the_beginning_and_the_end_are_shown() -> None:
    compared = compare_runs(story(*[LOOKED] * 10, reason="gave up"), story(GRASPED))
    lines = list(comparison_lines(compared, "bad", "good"))
    assert sum("bad: " in line for line in lines) == 8
    assert "             bad: 4 more decisions" in lines
    assert "bad: the mission ends: failed (gave up)" in lines[9]
