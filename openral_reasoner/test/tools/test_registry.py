"""Whatever a model writes is a checked call or is sent back."""

import json
from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from openral_reasoner.context import RawCall
from openral_reasoner.palette.entries import ToolPalette
from openral_reasoner.tools.base import InvalidCall
from openral_reasoner.tools.recall_object import RecallObjectTool
from openral_reasoner.tools.registry import MalformedCall, parse_call

OFFERED = ToolPalette(spatial_memory_available=True)
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(), st.lists, max_leaves=5
)


def test_a_good_call_is_its_tool() -> None:
    call = parse_call(RawCall(tool="recall_object", arguments='{"query": "mug"}'), OFFERED)
    assert call == RecallObjectTool(query="mug")


@given(
    st.text(max_size=20), st.one_of(st.text(max_size=60), st.dictionaries(st.text(), JSON).map(json.dumps))
)
def test_any_words_are_a_call_or_sent_back(tool: str, arguments: str) -> None:
    for name in (tool, "recall_object", "done"):
        with suppress(InvalidCall, MalformedCall):
            assert parse_call(RawCall(tool=name, arguments=arguments), OFFERED).tool == name


@pytest.mark.parametrize(
    "arguments",
    [
        "{",
        "[]",
        "null",
        '{"query": ""}',
        '{"query": "mug", "pose": [1, 2]}',
        '{"query": "\\ud800"}',
        "[" * 100_000,
    ],
)
def test_malformed_arguments_are_sent_back(arguments: str) -> None:
    with pytest.raises(MalformedCall, match="recall_object"):
        parse_call(RawCall(tool="recall_object", arguments=arguments), OFFERED)


def test_a_tool_that_is_not_offered_names_those_that_are() -> None:
    with pytest.raises(InvalidCall, match="'recall_object', 'resolve_place'") as refused:
        parse_call(RawCall(tool="locate_in_view", arguments='{"query": "mug"}'), OFFERED)
    assert "locate_in_view" not in refused.value.valid
