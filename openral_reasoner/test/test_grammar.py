"""The goals in scope, in the words people use."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from openral_reasoner.planners.goals import Bring, BringFilled, Door, Find, Goal, GoTo, LookAt, NotUnderstood
from openral_reasoner.planners.grammar import parse_goal
from openral_reasoner.planners.priors import load_priors


@pytest.mark.parametrize(
    ("words", "goal"),
    [
        ("bring me the baguette", Bring("baguette")),
        ("Could you please bring me a red mug?", Bring("red mug")),
        ("fetch the milk", Bring("milk")),
        ("give me my keys, please", Bring("keys")),
        ("bring the book to Ana", Bring("book", "Ana")),
        ("take the mug to the kitchen table", Bring("mug", "kitchen table")),
        ("put the mug on the table", Bring("mug", "table")),
        ("hand me the bottle of wine", Bring("bottle of wine")),
        ("bring me a cup of wine", BringFilled("cup", "wine")),
        ("I would like a glass of milk", BringFilled("glass", "milk")),
        ("find the mug", Find("mug")),
        ("where are my keys?", Find("keys")),
        ("go to the kitchen", GoTo("kitchen")),
        ("come to me", GoTo("me")),
        ("look at the table", LookAt("table")),
        ("open the fridge", Door("fridge", True)),
        ("shut the cabinet", Door("cabinet", False)),
        ("do a backflip", NotUnderstood("do a backflip")),
    ],
)
def test_words_become_goals(words: str, goal: Goal) -> None:
    assert parse_goal(words) == goal


@given(st.text(max_size=80))
def test_any_words_parse(words: str) -> None:
    assert parse_goal(words) == parse_goal(words)


@given(st.text(max_size=40))
def test_every_thing_has_likely_places(words: str) -> None:
    places = load_priors().likely_places(words)
    assert 0 < len(places) <= 12


def test_the_head_noun_decides_where_to_look() -> None:
    assert load_priors().likely_places("cold wine")[0] == "fridge"
    assert load_priors().likely_places("wine glass")[0] == "cabinet"


def test_wine_is_served_in_a_glass_and_milk_in_what_was_named() -> None:
    assert load_priors().vessel_for("cup", "red wine") == "glass"
    assert load_priors().vessel_for("mug", "milk") == "mug"
