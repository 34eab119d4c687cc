"""Swaps, one for each person, rooms and appliances."""

import pytest

from openral_reasoner.request.goals import (
    BringEach,
    Clear,
    Describe,
    Press,
    Request,
    SetTable,
    Swap,
    Switch,
    Tidy,
)
from openral_reasoner.sentences import read_sentence


@pytest.mark.parametrize(
    ("words", "goal"),
    [
        ("swap the mug and the bowl around", Swap("mug", "bowl")),
        ("put the mug where the bowl is and the bowl where the mug is", Swap("mug", "bowl")),
        ("hand out a pencil to each person", BringEach("pencil")),
        ("cookies all round", BringEach("cookie")),
        ("clear the table", Clear("table")),
        ("put everything from the shelf in the box", Clear("shelf", "box")),
        ("tidy up in here", Tidy()),
        ("lay the table for four", SetTable(4)),
        ("set the breakfast table for two", SetTable(2, "breakfast")),
        ("lay the table", SetTable(0)),
        ("turn the lamp off", Switch("lamp", on=False)),
        ("turn off all the lights in the living room", Switch("light", False, "living room", every=True)),
        ("turn on both lamps", Switch("lamp", on=True, every=True)),
        ("what's in the kitchen", Describe("kitchen")),
        ("press the red button", Press("red button")),
    ],
)
def test_chores_are_read(words: str, goal: Request) -> None:
    assert read_sentence(words) == goal
