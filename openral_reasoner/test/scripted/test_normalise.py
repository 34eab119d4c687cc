"""Politeness, fillers, spelling, and remarks."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from openral_reasoner.scripted.normalise import (
    bare,
    clean,
    correct_doubling,
    correct_spelling,
    imperative,
    is_remark,
    person_in,
)


@pytest.mark.parametrize(
    "words",
    [
        "Would you mind bringing the mug?",
        "hey robot, could you please bring the mug, dear?",
        "do me a favour and bring the mug will ya",
        "I was wondering if you could bring the mug",
        "be so kind as to bring the mug, thanks a lot",
        "um, oh, bring the mug, if you don't mind",
    ],
)
def test_politeness_is_stripped(words: str) -> None:
    assert bare(clean(words)) == "bring the mug"


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


@pytest.mark.parametrize(
    "words", ["I'm making fruit salad", "it's stuffy", "guests are coming", "what a mess", "yuck"]
)
def test_reasons_are_remarks(words: str) -> None:
    assert is_remark(words)


@pytest.mark.parametrize(
    "words", ["I don't want it", "it's not that one", "I changed my mind", "bring the mug", "I need a mug"]
)
def test_what_may_change_the_meaning_is_no_remark(words: str) -> None:
    assert not is_remark(words)


def test_a_remark_names_its_person() -> None:
    assert person_in("Anna is cold") == "Anna"
    assert person_in("it's cold") == ""


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
