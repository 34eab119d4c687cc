"""Replay of recordings: texts for readers may be ignored."""

import json

from hypothesis import given
from hypothesis import strategies as st

from openral_reasoner.core.mission_core import Core
from openral_reasoner.events import Event, PromptReceived, Resumed, ResumptionFailed
from openral_reasoner.idle_state import IdleState
from openral_reasoner.recording import RecordedEvent
from openral_reasoner.settings import MissionSettings
from openral_testing.recordings.lives import Life
from openral_testing.recordings.replay import WORDS, stories, without_texts

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=8),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from(["text", "report", "reason", "x"]), inner, max_size=3)
    ),
)


def test_a_text_is_replaced_and_what_decides_is_kept() -> None:
    prompt = {"text": "here is your mug", "in_reply_to": "p1"}
    assert without_texts("publish_prompt", prompt) == {"text": WORDS, "in_reply_to": "p1"}


def test_an_empty_text_and_the_length_of_a_list_remain_a_difference() -> None:
    question = {"question": {"question": "", "tried": ["table", "shelf"], "choices": ["yes"]}}
    replaced = without_texts("publish_handoff", question)
    assert replaced == {"question": {"question": "", "tried": [WORDS, WORDS], "choices": ["yes"]}}


def test_texts_inside_a_field_of_json_are_replaced() -> None:
    arguments = json.dumps({"question": "which mug?", "camera": "head"})
    report = {"report": {"calls": [{"arguments": arguments}, {"arguments": ""}]}}
    assert without_texts("publish_status", report) == {
        "report": {"calls": [{"arguments": {"question": WORDS, "camera": "head"}}, {"arguments": ""}]}
    }


@given(st.dictionaries(st.sampled_from(["text", "report", "reason", "x"]), JSON, max_size=3))
def test_replacing_twice_changes_no_more_than_replacing_once(content: dict[str, object]) -> None:
    once = without_texts("publish_prompt", content)
    assert without_texts("publish_prompt", once) == once


@given(JSON)
def test_a_command_without_texts_is_left_as_it_is(content: object) -> None:
    assert without_texts("send_skill.goal.params", content) == content


GOAL = PromptReceived(id="p", text="find the mug")


def life(*events: tuple[float, Event], restored: int = 0, interrupted: bool = False) -> Life:
    """Return what a core records that gets these events."""
    settings = MissionSettings()
    core = Core(settings)
    steps = [RecordedEvent(now, event, core.handle(event, now)) for now, event in events]
    return Life(settings, steps, restored=restored, idle=IdleState(), interrupted=interrupted)


def test_a_mission_over_several_deaths_is_told_on_one_clock() -> None:
    first = life((100.0, GOAL))
    second = life((100.0, GOAL), (112.0, Resumed(down=9.0, answer="continue")), restored=1)
    third = life(
        (100.0, GOAL),
        (112.0, Resumed(down=9.0)),
        (130.0, ResumptionFailed(reason="it did not get any further")),
        restored=2,
    )
    story = list(stories([first, second, third]))
    back = "the reasoner is back after 9 s; the operator was asked and says 'continue'; the mission goes on"
    assert f"   12.0 s  {back}" in story
    assert any(line.startswith("   30.0 s  the mission ends, handed over") for line in story)
    cuts = [line for line in story if "the reasoner stopped during this mission" in line]
    assert [cut.partition("and ")[2] for cut in cuts] == [
        "the mission was resumed",
        "the mission was not resumed",
    ]


def test_the_clock_of_a_story_begins_anew_after_a_restart_without_a_mission() -> None:
    story = list(stories([life((100.0, GOAL)), life((500.0, GOAL))]))
    assert sum(line.startswith("    0.0 s  the operator says") for line in story) == 2
