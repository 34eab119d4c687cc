"""Traits that allocation and takeover read from a goal."""

import pytest

from openral_core.skills import Verb
from openral_fleet.goal_traits import traits_of


@pytest.mark.parametrize(
    ("goal", "repeatable"),
    [
        ("find the mug", True),
        ("explore the kitchen", True),
        ("tidy up", True),
        ("close the fridge", True),
        ("find the mug and then close the fridge", True),
        ("find the mug and then bring me the bowl", False),
        ("bring me the mug", False),
        ("pour water into the glass", False),
        ("if there is milk, bring it", False),
        ("press the button", False),
        ("flurb the grommet", False),
    ],
)
def test_only_what_does_no_harm_twice_is_repeatable(goal: str, repeatable: bool) -> None:
    assert traits_of(goal).repeatable is repeatable


@pytest.mark.parametrize(
    ("goal", "moved", "to"),
    [
        ("bring me the mug", "mug", "me"),
        ("put the mug on the table", "mug", "table"),
        ("bring me two mugs", "", ""),
        ("find the mug", "", ""),
    ],
)
def test_a_goal_that_moves_one_object_names_it_and_its_receiver(goal: str, moved: str, to: str) -> None:
    assert (traits_of(goal).moved, traits_of(goal).to) == (moved, to)


@pytest.mark.parametrize(
    ("goal", "verb", "needed"),
    [
        ("bring me the mug", Verb.GRASP, True),
        ("bring me a glass of water", Verb.POUR, True),
        ("find the mug", Verb.GRASP, False),
        ("if there is milk, bring it, otherwise find the juice", Verb.GRASP, False),
        ("when Anna comes, give her the keys", Verb.GRASP, True),
        ("turn on the lamp", Verb.SWITCH, True),
        ("press the button", Verb.PRESS, True),
    ],
)
def test_verbs_are_those_that_every_way_through_a_goal_needs(goal: str, verb: Verb, needed: bool) -> None:
    assert (verb in traits_of(goal).verbs) is needed
