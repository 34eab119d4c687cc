"""Laws and tables of the frontier."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from openral_core.geometry import Pose
from openral_core.spatial_memory import NodeKind, Opening, Relation, SceneEdge, SceneGraph, SceneNode
from openral_reasoner.search.planner import CandidateKind, plan_active_search
from openral_reasoner.search.progress import SearchProgress

POINTS = st.floats(-50.0, 50.0)


def node(number: int, label: str, kind: NodeKind, x: float, occludes: bool, is_open: bool) -> SceneNode:
    opening = Opening.OPEN if is_open else Opening.CLOSED
    return SceneNode(
        f"{label}_{number}",
        kind,
        label,
        Pose((x, 0.0, 0.0)),
        is_container=occludes,
        occludes_contents=occludes,
        opening=opening,
    )


@st.composite
def graphs(draw: st.DrawFn) -> SceneGraph:
    labels = st.sampled_from(["fridge", "cabinet", "table", "counter", "kitchen", "mug", "ana"])
    rows = draw(
        st.lists(
            st.tuples(labels, st.sampled_from(NodeKind), POINTS, st.booleans(), st.booleans()), max_size=12
        )
    )
    return SceneGraph(tuple(node(i, *row) for i, row in enumerate(rows)))


@given(graphs(), st.lists(st.sampled_from(["table", "fridge", "attic"]), max_size=3), st.integers(0, 12))
def test_a_search_never_revisits_and_ends(graph: SceneGraph, priors: list[str], limit: int) -> None:
    progress = SearchProgress("mug").hinted((), tuple(priors))
    for _ in range(len(graph.nodes) + 1):
        frontier = plan_active_search(graph, progress, max(1, limit))
        if not frontier:
            break
        assert len(frontier) <= max(1, limit)
        assert frontier[0].node_id not in progress.visited
        progress = progress.after_visit(frontier[0].node_id, "NOT_IN_VIEW")
    assert not plan_active_search(graph, progress, 100)


@pytest.mark.parametrize(
    ("outcomes", "done"),
    [
        ((), False),
        (("NOT_IN_VIEW",), True),
        (("NO_DETECTOR",), False),
        (("NO_DETECTOR", "STALE_FRAME"), True),
        (("NO_DETECTOR", "NOT_IN_VIEW"), True),
        (("NOT_REACHED_BLOCKED",), True),
    ],
)
def test_a_place_that_could_not_be_looked_at_is_gone_to_once_more(
    outcomes: tuple[str, ...], done: bool
) -> None:
    progress = SearchProgress("mug")
    for outcome in outcomes:
        progress = progress.after_visit("table", outcome)
    assert ("table" in progress.visited) is done


@given(graphs(), st.tuples(POINTS, POINTS, POINTS))
def test_people_and_plain_objects_are_no_places_to_search(
    graph: SceneGraph, start: tuple[float, float, float]
) -> None:
    for each in plan_active_search(graph, SearchProgress("mug"), 100, start):
        found = graph.by_id[each.node_id]
        assert found.kind is not NodeKind.AGENT
        assert found.kind is not NodeKind.OBJECT or found.occludes_contents


def kitchen() -> SceneGraph:
    nodes = (
        node(1, "kitchen", NodeKind.ROOM, 0.0, False, False),
        node(1, "table", NodeKind.PLACE, 9.0, False, False),
        node(1, "counter", NodeKind.PLACE, 1.0, False, False),
        node(1, "fridge", NodeKind.PLACE, 5.0, True, False),
        node(1, "cabinet", NodeKind.PLACE, 2.0, True, True),
        node(1, "bread", NodeKind.OBJECT, 9.0, False, False),
    )
    return SceneGraph(nodes, (SceneEdge("table_1", Relation.IN_ROOM, "kitchen_1"),))


def order(progress: SearchProgress) -> list[str]:
    return [each.node_id for each in plan_active_search(kitchen(), progress, 100, (0.0, 0.0, 0.0))]


def test_what_lies_on_the_way_comes_first_and_rooms_come_last() -> None:
    assert order(SearchProgress("glass")) == ["counter_1", "cabinet_1", "fridge_1", "table_1", "kitchen_1"]


def test_where_two_are_as_likely_and_as_near_the_one_that_hides_things_comes_first() -> None:
    nodes = (
        node(1, "table", NodeKind.PLACE, 3.0, False, False),
        node(1, "box", NodeKind.PLACE, -3.0, True, True),
    )
    found = plan_active_search(SceneGraph(nodes), SearchProgress("mug"), 2, (0.0, 0.0, 0.0))
    assert [each.node_id for each in found] == ["box_1", "table_1"]


def test_priors_that_alternate_between_two_rooms_make_nobody_walk_to_and_fro() -> None:
    labels = ("table", "sofa", "counter", "shelf", "desk", "bed")
    nodes = tuple(
        node(1, label, NodeKind.PLACE, 20.0 * (index % 2) + index, False, False)
        for index, label in enumerate(labels)
    )
    progress = SearchProgress("keys").hinted((), labels)
    found = plan_active_search(SceneGraph(nodes), progress, 10, (0.0, 0.0, 0.0))
    sides = [labels.index(each.label) % 2 for each in found]
    assert sides == sorted(sides)


def test_a_near_miss_comes_first_and_priors_before_the_rest() -> None:
    progress = SearchProgress("baguette").hinted(("bread_1",), ("kitchen table",))
    assert order(progress)[:2] == ["bread_1", "table_1"]


def test_only_what_is_closed_has_to_be_opened() -> None:
    frontier = {c.node_id: c for c in plan_active_search(kitchen(), SearchProgress("glass"), 100)}
    assert frontier["fridge_1"].must_open
    assert not frontier["cabinet_1"].must_open
    assert frontier["fridge_1"].kind is CandidateKind.CONTAINER
