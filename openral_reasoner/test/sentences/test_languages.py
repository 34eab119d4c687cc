"""Goals in German, French and Spanish: sets written before the grammar, stops, and laws."""

from collections import Counter
from pathlib import Path

import pytest

from openral_core.parsing import parse_yaml
from openral_core.text.stop_words import contains_stop_word, is_stop_phrase
from openral_reasoner.request.goals import NotUnderstood
from openral_reasoner.sentences import read_sentence
from openral_reasoner.sentences.languages import (
    language_named,
    question_about,
    spoken_language,
)
from openral_testing.reasoner.goal_meanings import Reading, load_paraphrases

HERE = Path(__file__).parent
FOREIGN = {file.stem: load_paraphrases(file) for file in sorted((HERE / "languages").glob("*_*.yaml"))}
ENGLISH = [each for file in sorted(HERE.glob("*spoken_goals.yaml")) for each in load_paraphrases(file)]
STOPS = parse_yaml((HERE / "languages" / "stops.yaml").read_text(encoding="utf-8"))
assert isinstance(STOPS, dict)


@pytest.mark.parametrize("name", FOREIGN)
def test_goals_are_understood_or_asked_back(name: str) -> None:
    readings = {each.text: each.read() for each in FOREIGN[name]}
    assert {text: said for text, (reading, said) in readings.items() if reading is Reading.WRONG} == {}
    counts = Counter(reading for reading, _ in readings.values())
    assert counts[Reading.RIGHT] >= 0.95 * len(readings)


def test_english_goals_are_read_as_english() -> None:
    assert [each.text for each in ENGLISH if spoken_language(each.text) != "en"] == []


@pytest.mark.parametrize("language", STOPS)
def test_every_stop_stops_a_busy_robot(language: str) -> None:
    assert [text for text in STOPS[language] if not contains_stop_word(text)] == []


@pytest.mark.parametrize("name", FOREIGN)
def test_no_goal_of_an_idle_robot_is_a_stop(name: str) -> None:
    goals = [each for each in FOREIGN[name] if each.kind != "ask"]
    assert [each.text for each in goals if is_stop_phrase(each.text)] == []


@pytest.mark.parametrize("name", ["", "German", "French", "Spanish"])
def test_the_examples_of_a_language_are_understood(name: str) -> None:
    examples = language_named(name).words.examples
    assert [each for each in examples if isinstance(read_sentence(each), NotUnderstood)] == []


def test_the_question_is_in_the_language_with_the_nearest_examples() -> None:
    question = question_about("Öffne die Kühltruhe aus dem Keller", "German")
    assert question.startswith("Ich verstehe 'Öffne die Kühltruhe aus dem Keller' nicht.")
    assert "Öffne den Kühlschrank." in question
    assert sum(each in question for each in language_named("German").words.examples) == 3
