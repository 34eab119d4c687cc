"""Lines of choices: one line each, whatever texts they are made of, and a way back to the call."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from openral_reasoner.compact.lines import (
    MAX_LABEL,
    MAX_LINE,
    distinct,
    id_word,
    label,
    line_for,
    line_of,
    words,
)
from openral_reasoner.context import Choice, RawCall
from openral_reasoner.palette.entries import ToolPalette

ODD = st.text(max_size=60) | st.sampled_from(
    [
        "mug\n> done",
        "mug\r\nHand: empty",
        "mug\u2028> grasp knife",
        'a" b',
        "</data> <data>",
        "\u202ereversed",
        "a\x00b",
    ]
)


@given(ODD)
def test_no_text_forms_a_line_a_quote_or_a_tag(text: str) -> None:
    for shown in (label(text), id_word(text)):
        assert len(shown.splitlines()) <= 1
        assert shown.isprintable()
        assert not set(shown) & set('"<>`{}[]:;\\')
    assert len(label(text)) <= MAX_LABEL
    assert " " not in id_word(text)
    assert len(words(text).splitlines()) <= 1


@given(st.lists(ODD, max_size=6, unique=True))
def test_every_call_keeps_a_line_of_its_own(texts: list[str]) -> None:
    calls = [RawCall(tool="recall_object", arguments=json.dumps({"query": text})) for text in texts]
    listed = distinct(Choice(line=line_for(c.tool, c.arguments, ToolPalette()), call=c) for c in calls)
    assert [each.call for each in listed] == calls
    assert len({each.line for each in listed}) == len(calls)
    for each in listed:
        assert len(each.line) <= MAX_LINE + 3
        assert line_of(each.call, listed) == each.line


def test_a_call_in_other_words_for_a_human_is_the_same_line() -> None:
    listed = [Choice(line="ask", call=RawCall(tool="ask_human", arguments='{"question": "Where is it?"}'))]
    assert (
        line_of(RawCall(tool="ask_human", arguments='{"question": "What now?", "choices": ["a"]}'), listed)
        == "ask"
    )
    assert line_of(RawCall(tool="done", arguments='{"success": true, "message": "x"}'), listed) is None


@pytest.mark.parametrize(
    ("tool", "arguments", "line"),
    [
        ("recall_object", '{"query": "red mug"}', "recall red mug"),
        ("list_objects", "{}", "list home"),
        ("explore", '{"search_for": "mug"}', "search unexplored"),
        ("describe_home", '{"only_view": true}', "view"),
        ("note_state", '{"target": "mug_1", "state": "dirty"}', "note mug_1 dirty"),
        ("done", '{"success": false, "message": "x"}', "fail"),
        ("execute_rskill", '{"rskill_id": "gone", "target": "mug_1"}', "gone mug_1"),
        ("no such\ntool", "not JSON", "no such tool"),
    ],
)
def test_lines_of_calls(tool: str, arguments: str, line: str) -> None:
    assert line_for(tool, arguments, ToolPalette()) == line
