"""Association of observations with the map: furniture, open doors, and people in their places."""

from pathlib import Path

import pytest

from openral_core.geometry import Pose
from openral_core.home_map import load_map
from openral_core.text import Thesaurus
from openral_world_state.map_association import MapAssociator
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
