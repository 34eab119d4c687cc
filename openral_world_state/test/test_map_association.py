"""Association of observations with the map: furniture, open doors, and people in their places."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from openral_core.detectors import Box
from openral_core.geometry import Pose
from openral_core.home_map import load_map
from openral_core.text import Thesaurus
from openral_world_state.depth_camera import DepthView, Intrinsics
from openral_world_state.map_association import MapAssociator, outline
from openral_world_state.observation import Observation
from openral_world_state.spatial_memory.memory import SpatialMemory
from openral_world_state.spatial_memory.record import OPERATOR_LABEL_WEIGHT, ObjectRecord
from openral_world_state.static_map import static_map_from_home

THESAURUS = Thesaurus.load()
HOME = load_map(Path(__file__).parents[2] / "scenes" / "maps" / "home.yaml")
MAP = MapAssociator(static_map_from_home(HOME), THESAURUS)


def record(label: str, at: tuple[float, float, float], size: tuple[float, float, float]) -> ObjectRecord:
    return ObjectRecord(f"{label}_1", label, Pose(at), size, votes={label: 1.0})


@pytest.mark.parametrize(
    ("label", "at", "size", "node"),
    [
        pytest.param("sofa", (9.53, 1.9, 0.57), (1.6, 2.0, 0.7), "sofa", id="as large as it is"),
        pytest.param("counter", (2.84, 3.92, 0.41), (0.9, 0.14, 0.8), "kitchen_counter", id="a part of it"),
        pytest.param("sideboard", (2.0, 0.3, 0.7), (0.5, 0.4, 1.2), "cabinet", id="by another kind's name"),
        pytest.param("cabinet", (2.34, 0.85, 0.85), (0.36, 0.08, 1.3), "cabinet", id="an open door"),
        pytest.param("person", (7.9, 1.1, 0.8), (0.2, 0.2, 0.6), "requester", id="a person in their place"),
    ],
)
def test_what_fills_the_space_of_the_map_s_own_is_that(
    label: str, at: tuple[float, float, float], size: tuple[float, float, float], node: str
) -> None:
    found = MAP.node_of(record(label, at, size))
    assert found is not None
    assert found.id == node


@pytest.mark.parametrize(
    ("label", "at", "size"),
    [
        pytest.param("sofa", (7.0, 3.0, 0.4), (1.6, 0.8, 0.7), id="a sofa where the map has none"),
        pytest.param("mug", (2.0, 4.1, 0.95), (0.08, 0.08, 0.1), id="what stands on a piece"),
        pytest.param("milk", (0.5, 1.7, 0.9), (0.06, 0.06, 0.2), id="what a container holds"),
        pytest.param("person", (6.0, 3.0, 0.8), (0.5, 0.5, 1.7), id="a person elsewhere"),
        pytest.param("person", (9.5, 1.9, 0.8), (0.5, 0.5, 1.2), id="a person on the sofa"),
    ],
)
def test_everything_else_is_an_object(
    label: str, at: tuple[float, float, float], size: tuple[float, float, float]
) -> None:
    assert MAP.node_of(record(label, at, size)) is None


def test_a_map_takes_over_what_memory_had_of_it_but_not_what_an_operator_named() -> None:
    memory = SpatialMemory(None, THESAURUS)
    named = record("counter", (2.0, 4.1, 0.5), (1.0, 0.5, 0.9))
    named.votes["counter"] = OPERATOR_LABEL_WEIGHT
    for each in (
        record("sofa", (9.5, 2.0, 0.5), (1.0, 1.5, 0.7)),
        record("mug", (2.0, 4.1, 1.0), (0.1,) * 3),
        named,
    ):
        memory.touch(each)
    MAP.take_over(memory)
    assert {each.label for each in memory} == {"mug", "counter"}
    assert memory.current_id("sofa_1") == "sofa"


# From (8, 3.85, 1.1) m along x, to the lamp at (9.6, 3.85) m and the wall behind it.
T_MAP_CAMERA = np.array([[0, 0, 1, 8.0], [-1, 0, 0, 3.85], [0, -1, 0, 1.1], [0, 0, 0, 1]], float)
VIEW = DepthView(
    "head",
    1.0,
    np.ones((480, 640), np.float32),
    Intrinsics(np.array([[400.0, 0, 320], [0, 400, 240], [0, 0, 1]]), 640, 480),
    T_MAP_CAMERA,
)
LAMP = Box(275.0, 105.0, 365.0, 480.0)  # Its outline as a person would draw it [px].
AT_WALL = Observation(
    "lamp", 0.9, Pose((9.99, 3.85, 0.8)), (0.5, 0.01, 1.6), (1e-4, 0, 0) * 3, 1.0, "d", cut=True, box=LAMP
)


def test_the_outline_of_a_piece_is_where_its_corners_are_and_ends_at_the_image() -> None:
    seen = outline(VIEW, Pose((9.6, 3.85, 0.8)), (0.34, 0.34, 1.6))
    assert seen is not None
    assert seen.iou(LAMP) > 0.9
    assert outline(VIEW, Pose((7.0, 3.85, 0.8)), (0.34, 0.34, 1.6)) is None  # behind the camera


@pytest.mark.parametrize(
    ("each", "node"),
    [
        pytest.param(AT_WALL, "floor_lamp", id="depth fell through it to the wall"),
        pytest.param(replace(AT_WALL, cut=False), None, id="an undoubted place is believed"),
        pytest.param(replace(AT_WALL, label="plant"), None, id="another name"),
        pytest.param(replace(AT_WALL, box=Box(0.0, 115.0, 86.0, 480.0)), None, id="another direction"),
        pytest.param(
            replace(AT_WALL, box=Box(310.0, 200.0, 330.0, 300.0)), None, id="a smaller one before it"
        ),
        pytest.param(replace(AT_WALL, box=None), None, id="no box"),
    ],
)
def test_where_depth_is_doubtful_the_image_tells_the_piece(each: Observation, node: str | None) -> None:
    found = MAP.node_shown(VIEW, each)
    assert (found and found.id) == node
