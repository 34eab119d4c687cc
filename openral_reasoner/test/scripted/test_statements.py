"""Statements: which clauses ask for nothing, and what they mention."""

import pytest

from openral_reasoner.scripted.statements import Statement, read_statement


@pytest.mark.parametrize(
    "words",
    [
        "I'm making fruit salad",
        "it's stuffy",
        "guests are coming",
        "what a mess",
        "yuck",
        "Mosquitoes are coming",
        "someone will hit their head",
        "you've done enough",
        "because my knees hurt",
    ],
)
def test_reasons_are_passed_over(words: str) -> None:
    assert read_statement(words) is not None


@pytest.mark.parametrize(
    "words",
    [
        "I don't want it",
        "it's not that one",
        "I changed my mind",
        "bring the mug",
        "I need a mug",
        "Anna wants the mug",
        "the mug should go on the table",
        "you put the mug on the table",
        "I'm hungry get me an apple",
        "wash the mug that is on the table",
        "Mum says to put the mug on the table",
        "someone must feed the cat",
        "the table cleared",
        "I meant the glass",
    ],
)
def test_what_may_change_the_meaning_is_not_passed_over(words: str) -> None:
    assert read_statement(words) is None


@pytest.mark.parametrize(
    ("words", "statement"),
    [
        ("I won the trophy", Statement(objects=("trophy",))),
        ("the kids have wrecked the playroom", Statement(places=("playroom",), person="kids")),
        ("Anna is cold", Statement(person="Anna")),
        ("it's time for Grandma's pills", Statement(objects=("pills",), person="Grandma")),
        ("I left my mug on the table", Statement(objects=("mug",), places=("table",), located=True)),
        ("there'll be four of us for tea", Statement(people=4)),
        ("it's cold", Statement()),
    ],
)
def test_a_statement_mentions_objects_places_and_people(words: str, statement: Statement) -> None:
    assert read_statement(words) == statement
