"""Noun phrases taken apart."""

import pytest

from openral_core.text import Phrase
from openral_core.text.noun_phrases import parse_phrase

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
