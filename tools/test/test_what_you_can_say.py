"""The page of example sentences is what its generator writes, has every intent, and is understood."""

from collections import Counter

import pytest
from what_you_can_say import PAGE, examples, load_content, load_templates, page

from openral_reasoner.request.goals import is_understood
from openral_reasoner.request.saying import in_words
from openral_reasoner.sentences import read_sentence
from openral_reasoner.sentences.languages import ENGLISH, OTHERS

pytestmark = pytest.mark.xdist_group("what you can say")  # its sentences are read once
AGAIN = "write it again: tools/env python tools/what_you_can_say.py"
TABLES = (section.splitlines()[4:] for section in PAGE.read_text(encoding="utf-8").split("\n## ")[1:])
IN_ENGLISH, IN_OTHERS = (
    [[cell.strip() for cell in line.split("|")[2:-1]] for line in table if line.startswith("| ")]
    for table in TABLES
)
"""Rows of both tables, without their heads and first columns."""
SENTENCES = [
    *(row[0] for row in IN_ENGLISH),
    *(sentence for row in IN_OTHERS for cell in row for sentence in cell.split("<br>") if sentence),
]


def test_the_page_is_what_the_templates_say() -> None:
    assert PAGE.read_text(encoding="utf-8") == page(), AGAIN


def test_every_intent_of_every_language_is_on_the_page() -> None:
    assert tuple(load_content().languages) == (ENGLISH, *OTHERS)
    missing = {
        (code, intent)
        for code in load_content().languages
        for intent in load_templates(code).intents
        if not any(example.sentence in SENTENCES for example in examples(code).get(intent, ()))
    }
    assert not missing


def test_no_words_of_an_example_are_left_out() -> None:
    left_out = {
        (code, intent)
        for code, spoken in load_content().languages.items()
        for intent, each_words in spoken.examples.items()
        if len(examples(code)[intent]) < len(each_words)
    }
    assert not left_out, "no template with exactly these slots is understood with these words"


def test_every_sentence_on_the_page_is_understood() -> None:
    assert len(SENTENCES) > len(IN_ENGLISH) > 0
    assert [sentence for sentence in SENTENCES if not is_understood(read_sentence(sentence))] == []


def test_every_english_sentence_is_understood_as_the_page_says() -> None:
    repeated = {sentence: in_words(read_sentence(sentence)) for sentence, _ in IN_ENGLISH}
    wrong = [sentence for sentence, words in IN_ENGLISH if (words or sentence) != repeated[sentence]]
    assert wrong == []


def test_no_sentence_is_printed_twice() -> None:
    assert [sentence for sentence, count in Counter(SENTENCES).items() if count > 1] == []


def test_every_intent_is_in_one_group() -> None:
    grouped = Counter(intent for group in load_content().groups for intent in group.intents)
    assert set(grouped) == {
        intent for code in load_content().languages for intent in load_templates(code).intents
    }
    assert set(grouped.values()) == {1}
