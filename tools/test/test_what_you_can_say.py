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
ROWS = [
    tuple(cell.strip() for cell in line.strip("|").split("|"))
    for line in PAGE.read_text(encoding="utf-8").splitlines()
    if line.startswith("| ") and line != "| say | understood |"
]


def test_the_page_is_what_the_templates_say() -> None:
    assert PAGE.read_text(encoding="utf-8") == page(), AGAIN


def test_every_intent_of_every_language_is_on_the_page() -> None:
    assert tuple(load_content().languages) == (ENGLISH, *OTHERS)
    printed = {said for said, _ in ROWS}
    missing = {
        (code, intent)
        for code in load_content().languages
        for intent in load_templates(code).intents
        if not any(example.said in printed for example in examples(code).get(intent, ()))
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


def test_every_sentence_on_the_page_is_understood_as_it_says() -> None:
    read = {said: read_sentence(said) for said, _ in ROWS}
    wrong = {
        said: understood
        for said, understood in ROWS
        if not is_understood(read[said]) or in_words(read[said]) != understood
    }
    assert ROWS
    assert not wrong


def test_no_sentence_is_printed_twice() -> None:
    assert [said for said, count in Counter(said for said, _ in ROWS).items() if count > 1] == []


def test_every_intent_is_in_one_group() -> None:
    grouped = Counter(intent for group in load_content().groups for intent in group.intents)
    assert set(grouped) == {
        intent for code in load_content().languages for intent in load_templates(code).intents
    }
    assert set(grouped.values()) == {1}
