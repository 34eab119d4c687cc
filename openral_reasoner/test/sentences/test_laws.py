"""Laws: no text raises, courtesy changes nothing, names are words of the text, the work is bounded."""

import re
from dataclasses import fields
from pathlib import Path
from unittest.mock import patch

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from openral_reasoner.request.goals import NotUnderstood, Request, parts_of
from openral_reasoner.sentences import read_sentence
from openral_reasoner.sentences.clauses import MAX_READINGS
from openral_reasoner.sentences.language import load_language
from openral_reasoner.sentences.languages import ENGLISH, OTHERS
from openral_reasoner.sentences.templates import Templates
from openral_testing.reasoner.goal_meanings import Reading, describe, load_paraphrases

HERE = Path(__file__).parent
SETS = [
    each
    for file in (HERE / "spoken_goals.yaml", HERE / "third_spoken_goals.yaml")
    for each in load_paraphrases(file)
]
READ = [each for each in SETS if each.kind != "ask" and each.read()[0] is Reading.RIGHT]
WORDS = sorted({word for each in SETS for word in each.text.split()})
NO_NAMES = ("me", "breakfast", "dinner", "lunch", "supper", "table")
"""Slots that are filled without a word of the text."""


def names(request: Request) -> list[str]:
    """Return the words of the names in a goal."""
    slots = ("what", "to", "where", "vessel", "contents", "first", "second", "who")
    return [
        str(getattr(part, slot))
        for part in parts_of(request)
        for slot in slots
        if slot in {each.name for each in fields(part)} and getattr(part, slot)
    ]


@given(st.lists(st.sampled_from(WORDS), max_size=40).map(" ".join) | st.text(max_size=300))
@settings(deadline=None)
def test_every_text_is_read_or_asked_about(text: str) -> None:
    assert describe(read_sentence(text))


@given(
    st.sampled_from(READ), st.sampled_from(["please {}", "{} please", "could you please {}", "{}!", "um, {}"])
)
@settings(deadline=None)
def test_courtesy_changes_nothing_of_an_imperative(paraphrase: object, courtesy: str) -> None:
    text = paraphrase.text.strip(" .!?")
    first = text.split()[0].lower()
    if first not in load_language(ENGLISH).words.request_verbs or not text[1:].islower():
        return
    polite = read_sentence(courtesy.format(text[0].lower() + text[1:]))
    assert isinstance(polite, NotUnderstood) or describe(polite) == describe(read_sentence(text))


@given(st.sampled_from(READ))
@settings(deadline=None)
def test_every_name_is_said_in_the_text(paraphrase: object) -> None:
    text = paraphrase.text
    said = set(re.findall(r"\w+", text.lower()))
    stems = {word.rstrip("s") for word in said} | {word[:3] for word in said}
    words = [word for name in names(read_sentence(text)) for word in re.findall(r"\w+", name.lower())]
    assert [w for w in words if w not in said | stems and w[:3] not in stems and w not in NO_NAMES] == []


@pytest.mark.parametrize(
    "text",
    [
        "bring me the mug, " * 15,
        "if there is " * 20,
        "put it on the " * 15,
        "a and b, " * 20,
        "the mug on the table in the kitchen and " * 6,
        "bring me the mug and then " * 10,
        "x" * 10_000,
        "," * 10_000,
    ],
)
def test_the_number_of_clauses_that_are_tried_is_bounded(text: str) -> None:
    calls = 0
    matches = Templates.matches

    def counted(self: Templates, clause: str, intents: object) -> object:
        nonlocal calls
        calls += 1
        return matches(self, clause, intents)  # type: ignore[arg-type]

    with patch.object(Templates, "matches", counted):
        read_sentence.__wrapped__(text)
    assert calls <= 2 * 4 * MAX_READINGS


@pytest.mark.parametrize("code", [ENGLISH, *OTHERS])
def test_templates_of_a_language_are_few_enough_for_a_translator(code: str) -> None:
    lines = (
        Path(load_language.__wrapped__.__code__.co_filename).parent / "templates" / f"{code}.yaml"
    ).read_text()
    assert len(lines.splitlines()) <= 1500


IMPERATIVES = [
    each.text.strip(" .!?")
    for each in READ
    if each.text.split()[0].lower() in load_language(ENGLISH).words.request_verbs
    and not re.search(r"[,.;:?]|\b(?:and|then|but|because|so)\b", each.text.strip(" .!?"))
]


@pytest.mark.parametrize(
    "no_order",
    [
        "do not {}",
        "I don't want you to {}",
        "you must not {}",
        "Tom said {}",
        "she told me to {}",
        "yesterday you {}",
        "what happens if you {}",
        "there is no need to {}",
        "imagine I told you to {}",
        "{} tomorrow",
        "{} in ten minutes",
        "should I {}",
    ],
)
def test_an_order_that_is_negated_reported_or_for_later_is_never_done(no_order: str) -> None:
    texts = [no_order.format(text[0].lower() + text[1:]) for text in IMPERATIVES[::12]]
    assert [text for text in texts if not isinstance(read_sentence(text), NotUnderstood)] == []
