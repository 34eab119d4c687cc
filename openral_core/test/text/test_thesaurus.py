"""Relations between queries and stored labels."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from openral_core.text import InvalidThesaurus, TermRelation, Thesaurus, UnreadableText
from openral_core.text.thesaurus import ThesaurusDocument, ThesaurusEntry, shipped_entries

THESAURUS = Thesaurus.load()
NAMES = sorted(shipped_entries().things)
COLOURS = sorted(shipped_entries().attributes["colour"])


@pytest.mark.parametrize(
    ("asked", "stored", "relation"),
    [
        ("baguette", "bread", TermRelation.BROADER),
        ("bread", "baguette", TermRelation.NARROWER),
        ("mug", "cup", TermRelation.EQUAL),
        ("the couch", "sofa", TermRelation.EQUAL),
        ("refrigerator", "fridge", TermRelation.EQUAL),
        ("TV", "television", TermRelation.EQUAL),
        ("can", "candle", TermRelation.NONE),
        ("cup", "cupboard", TermRelation.NONE),
        ("pan", "pancake", TermRelation.NONE),
        ("brush", "toothbrush", TermRelation.NONE),
        ("book", "bookshelf", TermRelation.NONE),
        ("glass", "wine glass", TermRelation.NARROWER),
        ("wine glass", "glass", TermRelation.BROADER),
        ("glass", "glass table", TermRelation.NONE),
        ("mug", "red mug", TermRelation.NARROWER),
        ("red mug", "mug", TermRelation.BROADER),
        ("red mug", "blue mug", TermRelation.RELATED),
        ("some red cups, please", "crimson mug", TermRelation.EQUAL),
        ("yellow lemon", "lemon", TermRelation.EQUAL),
        ("red apple", "apple", TermRelation.BROADER),
        ("wine", "wine bottle", TermRelation.NARROWER),
        ("wine", "wine glass", TermRelation.NONE),
        ("juice", "apple juice carton", TermRelation.NARROWER),
        ("bottle of wine", "wine bottle", TermRelation.EQUAL),
        ("slice of bread", "baguette", TermRelation.NARROWER),
        ("pair of scissors", "scissors", TermRelation.EQUAL),
        ("tooth brush", "toothbrush", TermRelation.EQUAL),
        ("knives", "bread knife", TermRelation.NARROWER),
        ("glasses", "glass", TermRelation.EQUAL),
        ("baguette", "croissant", TermRelation.RELATED),
        ("fridge", "oven", TermRelation.NONE),
        ("gizmos", "blue gizmo", TermRelation.NARROWER),
        ("the mug on the table", "mug", TermRelation.EQUAL),
        ("crème brûlée", "creme brulee", TermRelation.EQUAL),
        ("my glasses", "glass", TermRelation.NONE),
        ("my glasses", "reading glasses", TermRelation.EQUAL),
        ("Anna's glasses", "wine glass", TermRelation.NONE),
        ("mug", "mug 2", TermRelation.NARROWER),
        ("mug 1", "mug 2", TermRelation.BROADER),
        ("shelf 2", "sofa 2", TermRelation.NONE),
        ("ketchup", "tomato sauce", TermRelation.RELATED),
        ("tomato ketchup", "ketchup", TermRelation.EQUAL),
        ("table", "desk", TermRelation.NONE),
    ],
)
def test_relates_labels_to_words(asked: str, stored: str, relation: TermRelation) -> None:
    assert THESAURUS.relation(asked, stored) is relation


@given(st.sampled_from(NAMES))
def test_everything_is_equal_to_itself(name: str) -> None:
    assert THESAURUS.relation(name, name) is TermRelation.EQUAL


@given(st.sampled_from(NAMES), st.sampled_from(NAMES))
def test_narrower_one_way_is_broader_the_other_way(first: str, second: str) -> None:
    mirrored = {TermRelation.NARROWER: TermRelation.BROADER, TermRelation.BROADER: TermRelation.NARROWER}
    there = THESAURUS.relation(first, second)
    assert THESAURUS.relation(second, first) is mirrored.get(there, there)


@given(st.sampled_from(NAMES), st.sampled_from(COLOURS))
def test_a_coloured_thing_is_a_narrower_thing(name: str, colour: str) -> None:
    assert THESAURUS.relation(name, f"{colour} {name}").is_hit


@given(st.sampled_from(NAMES), st.sampled_from(NAMES))
def test_hits_are_of_the_kind_of_the_query(query: str, stored: str) -> None:
    if THESAURUS.relation(query, stored) is TermRelation.NARROWER:
        assert THESAURUS.concept(query) in THESAURUS.kinds_of(THESAURUS.concept(stored))


@given(st.text(max_size=250))
def test_any_text_relates_to_itself_or_is_refused(text: str) -> None:
    try:
        relation = THESAURUS.relation(text, text)
    except UnreadableText:
        return
    assert relation is TermRelation.EQUAL


@pytest.mark.parametrize("text", ["", "  ", "\x00\x07", "!?", "the", "a" * 10_000, "of", "39", "3 7"])
def test_refuses_text_that_names_nothing(text: str) -> None:
    with pytest.raises(UnreadableText, match="names no object"):
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
    things = {"hob": ThesaurusEntry(synonyms=("range",)), "field": ThesaurusEntry(synonyms=("range",))}
    with pytest.raises(InvalidThesaurus, match=r"'range' names two concepts: 'hob', 'field'"):
        Thesaurus(ThesaurusDocument(version=1, things=things))


@pytest.mark.parametrize(
    ("things", "problem"),
    [
        ({"mug": ThesaurusEntry(kinds=("cupp",))}, "kinds without an entry: 'cupp'"),
        ({"a": ThesaurusEntry(kinds=("b",)), "b": ThesaurusEntry(kinds=("a",))}, "kinds of themselves"),
    ],
)
def test_refuses_a_broken_hierarchy(things: dict[str, ThesaurusEntry], problem: str) -> None:
    with pytest.raises(InvalidThesaurus, match=problem):
        Thesaurus(ThesaurusDocument(version=1, things=things))


@pytest.mark.parametrize(
    ("label", "asked"),
    [
        ("scissor", "scissors"),
        ("scissors", "scissor"),
        ("headphones", "headphone"),
        ("mug.001", "mug"),
        ("mug 1", "mug"),
        ("mug (red)", "red mug"),
        ("tvmonitor", "tv"),
        ("Book/Notebook", "book"),
        ("diningtable", "table"),
    ],
)
def test_labels_of_data_sets_and_scenes_are_the_things_they_name(label: str, asked: str) -> None:
    assert Thesaurus.load().relation(asked, label).is_hit


@pytest.mark.parametrize(("label", "asked"), [("phone case", "phone"), ("mug 1", "cup holder")])
def test_a_case_or_a_number_is_not_the_thing(label: str, asked: str) -> None:
    assert not Thesaurus.load().relation(asked, label).is_hit
