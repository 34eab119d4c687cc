"""Goals in German, French and Spanish: sets written before the grammar, stops, and laws."""

from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from openral_core.documents import parse_yaml
from openral_core.text.stop_words import contains_stop_word, is_stop_phrase
from openral_reasoner.scripted.compound import parse_request
from openral_reasoner.scripted.foreign_goals import read_foreign
from openral_reasoner.scripted.goals import Bring, Find, GoTo, MoveDoor, NotUnderstood, Sequence, Tidy
from openral_reasoner.scripted.languages import language_named, load_languages, spoken_language
from openral_reasoner_testing.goal_meanings import Reading, load_paraphrases

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
    assert [each.text for each in ENGLISH if spoken_language(each.text) is not None] == []


@pytest.mark.parametrize("language", STOPS)
def test_every_stop_stops_a_busy_robot(language: str) -> None:
    assert [text for text in STOPS[language] if not contains_stop_word(text)] == []


@pytest.mark.parametrize("name", FOREIGN)
def test_no_goal_of_an_idle_robot_is_a_stop(name: str) -> None:
    goals = [each for each in FOREIGN[name] if each.kind != "ask"]
    assert [each.text for each in goals if is_stop_phrase(each.text)] == []


@pytest.mark.parametrize("name", [each.name for each in load_languages()])
def test_the_examples_of_a_language_are_understood(name: str) -> None:
    examples = language_named(name).examples
    assert [each for each in examples if isinstance(parse_request(each), NotUnderstood)] == []


@pytest.mark.parametrize(
    ("text", "goal"),
    [
        ("Bring den Apfel in die Küche.", Bring("apple", "kitchen")),
        ("Hol den Apfel aus der Küche.", Bring("apple", "me", "kitchen")),
        ("Apporte la pomme dans la cuisine.", Bring("apple", "kitchen")),
        ("Va chercher la pomme dans la cuisine.", Bring("apple", "me", "kitchen")),
        ("Lleva la manzana a la cocina.", Bring("apple", "kitchen")),
        ("Trae la manzana de la cocina.", Bring("apple", "me", "kitchen")),
        ("Dale el libro a José.", Bring("book", "José")),
        ("hol die kleine grüne kanne", Bring("small green pitcher")),
        ("raeum die kueche auf", NotUnderstood("raeum die kueche auf", "German")),
        ("Räum die Küche auf", Tidy("kitchen")),
        ("donde esta la llave", parse_request("¿Dónde está la llave?")),
    ],
)
def test_place_receiver_and_object_keep_their_parts(text: str, goal: object) -> None:
    assert parse_request(text) == goal


def test_words_of_order_make_an_ordered_sequence() -> None:
    parts = (Bring("cup"), MoveDoor("fridge", open=False))
    assert parse_request("Bring mir die Tasse und mach den Kühlschrank zu.") == Sequence(parts)
    ordered = parse_request("Bring mir zuerst die Tasse, dann mach den Kühlschrank zu.")
    assert ordered == Sequence(parts, ordered=True)
    went = Sequence((GoTo("kitchen"), Bring("apple")))
    assert parse_request("Ve a la cocina y tráeme una manzana.") == went


@pytest.mark.parametrize(
    "text",
    [
        "Bring mir die Tasse nicht.",
        "Bring mir die Tasse und wasch den Hund.",
        "Range le livre.",
        "Pose la tasse sous la table.",
        "Despeja la manzana.",
        "Bring mir hundert Tassen.",
        "Bring mir 40 Tassen.",
        "Bring der Katze die Tasse.",
        "Bring mir ein Glas Schere.",
    ],
)
def test_what_is_not_accounted_for_is_asked_back(text: str) -> None:
    assert isinstance(parse_request(text), NotUnderstood)


def test_the_question_is_in_the_language_with_the_nearest_examples() -> None:
    language = language_named("German")
    question = language.question("Öffne die Kühltruhe aus dem Keller")
    assert question.startswith("Ich verstehe 'Öffne die Kühltruhe aus dem Keller' nicht.")
    assert "Öffne den Kühlschrank." in question
    assert sum(each in question for each in language.examples) == 3


WORDS = sorted({word for each in load_languages() for word in (*each.recognised, "und", ",", "7", "Anna")})


@settings(max_examples=60, deadline=None)
@given(
    st.lists(st.sampled_from(WORDS), max_size=25), st.sampled_from([each.name for each in load_languages()])
)
def test_any_words_are_read_or_asked_back(words: list[str], name: str) -> None:
    text = " ".join(words)
    assert read_foreign(language_named(name), text) == read_foreign(language_named(name), text)


@pytest.mark.parametrize(
    ("language", "negated"),
    [("german", "{} nicht"), ("german", "Nicht {}"), ("french", "Ne pas {}"), ("spanish", "No {}")],
)
def test_a_negated_goal_is_never_acted_on(language: str, negated: str) -> None:
    goals = (*FOREIGN[f"spoken_{language}"], *FOREIGN[f"unseen_{language}"])
    texts = [negated.format(each.text.strip("\u00a1\u00bf.!? ")) for each in goals]
    acting = [text for text in texts if not isinstance(parse_request(text), NotUnderstood | Find)]
    assert acting == []
