"""Corrections, exclusions, clefts, passives and fronted places."""

import pytest

from openral_reasoner.scripted.rewriting import as_imperative, corrected


@pytest.mark.parametrize(
    ("words", "plainly"),
    [
        ("bring me the mug, no, the glass", "bring me the glass"),
        ("bring me the mug, I mean the glass", "bring me the glass"),
        ("put the mug on the table, sorry, on the shelf", "put the mug on the shelf"),
        ("bring me the mug, no wait, open the window", "open the window"),
        ("bring me the blue cup, not the red one", "bring me the blue cup"),
        ("bring me the glass instead of the mug", "bring me the glass"),
        ("not the mug, the glass please", "the glass please"),
        ("what I need is the mug", "I need the mug"),
        ("get two spoons out the drawer", "get two spoons out of the drawer"),
        ("there's a hammer in the garage that I need", "there's a hammer in the garage. I need it"),
        ("bring me a mug but not the red one", "bring me a mug but not the red one"),
        ("put the mug and the cup there, no, the glass", "put the mug and the cup there, no, the glass"),
    ],
)
def test_corrections_are_applied_where_they_are_clear(words: str, plainly: str) -> None:
    assert corrected(words) == plainly


@pytest.mark.parametrize(
    ("words", "imperative"),
    [
        ("I'd like the window opened", "open the window"),
        ("could the window be closed", "close the window"),
        ("the lamp can be turned off", "turn the lamp off"),
        ("have the mug placed on the table", "place the mug on the table"),
        ("make sure the mug goes on the table", "put the mug on the table"),
        ("make sure the lights are off", "turn off the lights"),
        ("get the fan going", "turn on the fan"),
        ("make sure Anna gets the book", "bring the book to Anna"),
        ("on the table put the mug", "put the mug on the table"),
        ("we have the heater on", ""),
        ("the mug", ""),
    ],
)
def test_passives_and_fronted_places_become_imperatives(words: str, imperative: str) -> None:
    assert as_imperative(words) == imperative
