"""Noun phrases: what can name an object or a place, numbers and stated places."""

import pytest

from openral_reasoner.scripted.noun_phrases import (
    counted,
    is_noun_phrase,
    is_object,
    is_place,
    listed,
    plain,
    singular,
    split_place,
)


@pytest.mark.parametrize(
    "words", ["red mug", "bottle of wine", "watering can", "can", "back door", "Anna's phone", "x" * 400]
)
def test_names_are_noun_phrases(words: str) -> None:
    assert is_noun_phrase(words)


@pytest.mark.parametrize(
    "words",
    [
        "it",
        "mug when Anna comes",
        "not the mug",
        "wash the mug",
        "mug, now",
        "everything",
        "plant swapped",
        "cupboard shut",
        "fifty coins",
        "in five",
        "",
    ],
)
def test_parts_of_sentences_are_no_names(words: str) -> None:
    assert not is_noun_phrase(words)


@pytest.mark.parametrize("words", ["advice", "door", "dog", "cup of"])
def test_what_no_robot_carries_is_no_object(words: str) -> None:
    assert not is_object(words)


def test_a_place_may_stand_in_another() -> None:
    assert is_place("table in the kitchen")
    assert not is_place("table on the shelf")


@pytest.mark.parametrize(
    ("words", "number", "what"),
    [("two mugs", 2, "mug"), ("12 eggs", 12, "egg"), ("a couple of knives", 2, "knife"), ("mug", 0, "mug")],
)
def test_numbers_are_read(words: str, number: int, what: str) -> None:
    assert counted(words) == (number, what)


@pytest.mark.parametrize(
    ("plural", "one"),
    [
        ("glasses", "glass"),
        ("cookies", "cookie"),
        ("cherries", "cherry"),
        ("leaves", "leaf"),
        ("cups of tea", "cup of tea"),
    ],
)
def test_plurals_become_singular(plural: str, one: str) -> None:
    assert singular(plural) == one


def test_lists_articles_and_places_are_taken_apart() -> None:
    assert listed("the mug, the spoon and also the bowl") == ("the mug", "the spoon", "the bowl")
    assert plain("some of the bread") == "bread"
    assert split_place("the milk that's in the fridge") == ("milk", "fridge")
