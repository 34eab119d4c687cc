"""Problems of maps, each with its remedy."""

from pathlib import Path
from typing import Any

import pytest

from openral_core.home_map import HomeMap, NoGoZone, Place, Pose2, load_map
from openral_training.maps.check import check_home

MAPS = sorted((Path(__file__).parents[3] / "scenes" / "maps").glob("*.yaml"))
HOME = load_map(Path(__file__).parents[3] / "scenes" / "maps" / "home.yaml")


def problems(home: HomeMap = HOME, **parts: Any) -> list[str]:
    return [str(finding) for finding in check_home(home.model_copy(update=parts), 0.33)]


@pytest.mark.parametrize("file", MAPS, ids=lambda file: file.stem)
def test_shipped_maps_have_no_problem_but_shared_names(file: Path) -> None:
    assert [found for found in problems(load_map(file)) if "the name" not in found] == []


def test_a_name_said_twice_is_told_with_both_ids() -> None:
    first, second = HOME.rooms
    renamed = second.model_copy(update={"name": first.name.upper()})
    found = set(problems(rooms=(first, renamed))) - set(problems())
    assert len(found) == 1
    assert f"stands for {first.id}, {second.id}" in found.pop()


def test_a_room_without_a_doorway_is_told() -> None:
    far = HOME.doorways[0].model_copy(update={"at": (0.0, -9.0)})
    found = problems(doorways=(far,))
    assert any("away from the outline" in text for text in found)
    assert any("no path leads" in text for text in found)


def test_furniture_in_a_wall_and_overlapping_furniture_are_told() -> None:
    first, *rest = HOME.fixtures
    inside = first.model_copy(update={"pose": first.pose.model_copy(update={"y": -0.1, "x": 2.0})})
    assert any(f"'{first.id}' reaches into a wall" in text for text in problems(fixtures=(inside, *rest)))
    twin = first.model_copy(update={"id": "twin", "name": "twin", "pose": nudged(first.pose)})
    found = problems(fixtures=(*HOME.fixtures, twin))
    assert any(f"'{first.id}' and 'twin' overlap" in text for text in found)


def nudged(pose: Pose2) -> Pose2:
    x, y = pose.to_parent(0.1, 0.0)
    return pose.model_copy(update={"x": x, "y": y})


def test_a_place_where_the_robot_does_not_fit_is_told_with_the_reason() -> None:
    fixture = HOME.fixtures[0]
    inside = Place(id="inside", name="inside", room=fixture.room, pose=fixture.pose)
    assert any("does not fit at place 'inside'" in text for text in problems(places=(inside,)))
    x, y = HOME.places[0].pose.x, HOME.places[0].pose.y
    corners = ((x - 0.5, y - 0.5), (x + 0.5, y - 0.5), (x + 0.5, y + 0.5), (x - 0.5, y + 0.5))
    zone = NoGoZone(id="cord", name="cord", polygon=corners)
    assert any("it is in the no-go zone 'cord'" in text for text in problems(no_go_zones=(zone,)))
