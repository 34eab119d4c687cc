"""Probability of each place, from priors, opinions and the objects of a home."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from openral_core.geometry import Pose
from openral_core.spatial_memory import NodeKind, Relation, SceneEdge, SceneGraph, SceneNode
from openral_reasoner.likely_places.belief import BeliefWeights, likeness, placement_chances, rank_of
from openral_reasoner.likely_places.prior import Site

SITES = {
    "fridge_1": Site(("fridge",), "kitchen"),
    "cabinet_1": Site(("cabinet",), "kitchen"),
    "sofa_1": Site(("sofa",), "living room"),
    "bed_1": Site(("bed",), "bedroom"),
}
EMPTY = SceneGraph()


def home(*seen: tuple[str, str], relation: Relation = Relation.AT_PLACE) -> SceneGraph:
    places = [SceneNode(each, NodeKind.PLACE, each, Pose((0.0, 0.0, 0.0))) for each in SITES]
    things = [
        SceneNode(f"thing_{i}", NodeKind.OBJECT, label, Pose((0.0, 0.0, 0.0)))
        for i, (label, _) in enumerate(seen)
    ]
    edges = [SceneEdge(f"thing_{i}", relation, place) for i, (_, place) in enumerate(seen)]
    return SceneGraph((*places, *things), tuple(edges))


@given(
    st.sampled_from(["milk", "gizmo", "sock", "dirty plate"]),
    st.lists(st.sampled_from(["fridge", "attic", "living room"]), max_size=4),
    st.lists(st.tuples(st.sampled_from(["milk", "cheese", "towel"]), st.sampled_from(sorted(SITES)))),
)
def test_chances_are_a_distribution(term: str, likely: list[str], seen: list[tuple[str, str]]) -> None:
    chances = placement_chances(home(*seen), SITES, term, tuple(likely))
    assert sum(chances.values()) == pytest.approx(1.0)
    assert all(chance > 0.0 for chance in chances.values())


def test_where_nothing_is_known_every_place_is_equally_likely() -> None:
    assert set(placement_chances(EMPTY, SITES, "gizmo").values()) == {0.25}


def test_a_home_without_places_has_no_chances() -> None:
    assert placement_chances(EMPTY, {}, "milk", ("fridge",)) == {}


def test_kinds_have_usual_places() -> None:
    milk, pillow = placement_chances(EMPTY, SITES, "milk"), placement_chances(EMPTY, SITES, "pillow")
    assert max(milk, key=milk.__getitem__) == "fridge_1"
    assert max(pillow, key=pillow.__getitem__) == "bed_1"


def test_an_opinion_is_weighed_against_the_prior() -> None:
    alone = placement_chances(EMPTY, SITES, "milk")
    told = placement_chances(EMPTY, SITES, "milk", ("sofa", "bed"))
    assert told["sofa_1"] > told["bed_1"] > alone["bed_1"]
    assert told["fridge_1"] < alone["fridge_1"]


def test_an_opinion_that_names_no_place_of_the_home_changes_nothing() -> None:
    assert placement_chances(EMPTY, SITES, "milk", ("attic",)) == placement_chances(EMPTY, SITES, "milk")


@pytest.mark.parametrize("relation", [Relation.AT_PLACE, Relation.IN, Relation.ON])
def test_similar_objects_of_the_home_make_a_place_likelier(relation: Relation) -> None:
    before = placement_chances(EMPTY, SITES, "gizmo")["sofa_1"]
    same = placement_chances(home(("red gizmo", "sofa_1"), relation=relation), SITES, "gizmo")["sofa_1"]
    assert same > before
    alike = placement_chances(home(("novel", "sofa_1"), relation=relation), SITES, "textbook")
    assert alike["sofa_1"] > placement_chances(EMPTY, SITES, "textbook")["sofa_1"]


def test_one_object_on_and_at_a_place_counts_once() -> None:
    one = home(("red gizmo", "sofa_1"))
    two = SceneGraph(one.nodes, (*one.edges, SceneEdge("thing_0", Relation.ON, "sofa_1")))
    assert placement_chances(one, SITES, "gizmo") == placement_chances(two, SITES, "gizmo")


def test_the_flat_part_levels_the_prior() -> None:
    sure = placement_chances(EMPTY, SITES, "milk", weights=BeliefWeights(flat=0.1))
    level = placement_chances(EMPTY, SITES, "milk", weights=BeliefWeights(flat=100.0))
    assert sure["bed_1"] < level["bed_1"] < 0.25


@pytest.mark.parametrize(
    ("term", "label", "expected"),
    [
        ("mug", "red mug", "same"),
        ("red mug", "mug", "same"),
        ("novel", "textbook", "similar"),
        ("milk", "pillow", ""),
        ("gizmo", "widget", ""),
        ("mug", "!?", ""),
    ],
)
def test_objects_are_kept_with_their_like(term: str, label: str, expected: str) -> None:
    assert likeness(term, label) == expected


@pytest.mark.parametrize(
    ("likely", "rank"),
    [
        (("kitchen counter",), 0),
        (("Counter", "table"), 0),
        (("table", "the counter"), 1),
        (("table", "kitchen"), 1),
        (("counter_1",), 0),
        (("bathroom counter",), 1),
        ((), 0),
    ],
)
def test_likely_places_name_a_place_by_id_label_kind_or_room(likely: tuple[str, ...], rank: int) -> None:
    assert rank_of(("counter_1", "long counter"), "kitchen", likely) == rank
