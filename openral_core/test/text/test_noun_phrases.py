"""Noun phrases: normalised words, singular forms and parsed phrases."""

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from openral_core.text import Phrase
from openral_core.text.noun_phrases import UnreadableText, parse_phrase, singulars, words_of


@pytest.mark.parametrize(
    ("plural", "singular"),
    [
        ("mugs", "mug"),
        ("glasses", "glass"),
        ("glass", "glass"),
        ("knives", "knife"),
        ("cherries", "cherry"),
        ("cookies", "cookie"),
        ("tomatoes", "tomato"),
        ("shoes", "shoe"),
        ("dishes", "dish"),
        ("bus", "bus"),
        ("tennis", "tennis"),
        ("people", "person"),
    ],
)
def test_offers_the_singular(plural: str, singular: str) -> None:
    assert singular in singulars(plural)


def test_removes_case_accents_and_punctuation() -> None:
    assert words_of("  Café-Crème, the CAT's\tbowl ") == ("cafe", "creme", "the", "cat", "bowl")


def test_keeps_other_scripts() -> None:
    assert words_of("苹果 кружка") == ("苹果", "кружка")


@given(st.text(max_size=40))
def test_normalising_twice_changes_nothing(text: str) -> None:
    assume(any(character.isalnum() for character in text))
    try:
        words = words_of(text)
    except UnreadableText:
        return
    assert words_of(" ".join(words)[:200]) == words or len(" ".join(words)) > 200


@pytest.mark.parametrize("text", ["mug\x1b[2J", "\x00mug", "mug\x7f", "mug\x9b31m"])
def test_text_that_would_steer_a_terminal_is_refused(text: str) -> None:
    with pytest.raises(UnreadableText, match="no control character"):
        words_of(text)


def test_white_space_of_any_kind_parts_words() -> None:
    assert words_of("red\tmug\n") == ("red", "mug")


KNOWN = {"mug", "wine glass", "glass", "cup", "remote control"}


@pytest.mark.parametrize(
    ("text", "phrase"),
    [
        ("the red mug", Phrase("mug", ("red",))),
        ("Wine Glasses", Phrase("wine glass")),
        ("a tall wine glass", Phrase("wine glass", ("tall",))),
        ("a cup of white wine", Phrase("cup", (), Phrase("wine", ("white",)))),
        ("the mug on the dining table", Phrase("mug", where="on dining table")),
        ("my grandmother's teapot", Phrase("teapot", ("grandmother",))),
        ("tv remote control", Phrase("remote control", ("tv",))),
    ],
)
def test_takes_phrases_apart(text: str, phrase: Phrase) -> None:
    assert parse_phrase(text, KNOWN.__contains__) == phrase


def test_says_the_phrase_again() -> None:
    assert parse_phrase("a big cup of the white wine", KNOWN.__contains__).text == "big cup of white wine"
