from pathlib import Path

import numpy as np
import pytest

from openral_core.home_map import Fixture, load_map
from openral_sim.assets.furniture.doors import NotAContainer, points_inside

MAPS = Path(__file__).parents[4] / "scenes" / "maps"


def fixture(scene: str, name: str) -> Fixture:
    return load_map(MAPS / f"{scene}.yaml").fixture(name)


@pytest.mark.parametrize(("scene", "name"), [("home", "fridge"), ("flat", "drawer"), ("house", "wardrobe")])
def test_things_lie_inside_the_container(scene: str, name: str) -> None:
    item = fixture(scene, name)
    assert item.container is not None
    for x, y, z in points_inside(item, 0.0):
        assert item.container.interior.contains(*item.pose.to_local(float(x), float(y)), float(z))


def test_they_lie_on_its_floor_and_on_every_shelf_in_it() -> None:
    fridge = fixture("home", "fridge")
    heights = {round(float(z), 2) for z in points_inside(fridge, 0.0)[:, 2]}
    assert len(heights) == 1 + len(fridge.surfaces)


def test_they_come_out_with_a_drawer() -> None:
    drawer = fixture("flat", "drawer")
    shut, drawn = points_inside(drawer, 0.0), points_inside(drawer, 0.3)
    front = np.array([np.cos(drawer.pose.yaw), np.sin(drawer.pose.yaw), 0.0])
    assert np.allclose(drawn - shut, 0.3 * front)


def test_what_encloses_nothing_is_refused() -> None:
    with pytest.raises(NotAContainer, match="sofa"):
        points_inside(fixture("flat", "sofa"), 0.0)
