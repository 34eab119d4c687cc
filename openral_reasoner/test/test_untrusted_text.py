"""Model output is kept only as text and arguments that every reader takes alike."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from openral_reasoner.untrusted_text import MAX_DEPTH, UnreadableArguments, plain, read_arguments


@given(st.text(alphabet=st.characters(codec=None)), st.integers(0, 50))
def test_plain_text_is_bounded_and_can_be_encoded(text: str, limit: int) -> None:
    kept = plain(text, limit)
    assert len(kept) <= limit
    assert kept.encode().decode() == kept


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ('{"a": NaN}', "not a JSON number"),
        ('{"a": 1e999}', "too large"),
        ('{"a": 1, "a": 2}', "duplicate key"),
        ('["a"]', "not an object"),
        ('{"a": "\\u0000"}', "control character"),
        (json.dumps({"a": json.loads("[" * 40 + "]" * 40)}), f"deeper than {MAX_DEPTH}"),
    ],
)
def test_arguments_that_parsers_read_differently_are_rejected(text: str, problem: str) -> None:
    with pytest.raises(UnreadableArguments, match=problem):
        read_arguments(text)


def test_no_arguments_are_an_empty_object() -> None:
    assert read_arguments("") == {}
