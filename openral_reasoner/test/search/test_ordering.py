"""Laws of the order of a search, and route lengths along the edges of the graph."""

from math import dist

import pytest
from hypothesis import given
from hypothesis import strategies as st

from openral_core.geometry import Pose
from openral_core.spatial_memory import NodeKind, Relation, SceneEdge, SceneGraph, SceneNode
from openral_reasoner.search.ordering import LOOKAHEAD, RouteLengths, SearchStop, order_by_expected_time

POINTS = st.lists(st.tuples(st.floats(-20.0, 20.0), st.floats(-20.0, 20.0)), max_size=LOOKAHEAD + 4)
STOPS = st.builds(SearchStop, st.floats(0.0, 1.0), st.floats(0.5, 10.0))


def expected(order: list[int], stops: list[SearchStop], points: list[tuple[float, float]]) -> float:
    """Cost until it is found, the robot starting at the origin."""
    at, reached, total = (0.0, 0.0), 0.0, 0.0
    for index in order:
        reached += dist(at, points[index]) + stops[index].effort
        total += stops[index].chance * reached
        at = points[index]
    return total


@given(POINTS, st.data())
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
