"""Which label answers which words."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from openral_core.text import InvalidThesaurus, Relation, Thesaurus, UnreadableText
from openral_core.text.entries import Entry, ThesaurusDocument, shipped_entries

THESAURUS = Thesaurus.load()
NAMES = sorted(shipped_entries().things)
COLOURS = sorted(shipped_entries().attributes["colour"])


@pytest.mark.parametrize(
    ("asked", "stored", "relation"),
    [
        ("baguette", "bread", Relation.BROADER),
        ("bread", "baguette", Relation.NARROWER),
        ("mug", "cup", Relation.EQUAL),
        ("the couch", "sofa", Relation.EQUAL),
        ("refrigerator", "fridge", Relation.EQUAL),
        ("TV", "television", Relation.EQUAL),
        ("can", "candle", Relation.NONE),
        ("cup", "cupboard", Relation.NONE),
        ("pan", "pancake", Relation.NONE),
        ("brush", "toothbrush", Relation.NONE),
        ("book", "bookshelf", Relation.NONE),
        ("glass", "wine glass", Relation.NARROWER),
        ("wine glass", "glass", Relation.BROADER),
        ("glass", "glass table", Relation.NONE),
        ("mug", "red mug", Relation.NARROWER),
        ("red mug", "mug", Relation.BROADER),
        ("red mug", "blue mug", Relation.RELATED),
        ("some red cups, please", "crimson mug", Relation.EQUAL),
        ("yellow lemon", "lemon", Relation.EQUAL),
        ("red apple", "apple", Relation.BROADER),
        ("wine", "wine bottle", Relation.NARROWER),
        ("wine", "wine glass", Relation.NONE),
        ("juice", "apple juice carton", Relation.NARROWER),
        ("bottle of wine", "wine bottle", Relation.EQUAL),
        ("slice of bread", "baguette", Relation.NARROWER),
        ("pair of scissors", "scissors", Relation.EQUAL),
        ("tooth brush", "toothbrush", Relation.EQUAL),
        ("knives", "bread knife", Relation.NARROWER),
        ("glasses", "glass", Relation.EQUAL),
        ("baguette", "croissant", Relation.RELATED),
        ("fridge", "oven", Relation.NONE),
        ("gizmos", "blue gizmo", Relation.NARROWER),
        ("the mug on the table", "mug", Relation.EQUAL),
        ("crème brûlée", "creme brulee", Relation.EQUAL),
    ],
)
def test_relates_labels_to_words(asked: str, stored: str, relation: Relation) -> None:
    assert THESAURUS.relation(asked, stored) is relation


@given(st.sampled_from(NAMES))
def test_everything_is_equal_to_itself(name: str) -> None:
    assert THESAURUS.relation(name, name) is Relation.EQUAL


@given(st.sampled_from(NAMES), st.sampled_from(NAMES))
def test_narrower_one_way_is_broader_the_other_way(first: str, second: str) -> None:
    mirrored = {Relation.NARROWER: Relation.BROADER, Relation.BROADER: Relation.NARROWER}
    there = THESAURUS.relation(first, second)
    assert THESAURUS.relation(second, first) is mirrored.get(there, there)


@given(st.sampled_from(NAMES), st.sampled_from(COLOURS))
def test_a_coloured_thing_is_a_narrower_thing(name: str, colour: str) -> None:
    assert THESAURUS.relation(name, f"{colour} {name}").is_hit


@given(st.sampled_from(NAMES), st.sampled_from(NAMES))
def test_hits_lie_among_the_kinds_below(asked: str, stored: str) -> None:
    if THESAURUS.relation(asked, stored) is Relation.NARROWER:
        assert THESAURUS.concept(stored) in THESAURUS.kinds_below(THESAURUS.concept(asked))


@given(st.text(max_size=250))
def test_any_text_relates_to_itself_or_is_refused(text: str) -> None:
    try:
        relation = THESAURUS.relation(text, text)
    except UnreadableText:
        return
    assert relation is Relation.EQUAL


@pytest.mark.parametrize("text", ["", "  ", "\x00\x07", "!?", "the", "a" * 10_000, "of"])
def test_refuses_text_that_names_nothing(text: str) -> None:
    with pytest.raises(UnreadableText, match="names nothing"):
        THESAURUS.parse(text)


@pytest.mark.parametrize(
    ("text", "first"),
    [
        ("baguette", "kitchen counter"),
        ("red mug", "kitchen counter"),
        ("wine", "fridge"),
        ("juice box", "fridge"),
    ],
)
def test_knows_where_things_are_usually_found(text: str, first: str) -> None:
    assert THESAURUS.found(text)[0] == first


def test_knows_no_place_for_a_unicorn() -> None:
    assert THESAURUS.found("unicorn") == ()


def test_refuses_a_synonym_of_two_things() -> None:
    things = {"hob": Entry(synonyms=("range",)), "field": Entry(synonyms=("range",))}
    with pytest.raises(InvalidThesaurus, match=r"'range' names two things: 'hob', 'field'"):
        Thesaurus(ThesaurusDocument(version=1, things=things))


@pytest.mark.parametrize(
    ("things", "problem"),
    [
        ({"mug": Entry(kinds=("cupp",))}, "kinds that are no things: 'cupp'"),
        ({"a": Entry(kinds=("b",)), "b": Entry(kinds=("a",))}, "kinds of themselves"),
    ],
)
def test_refuses_a_broken_hierarchy(things: dict[str, Entry], problem: str) -> None:
    with pytest.raises(InvalidThesaurus, match=problem):
        Thesaurus(ThesaurusDocument(version=1, things=things))
