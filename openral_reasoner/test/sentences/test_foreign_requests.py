"""Goals in German, French and Spanish: what their parts mean, what is asked back, and laws."""

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from openral_reasoner.request.goals import (
    Act,
    AskCount,
    Bring,
    Find,
    Forbidden,
    MoveDoor,
    NotUnderstood,
    Restricted,
    Sequence,
    SetTable,
    Tidy,
)
from openral_reasoner.sentences import read_sentence
from openral_reasoner.sentences.language import load_language
from openral_reasoner.sentences.languages import OTHERS
from openral_testing.reasoner.goal_meanings import describe, load_paraphrases

FOREIGN = {
    file.stem: load_paraphrases(file)
    for file in sorted((Path(__file__).parent / "languages").glob("*_*.yaml"))
}


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
        ("raeum die kueche auf", Tidy("kitchen")),
        ("Räum die Küche auf", Tidy("kitchen")),
        ("Deck den Tisch.", SetTable(0)),
        ("Das Buch ist auf dem Sofa, bring es mir.", Bring("book", where="sofa")),
        ("Combien de verres y a-t-il ?", AskCount("glass")),
        (
            "Bring mir die Schüssel, aber nicht aus dem Schrank.",
            Restricted(Bring("bowl"), (Forbidden(Act.TAKE, "cabinet"), Forbidden(Act.OPEN, "cabinet"))),
        ),
        ("donde esta la llave", read_sentence("¿Dónde está la llave?")),
    ],
)
def test_place_receiver_and_object_keep_their_parts(text: str, goal: object) -> None:
    assert read_sentence(text) == goal


def test_words_of_order_make_an_ordered_sequence() -> None:
    parts = (Bring("cup"), MoveDoor("fridge", open=False))
    assert read_sentence("Bring mir die Tasse und mach den Kühlschrank zu.") == Sequence(parts)
    ordered = read_sentence("Bring mir zuerst die Tasse, dann mach den Kühlschrank zu.")
    assert ordered == Sequence(parts, ordered=True)
    went = Bring("apple", where="kitchen")
    assert read_sentence("Ve a la cocina y tráeme una manzana.") == went


@pytest.mark.parametrize(
    "text",
    [
        "Bring mir die Tasse nicht.",
        "Bring mir die Tasse und wasch den Hund.",
        "Range le livre.",
        "Despeja la manzana.",
        "Bring mir hundert Tassen.",
        "Bring mir 40 Tassen.",
        "Bring der Katze die Tasse.",
        "Bring mir ein Glas Schere.",
    ],
)
def test_what_is_not_accounted_for_is_asked_back(text: str) -> None:
    assert isinstance(read_sentence(text), NotUnderstood)


WORDS = sorted({word for each in OTHERS for word in load_language(each).recognised} | {",", "7", "Anna"})


@given(st.lists(st.sampled_from(WORDS), max_size=25))
@settings(deadline=None)
def test_any_words_are_read_or_asked_back(words: list[str]) -> None:
    assert describe(read_sentence(" ".join(words)))


@pytest.mark.parametrize(
    ("language", "negated"),
    [("german", "{} nicht"), ("german", "Nicht {}"), ("french", "Ne pas {}"), ("spanish", "No {}")],
)
def test_a_negated_goal_is_never_acted_on(language: str, negated: str) -> None:
    goals = (*FOREIGN[f"spoken_{language}"], *FOREIGN[f"unseen_{language}"])
    texts = [negated.format(each.text.strip("\u00a1\u00bf.!? ")) for each in goals]
    acting = [text for text in texts if not isinstance(read_sentence(text), NotUnderstood | Find)]
    assert acting == []
