"""Ways go by the routes of the graph."""

import pytest

from openral_core.geometry import Pose
from openral_core.scene_graph import NodeKind, Relation, SceneEdge, SceneGraph, SceneNode
from openral_reasoner.search.ordering import RouteLengths

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
