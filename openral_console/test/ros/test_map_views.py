"""Floor and found home as JSON values for the page."""

import json

import numpy as np
import pytest

pytest.importorskip("rclpy")

from nav_msgs.msg import OccupancyGrid
from std_msgs.msg import String

from openral_console.ros import map_views
from openral_console.ros.fold import Fold
from openral_console.sections import Sections
from openral_core.floor_map import FREE, OCCUPIED, UNKNOWN, FloorMap
from openral_core.home_edits import EditState, HomeEdits
from openral_core.home_map import Pose2
from openral_ros.conversions.floor_maps import occupancy_grid_message
from openral_testing.ros.mapper import FLAT

CELLS = np.array([[FREE, FREE, OCCUPIED], [UNKNOWN, FREE, FREE]], np.int8)


def grid(cells: np.ndarray = CELLS) -> OccupancyGrid:
    return occupancy_grid_message(FloorMap(cells, 0.05, Pose2(x=1.0, y=-2.0, yaw=0.5)), 0.0)


def test_the_floor_is_runs_of_cells_that_give_every_cell_again() -> None:
    found = json.loads(json.dumps(map_views.floor(grid())))
    runs = np.array(found["runs"]).reshape(-1, 2)
    assert (np.repeat(runs[:, 0], runs[:, 1]).reshape(found["size"][::-1]) == CELLS).all()
    assert (found["cell"], found["origin"]) == (0.05, [1.0, -2.0, 0.5])


def test_a_found_home_keeps_its_rooms_and_furniture() -> None:
    found = json.loads(json.dumps(map_views.home_map(FLAT.model_dump_json()), allow_nan=False))
    assert [room["name"] for room in found["rooms"]] == ["kitchen", "room 2"]
    assert found["furniture"][2] == {
        "id": "sofa_1",
        "kind": "sofa",
        "name": "sofa",
        "room": "room_2",
        "at": [8.4, 2.2, 3.14],
        "size": [0.9, 1.9, 0.9],
    }


def test_maps_that_cannot_be_shown_leave_the_last_ones(monkeypatch: pytest.MonkeyPatch) -> None:
    sections = Sections()
    fold = Fold(sections)
    state = EditState(edits=HomeEdits(accepted=FLAT.fixtures[:1]))
    fold.apply("/map", grid())
    fold.apply("/home_map", String(data=FLAT.model_dump_json()))
    fold.apply("/openral/home_edits", String(data=state.model_dump_json()))
    shown = {name: sections.get(name) for name in ("floor", "found_home", "home_edits")}
    assert all(shown.values())
    broken = grid()
    broken.info.resolution = float("nan")
    fold.apply("/map", broken)
    fold.apply("/map_walls", grid(np.full((2, 2), OCCUPIED, np.int8)))
    monkeypatch.setattr(map_views, "MAX_FLOOR", 5)
    fold.apply("/map", grid(CELLS.T.copy()))
    fold.apply("/home_map", String(data="no map"))
    fold.apply("/openral/home_edits", String(data="[]"))
    assert {name: sections.get(name) for name in shown} == shown
