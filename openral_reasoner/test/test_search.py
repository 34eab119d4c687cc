"""Laws and tables of the frontier."""

from math import dist

import pytest
from hypothesis import given
from hypothesis import strategies as st

from openral_core.geometry import Pose
from openral_core.spatial_memory import NodeKind, Opening, Relation, SceneEdge, SceneGraph, SceneNode
from openral_reasoner.search import (
    BLIND,
    LOOKAHEAD,
    MAX_VISITS,
    SEEN_NOT_PLACED,
    CandidateKind,
    RouteLengths,
    SearchEpisode,
    SearchStop,
    order_by_expected_time,
    order_by_ratio,
    plan_active_search,
)

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
    progress = SearchEpisode("mug").hinted((), tuple(priors))
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
    progress = SearchEpisode("mug")
    for outcome in outcomes:
        progress = progress.after_visit("table", outcome)
    assert ("table" in progress.visited) is done


@given(graphs(), st.tuples(POINTS, POINTS, POINTS))
def test_people_and_plain_objects_are_no_places_to_search(
    graph: SceneGraph, start: tuple[float, float, float]
) -> None:
    for item in plan_active_search(graph, SearchEpisode("mug"), 100, start):
        found = graph.by_id[item.node_id]
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


def order(progress: SearchEpisode) -> list[str]:
    return [item.node_id for item in plan_active_search(kitchen(), progress, 100, (0.0, 0.0, 0.0))]


def test_what_is_cheap_to_search_comes_first_and_rooms_come_last() -> None:
    assert order(SearchEpisode("gizmo")) == ["counter_1", "cabinet_1", "table_1", "fridge_1", "kitchen_1"]


def test_where_two_are_as_likely_and_as_near_the_one_that_hides_things_comes_first() -> None:
    nodes = (
        node(1, "table", NodeKind.PLACE, 3.0, False, False),
        node(1, "box", NodeKind.PLACE, -3.0, True, True),
    )
    found = plan_active_search(SceneGraph(nodes), SearchEpisode("gizmo"), 2, (0.0, 0.0, 0.0))
    assert [item.node_id for item in found] == ["box_1", "table_1"]


def test_priors_that_alternate_between_two_rooms_make_nobody_walk_to_and_fro() -> None:
    labels = ("table", "sofa", "counter", "shelf", "desk", "bed")
    nodes = tuple(
        node(1, label, NodeKind.PLACE, 20.0 * (index % 2) + index, False, False)
        for index, label in enumerate(labels)
    )
    progress = SearchEpisode("keys").hinted((), labels)
    found = plan_active_search(SceneGraph(nodes), progress, 10, (0.0, 0.0, 0.0))
    sides = [labels.index(item.label) % 2 for item in found]
    assert sides == sorted(sides)


GRID = st.tuples(st.integers(-20, 20), st.integers(-20, 20))


@given(st.lists(GRID, min_size=1, max_size=9, unique=True))
def test_where_all_places_are_alike_the_best_ratio_is_the_nearest(points: list[tuple[int, int]]) -> None:
    between = [[dist(point, other) for other in points] for point in points]
    left, nearest = set(range(len(points))), list[int]()
    here = [dist(point, (0.0, 0.0)) for point in points]
    while left:
        nearest.append(min(left, key=lambda i: (here[i], i)))
        left.remove(nearest[-1])
        here = between[nearest[-1]]
    stops = [SearchStop(0.1, 2.0)] * len(points)
    found = order_by_ratio(stops, [dist(point, (0.0, 0.0)) for point in points], between)
    assert found == nearest


def test_a_near_miss_comes_first_and_a_named_place_before_the_rest() -> None:
    progress = SearchEpisode("gizmo").hinted(("bread_1",), ("kitchen table",))
    assert order(progress)[:2] == ["bread_1", "table_1"]


def test_only_what_is_closed_has_to_be_opened() -> None:
    frontier = {c.node_id: c for c in plan_active_search(kitchen(), SearchEpisode("glass"), 100)}
    assert frontier["fridge_1"].must_open
    assert not frontier["cabinet_1"].must_open
    assert frontier["fridge_1"].kind is CandidateKind.CONTAINER


POINTS_ORDERING = st.lists(st.tuples(st.floats(-20.0, 20.0), st.floats(-20.0, 20.0)), max_size=LOOKAHEAD + 4)
STOPS = st.builds(SearchStop, st.floats(0.0, 1.0), st.floats(0.5, 10.0))


def expected(order: list[int], stops: list[SearchStop], points: list[tuple[float, float]]) -> float:
    """Cost until it is found, the robot starting at the origin."""
    at, reached, total = (0.0, 0.0), 0.0, 0.0
    for index in order:
        reached += dist(at, points[index]) + stops[index].effort
        total += stops[index].chance * reached
        at = points[index]
    return total


@given(POINTS_ORDERING, st.data())
def test_every_stop_comes_once_and_no_two_neighbours_should_change_places(
    points: list[tuple[float, float]], data: st.DataObject
) -> None:
    stops = [data.draw(STOPS) for _ in points]
    between = [[dist(a, b) for b in points] for a in points]
    order = order_by_expected_time(stops, [dist((0.0, 0.0), p) for p in points], between)
    assert sorted(order) == list(range(len(points)))
    head = order[:LOOKAHEAD]
    for i in range(len(head) - 1):
        other = [*head[:i], head[i + 1], head[i], *head[i + 2 :]]
        assert expected(head, stops, points) <= expected(other, stops, points) + 1e-6


def test_a_likely_stop_far_away_waits_for_a_near_one_on_the_way() -> None:
    stops = [SearchStop(0.5, 1.0), SearchStop(0.2, 1.0)]
    assert order_by_expected_time(stops, [10.0, 5.0], [[0.0, 5.0], [5.0, 0.0]]) == [1, 0]


def test_a_very_likely_stop_is_worth_going_past_an_unlikely_one() -> None:
    stops = [SearchStop(0.9, 1.0), SearchStop(0.01, 5.0)]
    assert order_by_expected_time(stops, [10.0, 5.0], [[0.0, 5.0], [5.0, 0.0]]) == [0, 1]


WALL = 6.0
"""Length of the way round a wall between two places 2 m apart [m]."""


def place(name: str, x: float, y: float = 0.0) -> SceneNode:
    return SceneNode(name, NodeKind.PLACE, name, Pose((x, y, 0.5)))


@pytest.fixture
def home() -> SceneGraph:
    """West and east of a wall, each with a nook beside it; the attic is on no route with them."""
    nodes = (place("west", -1.0), place("door", 0.0, 3.0), place("east", 1.0), place("nook", 2.0))
    lone = (place("attic", 0.0, 50.0), place("loft", 1.0, 50.0))
    edges = (
        SceneEdge("west", Relation.TRAVERSABLE_TO, "door", WALL / 2),
        SceneEdge("door", Relation.TRAVERSABLE_TO, "east", WALL / 2),
        SceneEdge("attic", Relation.TRAVERSABLE_TO, "loft", 1.0),
    )
    return SceneGraph((*nodes, *lone), edges)


@pytest.mark.parametrize(
    ("goal", "length"),
    [
        ((1.0, 0.0, 0.0), WALL),
        ((2.0, 0.0, 0.0), WALL + 1.0),
        ((-2.0, 0.0, 0.0), 1.0),
        ((0.0, 50.0, 0.0), (1.0 + 50.0**2) ** 0.5),
    ],
    ids=["round the wall", "beside a route", "no route is needed", "no route leads there"],
)
def test_a_way_goes_round_what_routes_go_round(
    home: SceneGraph, goal: tuple[float, float, float], length: float
) -> None:
    ways = RouteLengths(home)
    assert ways.between((-1.0, 0.0, 0.0), goal) == pytest.approx(length)
    assert ways.between(goal, (-1.0, 0.0, 0.0)) == pytest.approx(length)


def test_without_routes_a_way_is_straight() -> None:
    assert RouteLengths(SceneGraph()).between((0.0, 0.0, 0.0), (3.0, 4.0, 9.0)) == pytest.approx(5.0)


@pytest.mark.parametrize("outcome", sorted(BLIND))
def test_a_place_without_an_image_is_visited_again_but_not_for_ever(outcome: str) -> None:
    progress = SearchEpisode("mug")
    for _ in range(MAX_VISITS):
        assert "table_1" not in progress.visited
        progress = progress.after_visit("table_1", outcome)
    assert "table_1" in progress.visited


def test_a_place_where_it_was_seen_unplaced_is_remembered() -> None:
    progress = (
        SearchEpisode("mug").after_visit("table_1", "NOT_IN_VIEW").after_visit("sink_1", SEEN_NOT_PLACED)
    )
    assert progress.sighted == "sink_1"
    assert progress.visited == {"table_1", "sink_1"}


def test_earlier_hints_come_first() -> None:
    progress = SearchEpisode("mug").hinted(("a",), ("table",)).hinted(("b", "a"), ("shelf", "table"))
    assert (progress.near_misses, progress.priors) == (("a", "b"), ("table", "shelf"))


def test_a_refuted_object_reopens_its_episode_without_asking_the_locator_again() -> None:
    reopened = SearchEpisode("mug").after_finding("mug_1").reopened()
    assert (reopened.found_id, reopened.escalated) == ("", True)
