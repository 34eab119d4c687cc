"""Places in sight of the robot, and those that a view without the object covers."""

import pytest

from openral_core.geometry import Pose
from openral_core.spatial_memory import NodeKind, Opening, Relation, SceneEdge, SceneGraph, SceneNode
from openral_reasoner.sight import (
    FARTHEST,
    RESOLUTION,
    USUAL_SIZE,
    places_in_sight,
    places_in_view,
    reach_of_sight,
)

EYE = (0.0, 0.0, 0.0)


def piece(name: str, x: float, y: float, size: tuple[float, float, float] = (0.6, 0.4, 0.8)) -> SceneNode:
    return SceneNode(name, NodeKind.PLACE, name, Pose((x, y, size[2] / 2.0)), size)


def room_of(*pieces: SceneNode, elsewhere: str = "", things: tuple[SceneNode, ...] = ()) -> SceneGraph:
    rooms = tuple(SceneNode(each, NodeKind.ROOM, each, Pose(EYE)) for each in ("kitchen", "study"))
    edges = tuple(
        SceneEdge(each.id, Relation.IN_ROOM, "study" if each.id == elsewhere else "kitchen")
        for each in pieces
    )
    return SceneGraph((*rooms, *pieces, *things), edges)


def thing(label: str, size: float) -> SceneNode:
    return SceneNode(label.replace(" ", "_"), NodeKind.OBJECT, label, Pose(EYE), (size, size, size))


def test_a_large_object_is_seen_from_farther_than_a_small_one() -> None:
    graph = room_of(things=(thing("key", 0.05), thing("backpack", 0.4)))
    assert reach_of_sight(graph, "key") == pytest.approx(RESOLUTION * 0.05)
    assert reach_of_sight(graph, "backpack") == FARTHEST
    assert reach_of_sight(graph, "mug") == pytest.approx(RESOLUTION * USUAL_SIZE)


def test_open_and_near_places_of_the_same_room_are_in_sight() -> None:
    near, far, other = piece("near", 1.0, 0.0), piece("far", 2.5, 0.0), piece("other", 0.0, 1.0)
    graph = room_of(near, far, other, elsewhere="other")
    assert places_in_sight(graph, EYE, "near", "mug") == {"near"}
    assert places_in_sight(graph, EYE, "other", "mug") == {"other"}
    assert places_in_sight(graph, EYE, "unknown", "mug") == frozenset()


@pytest.mark.parametrize(("opening", "expected"), [(Opening.CLOSED, False), (Opening.OPEN, True)])
def test_what_is_closed_is_not_in_sight(opening: Opening, expected: bool) -> None:
    cabinet = SceneNode(
        "cabinet",
        NodeKind.PLACE,
        "cabinet",
        Pose((1.0, 0.0, 0.5)),
        is_container=True,
        occludes_contents=True,
        opening=opening,
    )
    in_sight = places_in_sight(room_of(cabinet, piece("table", 0.0, 1.0)), EYE, "table", "mug")
    assert ("cabinet" in in_sight) is expected


@pytest.mark.parametrize(("height", "hides"), [(0.8, False), (1.9, True)])
def test_a_tall_piece_hides_what_is_behind_it(height: float, hides: bool) -> None:
    graph = room_of(piece("shelf", 0.7, 0.0, (0.5, 0.4, height)), piece("desk", 1.5, 0.05))
    assert ("desk" in places_in_sight(graph, EYE, "desk", "mug")) is not hides


def test_a_view_covers_what_lies_beside_its_axis_alone() -> None:
    graph = room_of(piece("sink", 1.2, 0.0), piece("counter", 1.2, 0.4), piece("table", 0.0, 1.2))
    assert places_in_sight(graph, EYE, "sink", "mug") == {"sink", "counter", "table"}
    assert places_in_view(graph, EYE, "sink", "mug") == {"sink", "counter"}
    assert places_in_view(graph, EYE, "table", "mug") == {"table"}
