"""Rooms of floor maps drawn with rectangles."""

from collections.abc import Sequence

import numpy as np
import pytest

from openral_core.floor_map import FREE, OCCUPIED, UNKNOWN, FloorMap
from openral_core.home_map import Pose2
from openral_mapping.home.rooms import RoomSegments, segment_rooms

CELL = 0.05
Box = tuple[float, float, float, float]
LEFT: Box = (0.1, 0.1, 4.1, 4.1)
RIGHT: Box = (4.2, 0.1, 8.2, 4.1)
DOOR: Box = (4.1, 1.5, 4.2, 2.4)


def drawn(free: Sequence[Box], obstacles: Sequence[Box] = (), origin: Pose2 | None = None) -> FloorMap:
    """Draw free boxes [m] in walls, then obstacles."""
    cells = np.full((round(4.2 / CELL), round(8.3 / CELL)), OCCUPIED, np.int8)
    for value, boxes in ((FREE, free), (OCCUPIED, obstacles)):
        for x0, y0, x1, y1 in (np.round(np.array(box) / CELL).astype(int) for box in boxes):
            cells[y0:y1, x0:x1] = value
    return FloorMap(np.pad(cells, 8, constant_values=UNKNOWN), CELL, origin or Pose2(x=-0.4, y=-0.4))


def label_at(segments: RoomSegments, floor: FloorMap, x: float, y: float) -> int:
    row, column = floor.cell(np.array([x, y])).tolist()
    return int(segments.regions[row, column])


def test_two_rooms_with_a_door_are_two_rooms_with_a_doorway_of_its_width() -> None:
    floor = drawn([LEFT, RIGHT, DOOR])
    found = segment_rooms(floor)
    assert found.count == 2
    assert label_at(found, floor, 2.0, 2.0) != label_at(found, floor, 6.0, 2.0)
    (passage,) = found.passages
    assert passage.at == pytest.approx((4.15, 1.95), abs=0.1)
    assert passage.width == pytest.approx(0.9, abs=0.1)


def test_a_wide_opening_joins_two_parts_to_one_room() -> None:
    assert segment_rooms(drawn([LEFT, RIGHT, (4.1, 0.8, 4.2, 3.2)])).count == 1


def test_furniture_makes_no_rooms_and_belongs_to_its_room() -> None:
    sofa, table, shelf = (0.1, 1.0, 0.9, 3.0), (1.8, 1.6, 2.8, 2.4), (0.1, 3.7, 3.0, 4.1)
    floor = drawn([LEFT, RIGHT, DOOR], [sofa, table, shelf])
    found = segment_rooms(floor)
    assert found.count == 2
    left = label_at(found, floor, 3.5, 0.5)
    for x0, y0, x1, y1 in (sofa, table, shelf):
        assert label_at(found, floor, (x0 + x1) / 2, (y0 + y1) / 2) == left


def test_a_wall_between_two_doors_is_not_taken_for_furniture() -> None:
    doors = [(4.1, 0.1, 4.2, 1.0), (4.1, 3.2, 4.2, 4.1)]
    cupboard = (3.6, 1.6, 4.1, 2.4)
    found = segment_rooms(drawn([LEFT, RIGHT, *doors], [cupboard]))
    assert found.count == 2
    assert len(found.passages) == 2


def test_rooms_without_a_door_between_them_are_two() -> None:
    found = segment_rooms(drawn([LEFT, RIGHT]))
    assert (found.count, found.passages) == (2, ())


def test_a_small_room_is_kept_and_a_niche_is_not() -> None:
    small, niche = (4.2, 0.1, 5.5, 1.5), (4.2, 3.0, 4.9, 3.6)
    found = segment_rooms(drawn([LEFT, small, (4.1, 0.5, 4.2, 1.2), niche, (4.1, 3.0, 4.2, 3.6)]))
    assert found.count == 2


@pytest.mark.parametrize("cells", [np.full((40, 60), UNKNOWN), np.full((3, 3), FREE), np.zeros((0, 0))])
def test_a_map_without_a_room_has_none(cells: np.ndarray) -> None:
    assert segment_rooms(FloorMap(cells.astype(np.int8), CELL)).count == 0


@pytest.mark.parametrize(("x", "y", "yaw"), [(0.0, 0.0, 0.0), (-12.3, 4.5, 0.7), (3.0, 30.0, -2.9)])
def test_the_origin_moves_the_doorway_with_it(x: float, y: float, yaw: float) -> None:
    origin = Pose2(x=x, y=y, yaw=yaw)
    (passage,) = segment_rooms(drawn([LEFT, RIGHT, DOOR], origin=origin)).passages
    assert passage.at == pytest.approx(origin.to_parent(4.15 + 0.4, 1.95 + 0.4), abs=0.1)
