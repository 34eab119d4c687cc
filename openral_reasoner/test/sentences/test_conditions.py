"""Conditions in their usual orders."""

import pytest

from openral_reasoner.sentences import read_sentence
from openral_testing.reasoner.goal_meanings import canonical, describe

ONE = "if(find(milk, in=fridge), bring(milk))"
TWO = "if(find(cola), bring(cola), bring(water))"


@pytest.mark.parametrize(
    ("words", "meaning"),
    [
        ("if there is milk in the fridge bring it", ONE),
        ("bring me the milk if there is any in the fridge", ONE),
        ("check if there is milk in the fridge and if so bring it to me", ONE),
        ("look in the fridge, if there's milk bring it to me", ONE),
        ("is there milk in the fridge? If yes, I want it.", ONE),
        ("bring me a cola, or water if there isn't any", TWO),
        ("cola please. No cola? Then water.", TWO),
        ("bring me cola, otherwise water", TWO),
        ("give Anna the keys when she comes", "wait(Anna, bring(keys, to=Anna))"),
    ],
)
def test_conditions_are_understood(words: str, meaning: str) -> None:
    assert canonical(describe(read_sentence(words))) == canonical(meaning)


@pytest.mark.parametrize(
    "words",
    [
        "if you can find cola I'll have that, if not bring me water",
        "if it rains bring the mug",
        "bring the mug if you like me",
        "if not, bring it",
    ],
)
def test_other_conditions_are_asked_back(words: str) -> None:
    assert describe(read_sentence(words)) == "ask()"
