"""States and controls in the scene graph and in the answers of the world model."""

from pathlib import Path

import pytest

from openral_core.geometry import Pose
from openral_core.home_map import load_map
from openral_core.object_states import StateReport, StateSource
from openral_core.spatial_memory import (
    EditOperation,
    EditStatus,
    MemoryEdit,
    RecallQuery,
    ResolveQuery,
    ResolveStatus,
)
from openral_core.text import Thesaurus
from openral_world_state.spatial_memory.record import ObjectRecord
from openral_world_state.world.open_world import open_world
from openral_world_state.world.world_model import WorldModel, WorldModelSettings

HOME = load_map(Path(__file__).parents[3] / "scenes" / "maps" / "home.yaml")


@pytest.fixture
def world() -> WorldModel:
    made = open_world(HOME, "", WorldModelSettings(), Thesaurus.load())
    made.memory.touch(
        ObjectRecord("mug_1", "mug", Pose((2.0, 4.1, 0.95)), votes={"mug": 3.0}, confidence=1.0)
    )
    return made


def values(world: WorldModel, name: str) -> list[str]:
    return [state.in_words() for state in world.graph().by_id[name].states]


def test_what_a_skill_opened_is_a_container_state_and_an_object_state(world: WorldModel) -> None:
    assert world.report_state(StateReport("fridge", 1.0, StateSource.REPORTED, 10.0))
    assert values(world, "fridge") == ["open (reported)"]
    assert world.report_state(StateReport("fridge", "closed", StateSource.SEEN, 11.0))
    assert values(world, "fridge") == ["closed (seen)"]
    assert not world.report_state(StateReport("sofa", 1.0, StateSource.REPORTED, 10.0))
    assert not world.report_state(StateReport("no such lamp", "on", StateSource.REPORTED, 10.0))


def test_a_door_that_is_neither_open_nor_closed_keeps_its_state(world: WorldModel) -> None:
    assert world.report_state(StateReport("fridge", 0.3, StateSource.REPORTED, 10.0))
    assert values(world, "fridge") == []


def test_a_sensor_reports_on_furniture_an_object_and_a_place(world: WorldModel) -> None:
    for what, value in (("floor_lamp", "on"), ("mug_1", "dirty"), ((2.0, 4.1, 0.95), "full")):
        assert world.report_state(StateReport(what, value, StateSource.SEEN, 10.0))
    assert values(world, "floor_lamp") == ["on (seen)"]
    assert sorted(values(world, "mug_1")) == ["dirty (seen)", "full (seen)"]


def test_an_edit_of_a_state_reaches_graph_and_recall(world: WorldModel) -> None:
    told = MemoryEdit(EditOperation.STATE, "mug_1", "dirty")
    assert world.edit(told).status is EditStatus.EDITED
    assert values(world, "mug_1") == ["dirty (told)"]
    (match,) = world.recall(RecallQuery("mug"), 0.0).matches
    assert [state.value for state in match.states] == ["dirty"]
    assert world.edit(MemoryEdit(EditOperation.STATE, "floor_lamp", "on")).status is EditStatus.EDITED
    assert values(world, "floor_lamp") == ["on (told)"]


def test_a_state_expires_with_the_clock_of_the_images(world: WorldModel) -> None:
    world.object_states.set("tv", "on", StateSource.REPORTED, 0.0)
    world.object_states.advance(3000.0)
    assert values(world, "tv") == ["on (reported)"]
    world.object_states.advance(4000.0)
    assert values(world, "tv") == []


@pytest.mark.parametrize("name", ["tv_button", "floor_lamp_switch", "TV button"])
def test_a_control_is_resolved_to_its_face_and_a_base_pose_before_it(world: WorldModel, name: str) -> None:
    found = world.resolve(ResolveQuery(name))
    assert found.status is ResolveStatus.FOUND
    assert found.target_pose is not None
    assert found.goal_pose is not None
    face, base = found.target_pose, found.goal_pose
    assert 0.5 < face.distance(Pose((base.position[0], base.position[1], face.position[2]))) < 1.3
    ahead = [b - f for f, b in zip(face.position, base.position, strict=True)]
    normal = face.matrix()[:3, 0]
    assert ahead[0] * normal[0] + ahead[1] * normal[1] > 0.4


def test_a_door_that_the_operator_opened_need_not_be_opened(world: WorldModel) -> None:
    fridge = next(site for site in world.home.containers if site.node.id == "fridge")
    milk = ObjectRecord("milk_1", "milk", fridge.node.pose, votes={"milk": 3.0}, confidence=1.0)
    world.memory.touch(milk)
    assert world.recall(RecallQuery("milk"), 0.0).matches[0].must_open == "fridge"
    assert world.edit(MemoryEdit(EditOperation.STATE, "fridge", "open")).status is EditStatus.EDITED
    assert world.recall(RecallQuery("milk"), 0.0).matches[0].must_open == ""
    assert world.edit(MemoryEdit(EditOperation.STATE, "fridge", "closed")).status is EditStatus.EDITED
    assert world.recall(RecallQuery("milk"), 0.0).matches[0].must_open == "fridge"
