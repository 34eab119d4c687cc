"""Replay of recordings: texts for readers may be ignored."""

import json

from hypothesis import given
from hypothesis import strategies as st

from openral_reasoner.replay import WORDS, without_texts

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
