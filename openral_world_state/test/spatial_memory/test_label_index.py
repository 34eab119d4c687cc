"""The index finds exactly what comparing with every label would."""

from hypothesis import given
from hypothesis import strategies as st

from openral_core.text import TermRelation, Thesaurus
from openral_core.text.thesaurus import shipped_entries
from openral_world_state.spatial_memory.label_index import LabelIndex

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
