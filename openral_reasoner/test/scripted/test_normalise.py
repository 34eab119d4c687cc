"""Fillers and spelling."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from openral_reasoner.scripted.normalise import (
    clean,
    correct_doubling,
    correct_spelling,
    imperative,
)
from openral_reasoner.scripted.politeness import bare


@pytest.mark.parametrize(
    ("words", "correct"),
    [
        ("brign the mug", "bring the mug"),
        ("opne it", "open it"),
        ("grbl it", "grbl it"),
        ("clean the table", "clean the table"),
        ("paint it", "paint it"),
    ],
)
def test_only_misspelt_verbs_are_corrected(words: str, correct: str) -> None:
    assert correct_spelling(words) == correct


def test_participles_become_imperatives() -> None:
    assert imperative("putting it away") == "put it away"
    assert imperative("you have found it") == "find it"


@given(st.text(max_size=200))
def test_normalising_any_text_adds_little(text: str) -> None:
    once = bare(clean(text))
    assert len(once) <= 3 * len(text) + 40


@pytest.mark.parametrize(
    ("word", "meant"),
    [("botle", "bottle"), ("windowsil", "windowsill"), ("mousse", "mousse"), ("later", "later")],
)
def test_a_letter_that_should_be_single_or_double_is_corrected_in_household_nouns(
    word: str, meant: str
) -> None:
    assert correct_doubling(word) == meant
