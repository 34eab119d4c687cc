"""Doors seen shut, open, and not at all."""

from dataclasses import replace
from pathlib import Path

import pytest

from openral_core.home_map import Box3, Opens, load_map
from openral_core.spatial_memory import Opening
from openral_testing.synthetic_depth import Block, Plane, Solid, look_at_pose, render_depth
from openral_world_state.static_map import static_map_from_home
from openral_world_state.world.container_state import estimate_opening

MAP = load_map(Path(__file__).parents[3] / "scenes" / "maps" / "home.yaml")
FRIDGE = static_map_from_home(MAP).by_id["fridge"]
WALL = Plane((1.0, 0.0, 0.0), 0.02)
SHUT = Block((0.36, 1.7, 0.9), (0.62, 0.7, 1.8))
INSIDE = Block((0.1, 1.7, 0.9), (0.05, 0.7, 1.8))
BEFORE = look_at_pose((2.2, 1.7, 1.3), (0.4, 1.7, 0.9))


@pytest.mark.parametrize(
    ("bodies", "camera", "expected"),
    [
        pytest.param({"_fridge": SHUT, "_wall": WALL}, BEFORE, Opening.CLOSED, id="shut"),
        pytest.param({"_back": INSIDE, "_wall": WALL}, BEFORE, Opening.OPEN, id="open"),
        pytest.param(
            {"_door": Block((1.2, 1.7, 0.9), (0.05, 1.4, 1.8))}, BEFORE, Opening.UNKNOWN, id="hidden"
        ),
        pytest.param(
            {"_fridge": SHUT},
            look_at_pose((0.9, 4.0, 1.3), (0.4, 1.7, 0.9)),
            Opening.UNKNOWN,
            id="from the side",
        ),
        pytest.param(
            {"_fridge": SHUT}, look_at_pose((2.2, 1.7, 1.3), (2.2, 4.0, 0.9)), Opening.UNKNOWN, id="elsewhere"
        ),
    ],
)
def test_tells_whether_a_container_is_open(
    bodies: dict[str, Solid], camera: object, expected: Opening
) -> None:
    assert estimate_opening(render_depth(bodies, camera, focal=380.0).view, FRIDGE, 6.0) is expected  # type: ignore[arg-type]


def opening_as(opens: Opens, bodies: dict[str, Solid]) -> Opening:
    """The fridge's place, taken by something that opens in another way."""
    return estimate_opening(render_depth(bodies, BEFORE, focal=380.0).view, replace(FRIDGE, opens=opens), 6.0)


HALF_SHUT = Block((0.36, 1.5, 0.9), (0.62, 0.36, 1.8))


def test_a_door_that_slides_aside_is_open_when_one_half_is_looked_through() -> None:
    assert opening_as("aside", {"_fridge": SHUT, "_wall": WALL}) is Opening.CLOSED
    assert opening_as("aside", {"_door": HALF_SHUT, "_wall": WALL}) is Opening.OPEN


def test_a_drawer_is_open_when_its_tray_is_met_before_the_front() -> None:
    chest = Block((0.36, 1.7, 0.9), (0.62, 0.7, 1.8))
    tray = Block((0.84, 1.7, 0.2), (0.34, 0.7, 0.1))
    assert opening_as("out", {"_chest": chest, "_wall": WALL}) is Opening.CLOSED
    assert opening_as("out", {"_chest": chest, "_tray": tray, "_wall": WALL}) is Opening.OPEN


@pytest.mark.parametrize(("top", "expected"), [(0.42, Opening.OPEN), (0.25, Opening.UNKNOWN)])
def test_a_drawn_drawer_does_not_pass_for_the_shut_one_under_it(top: float, expected: Opening) -> None:
    interior = Box3(min=(-0.26, -0.31, 0.15), max=(0.27, 0.31, top))
    site = replace(FRIDGE, opens="out", interior=interior)
    bodies = {
        "_chest": Block((0.36, 1.7, 0.9), (0.62, 0.7, 1.8)),
        "_tray": Block((0.84, 1.7, 0.35), (0.34, 0.7, 0.1)),
    }
    assert estimate_opening(render_depth(bodies, BEFORE, focal=380.0).view, site, 6.0) is expected
