"""Relations and locations derived from geometry."""

from pathlib import Path

import pytest

from openral_core.geometry import Pose
from openral_core.home_map import load_map
from openral_core.spatial_memory import Opening, Relation, SceneEdge
from openral_world_state.home.loaders import static_map_from_home
from openral_world_state.home.model import StaticMap
from openral_world_state.scene_graph.build import (
    home_edges,
    is_supported_by,
    locate_in_home,
    must_open,
    route_edges,
)
from openral_world_state.spatial_memory.record import ObjectRecord

HOME = static_map_from_home(load_map(Path(__file__).parents[3] / "scenes" / "maps" / "home.yaml"))


def box(
    x: float, y: float, z: float, size: tuple[float, float, float] = (0.1, 0.1, 0.1), **more: object
) -> ObjectRecord:
    return ObjectRecord("box_1", "box", Pose((x, y, z)), size, **more)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("record", "room", "place", "on", "inside"),
    [
        (box(2.0, 4.1, 0.95), "kitchen", "kitchen_counter", "kitchen_counter", None),
        (box(0.4, 1.7, 0.9), "kitchen", "fridge", None, "fridge"),
        (box(2.0, 3.5, 0.05), "kitchen", "kitchen_counter", None, None),
        (box(2.5, 2.4, 0.05), "kitchen", "kitchen_middle", None, None),
        (box(6.5, 3.4, 0.05, carried=True), "living_room", "", None, None),
        (box(20.0, 20.0, 0.05), "", "", None, None),
    ],
    ids=["on", "inside", "before", "at a spot", "carried", "outside"],
)
def test_locates_an_object_by_its_support_container_or_nearest_site(
    record: ObjectRecord, room: str, place: str, on: str | None, inside: str | None
) -> None:
    found = locate_in_home(record, HOME)
    assert (found.room, found.place) == (room, place)
    assert (found.on.node.id if found.on else None) == on
    assert (found.inside.node.id if found.inside else None) == inside
    assert found.site is (found.inside or found.on)


@pytest.mark.parametrize(
    ("site", "openings", "expected"),
    [
        ("fridge", {}, "fridge"),
        ("fridge", {"fridge": Opening.CLOSED}, "fridge"),
        ("fridge", {"fridge": Opening.OPEN}, ""),
        ("fridge", {"cabinet": Opening.OPEN}, "fridge"),
        ("bookshelf", {}, ""),
    ],
)
def test_an_occluding_container_must_be_opened_unless_it_is_known_to_be_open(
    site: str, openings: dict[str, Opening], expected: str
) -> None:
    assert must_open(HOME.by_id[site], openings) == expected
    assert must_open(None, openings) == ""


@pytest.mark.parametrize(
    ("upper", "supported"),
    [
        (box(0.0, 0.0, 0.1), True),
        (box(0.0, 0.0, 0.12), True),
        (box(0.0, 0.0, 0.08), True),
        (box(0.0, 0.0, 0.25), False),
        (box(0.2, 0.0, 0.1), False),
        (box(0.0, 0.0, 0.1, (0.4, 0.4, 0.1)), False),
        (box(0.0, 0.0, 0.05), False),
    ],
    ids=["on", "just above", "in its hollow", "floating", "beside", "wider", "on the same surface"],
)
def test_an_object_stands_on_a_wider_one_below_it(upper: ObjectRecord, supported: bool) -> None:
    tray = box(0.0, 0.0, 0.025, (0.3, 0.3, 0.05))
    assert is_supported_by(upper, tray) is supported
    assert not is_supported_by(tray, upper)


def test_every_fixture_and_person_is_in_its_room() -> None:
    edges = list(home_edges(HOME))
    assert {edge.source for edge in edges} == {s.node.id for s in HOME.sites} | {a.id for a in HOME.agents}
    assert SceneEdge("requester", Relation.IN_ROOM, "living_room") in edges
    assert not list(home_edges(StaticMap()))


def test_a_route_leads_in_both_directions() -> None:
    assert list(route_edges([("a", "b", 1.5)])) == [
        SceneEdge("a", Relation.TRAVERSABLE_TO, "b", 1.5),
        SceneEdge("b", Relation.TRAVERSABLE_TO, "a", 1.5),
    ]
