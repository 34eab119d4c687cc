"""Choices in error messages: quoted, in the given order, never empty text."""

from enum import StrEnum
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from openral_core.errors import format_choices


class Colour(StrEnum):
    """An enumeration whose text is its value."""

    RED = "red"


@pytest.mark.parametrize(
    ("values", "text"),
    [
        ((), "(none)"),
        (("head", "wrist"), "'head', 'wrist'"),
        ((Colour.RED, 3, Path("/a")), "'red', '3', '/a'"),
        (("",), "''"),
    ],
)
def test_choices_are_quoted_and_separated_by_commas(values: tuple[object, ...], text: str) -> None:
    assert format_choices(values) == text


@given(st.lists(st.from_regex(r"[a-z_]+", fullmatch=True), min_size=1))
def test_every_choice_appears_once_and_in_order(values: list[str]) -> None:
    assert [choice.strip("'") for choice in format_choices(iter(values)).split(", ")] == values
