from pathlib import Path

import pytest

from openral_core.geometry import Pose
from openral_core.object_states import StateSource, UnknownState
from openral_core.spatial_memory import EditOperation, EditStatus, MemoryEdit
from openral_core.text import Thesaurus
from openral_world_state.spatial_memory.memory import SpatialMemory
from openral_world_state.spatial_memory.record import ObjectRecord
from openral_world_state.world.object_states import BY_SKILL, REPEAT, ObjectStates


@pytest.fixture
def memory(tmp_path: Path) -> SpatialMemory:
    memory = SpatialMemory(tmp_path / "memory.db", Thesaurus.load())
    memory.touch(ObjectRecord("mug_1", "mug", Pose(), votes={"mug": 1.0}))
    memory.commit()
    return memory


def words(states: ObjectStates, name: str) -> tuple[str, ...]:
    return tuple(state.in_words(states.now) for state in states.of(name))


def test_states_outlive_the_process(memory: SpatialMemory, tmp_path: Path) -> None:
    ObjectStates(memory).set("lamp", "on", StateSource.REPORTED, 50.0)
    memory.commit()
    memory.close()
    again = ObjectStates(SpatialMemory(tmp_path / "memory.db", Thesaurus.load()))
    again.advance(70.0)
    assert words(again, "lamp") == ("on (reported 20 s ago)",)


def test_a_state_that_no_longer_holds_is_not_told(memory: SpatialMemory) -> None:
    states = ObjectStates(memory)
    states.set("mug_1", "full", StateSource.REPORTED, 0.0)
    states.set("mug_1", "dirty", StateSource.TOLD, 0.0)
    states.advance(5000.0)
    assert [state.value for state in states.of("mug_1")] == ["dirty"]


def test_a_new_value_replaces_the_old_one_of_its_dimension_alone(memory: SpatialMemory) -> None:
    states = ObjectStates(memory)
    for value in ("on", "dirty", "off"):
        states.set("lamp", value, StateSource.SEEN, 10.0)
    assert [state.value for state in states.of("lamp")] == ["dirty", "off"]


def test_what_is_seen_many_times_is_stored_now_and_then(memory: SpatialMemory) -> None:
    states = ObjectStates(memory)
    changed = [states.set("fridge", "closed", StateSource.SEEN, 0.2 * step) for step in range(400)]
    assert sum(changed) == 1 + int(0.2 * 399 / REPEAT)


def test_an_image_does_not_overrule_what_the_operator_has_just_said(memory: SpatialMemory) -> None:
    states = ObjectStates(memory)
    states.set("fridge", "open", StateSource.TOLD, 100.0)
    assert not states.set("fridge", "closed", StateSource.SEEN, 101.0)
    assert states.set("fridge", "closed", StateSource.REPORTED, 102.0)
    states.set("fridge", "open", StateSource.TOLD, 103.0)
    assert states.set("fridge", "closed", StateSource.SEEN, 300.0)


@pytest.mark.parametrize(("other", "source"), [("", "told"), (BY_SKILL, "reported")])
def test_an_edit_notes_who_said_it(memory: SpatialMemory, other: str, source: str) -> None:
    states = ObjectStates(memory)
    answer = states.edit(MemoryEdit(EditOperation.STATE, "mug_1", "dirty", other=other), {"lamp"})
    assert answer.status is EditStatus.EDITED
    assert words(states, "mug_1") == (f"dirty ({source} 0 s ago)",)


def test_what_is_no_state_or_no_object_is_refused(memory: SpatialMemory) -> None:
    states = ObjectStates(memory)
    broken = states.edit(MemoryEdit(EditOperation.STATE, "mug_1", "broken"), ())
    assert broken.status is EditStatus.BAD_STATE
    assert "'dirty'" in broken.message
    unicorn = states.edit(MemoryEdit(EditOperation.STATE, "mugg_1", "dirty"), ())
    assert unicorn.status is EditStatus.UNKNOWN_OBJECT
    with pytest.raises(UnknownState):
        states.set("mug_1", "heavy", StateSource.TOLD)


def test_a_state_at_a_point_is_that_of_the_nearest_object(memory: SpatialMemory) -> None:
    memory.touch(ObjectRecord("glass_1", "glass", Pose((0.1, 0.0, 0.0)), votes={"glass": 1.0}))
    states = ObjectStates(memory)
    assert states.set_at((0.08, 0.0, 0.05), "full", StateSource.REPORTED, 1.0)
    assert words(states, "glass_1") == ("full (reported 0 s ago)",)
    assert words(states, "mug_1") == ()
    assert not states.set_at((3.0, 0.0, 0.0), "full", StateSource.REPORTED, 1.0)
