"""Postings of the label index: entries that are added, changed, removed and compacted."""

from array import array

from hypothesis import given
from hypothesis import strategies as st

from openral_core.text import TermRelation, Thesaurus
from openral_core.text.thesaurus import shipped_entries
from openral_world_state.spatial_memory.label_index import LabelIndex, PostingHits, PostingStore

SIZE = 3000


def rows(hits: PostingHits) -> list[tuple[int, int, float]]:
    return list(zip(hits.slots.tolist(), hits.labels.tolist(), hits.fractions.tolist(), strict=True))


@given(
    st.lists(st.tuples(st.integers(0, 9), st.integers(0, 9), st.floats(0.0, 1.0)), min_size=1, max_size=30),
    st.data(),
)
def test_reading_returns_exactly_the_entries_that_were_not_removed(
    added: list[tuple[int, int, float]], data: st.DataObject
) -> None:
    store = PostingStore()
    posting = array("q", [store.add(*row) for row in added])
    removed = data.draw(st.sets(st.sampled_from(sorted(posting))))
    for entry in removed:
        store.remove(entry)
    left = [row for entry, row in zip(posting, added, strict=True) if entry not in removed]
    assert rows(store.read(posting)) == left
    store.compact([posting])
    assert rows(store.read(posting)) == left
    assert len(posting) == len(left)


def test_numbers_of_removed_entries_are_used_again_after_a_compaction() -> None:
    store = PostingStore()
    first, second = store.add(1, 1, 1.0), store.add(2, 2, 1.0)
    store.remove(first)
    assert store.add(3, 3, 1.0) not in (first, second)
    store.compact([array("q", [first, second])])
    assert store.add(4, 4, 1.0) == first


def test_a_changed_fraction_is_read() -> None:
    store = PostingStore()
    entry = store.add(5, 6, 0.25)
    store.set_fraction(entry, 0.75)
    assert rows(store.read(array("q", [entry]))) == [(5, 6, 0.75)]


def test_the_columns_grow_and_a_compaction_is_due_when_enough_entries_are_removed() -> None:
    store = PostingStore()
    posting = array("q", [store.add(number, number, 1.0) for number in range(SIZE)])
    assert rows(store.read(posting)) == [(number, number, 1.0) for number in range(SIZE)]
    for entry in posting[: SIZE // 2]:
        store.remove(entry)
    assert not store.needs_compaction
    store.remove(posting[SIZE // 2])
    assert store.needs_compaction
    store.compact([posting])
    assert not store.needs_compaction


THESAURUS = Thesaurus.load()
NAMES = st.sampled_from([*sorted(shipped_entries().things), "zorb", "juice box", "zorb bottle"])
COLOURS = st.sampled_from(["", "red ", "blue ", "old ", "glass "])
LABELS = st.builds(lambda colour, name: colour + name, COLOURS, NAMES)


@given(st.lists(LABELS, max_size=30, unique=True), LABELS)
def test_finds_what_comparing_with_each_label_finds(labels: list[str], words: str) -> None:
    index = LabelIndex(THESAURUS)
    for slot, label in enumerate(labels):
        index.put(slot, {label: 1.0})
    compared = {label: THESAURUS.relation(words, label) for label in labels}
    expected = {label: relation for label, relation in compared.items() if relation is not TermRelation.NONE}
    assert dict(index.related(words)) == expected


@given(st.lists(LABELS, min_size=1, max_size=10, unique=True), LABELS)
def test_what_was_removed_is_not_found(labels: list[str], words: str) -> None:
    index = LabelIndex(THESAURUS)
    for slot, label in enumerate(labels):
        index.put(slot, {label: 1.0})
        index.remove(slot)
    assert not list(index.related(words))
    assert not list(index.labels)
    assert index.nearest(words) == ()


def test_the_nearest_names_look_alike() -> None:
    index = LabelIndex(THESAURUS)
    for slot, label in enumerate(("wine bottle", "water bottle", "mug", "sofa")):
        index.put(slot, {label: 1.0})
    assert set(index.nearest("wine botle", 2)) == {"wine bottle", "water bottle"}
