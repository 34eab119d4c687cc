"""Edits by the operator: carried out, or refused with what exists."""

import math
from dataclasses import replace

import pytest

from openral_core.geometry import Pose
from openral_core.spatial_memory import EditOperation, EditStatus, MemoryEdit, RecallQuery
from openral_core.text import Thesaurus
from openral_world_state.data_association import AssociationGates, DataAssociator
from openral_world_state.queries.edit import edit
from openral_world_state.spatial_memory.memory import SpatialMemory
from openral_world_state.spatial_memory.record import ObjectRecord
from openral_world_state.static_map import StaticMap
from openral_world_state.tracking import Observation
from openral_world_state.world import WorldModel, WorldModelSettings

THESAURUS = Thesaurus.load()


@pytest.fixture
def memory() -> SpatialMemory:
    made = SpatialMemory(None, THESAURUS)
    for number, label in enumerate(("mug", "bread", "wine bottle")):
        name = f"{label.replace(' ', '_')}_{number}"
        made.touch(ObjectRecord(name, label, Pose((float(number), 0.0, 1.0)), votes={label: 1.0}))
    made.commit()
    return made


@pytest.mark.parametrize(
    ("asked", "words"),
    [
        (MemoryEdit(EditOperation.RENAME, "bread_1", label=" rye  bread "), "renamed bread_1 to 'rye bread'"),
        (
            MemoryEdit(EditOperation.MOVE, "mug_0", position=(1.0, 2.0, 0.5)),
            "moved mug_0 to (1.00, 2.00, 0.50) m",
        ),
        (MemoryEdit(EditOperation.FORGET, "mug_0"), "forgot mug_0"),
        (MemoryEdit(EditOperation.MERGE, "mug_0", other="bread_1"), "merged bread_1 into mug_0"),
    ],
)
def test_says_what_it_did(memory: SpatialMemory, asked: MemoryEdit, words: str) -> None:
    revision = memory.revision
    result = edit(memory, asked, THESAURUS)
    assert (result.status, result.message, result.revision) == (EditStatus.EDITED, words, revision + 1)


@pytest.mark.parametrize(
    ("asked", "status", "words"),
    [
        (MemoryEdit(EditOperation.FORGET, "mugg_7"), EditStatus.UNKNOWN_OBJECT, "unknown object 'mugg_7'"),
        (
            MemoryEdit(EditOperation.MERGE, "mug_0", other="?"),
            EditStatus.UNKNOWN_OBJECT,
            "unknown object '?'",
        ),
        (MemoryEdit(EditOperation.RENAME, "mug_0", label="!"), EditStatus.BAD_LABEL, "names no object"),
        (
            MemoryEdit(EditOperation.MOVE, "mug_0", position=(math.nan, 0.0, 0.0)),
            EditStatus.BAD_POSITION,
            "three finite numbers",
        ),
        (MemoryEdit(EditOperation.MERGE, "mug_0", other="mug_0"), EditStatus.SAME_OBJECT, "same object"),
        (MemoryEdit(9, "mug_0"), EditStatus.BAD_OPERATION, "unknown operation 9; valid are '0 (RENAME)'"),
    ],
)
def test_a_refusal_leaves_memory_as_it_was(
    memory: SpatialMemory, asked: MemoryEdit, status: EditStatus, words: str
) -> None:
    before = {record.id: replace(record, votes=dict(record.votes)) for record in memory}
    result = edit(memory, asked, THESAURUS)
    assert (result.status, words in result.message) == (status, True)
    assert {record.id: record for record in memory} == before
    assert not memory.commit()


def test_an_unknown_id_is_answered_with_the_nearest_that_exist(memory: SpatialMemory) -> None:
    result = edit(memory, MemoryEdit(EditOperation.FORGET, "wine_botle_9"), THESAURUS)
    assert result.known[0] == "wine_bottle_2"
    assert "wine_bottle_2" in result.message


def test_what_is_forgotten_in_the_gripper_is_no_longer_carried() -> None:
    world = WorldModel(SpatialMemory(None, THESAURUS), StaticMap(), WorldModelSettings(), THESAURUS)
    world.memory.touch(ObjectRecord("mug_1", "mug", Pose((0.0, 0.0, 1.0)), votes={"mug": 1.0}))
    world.update_held_object("mug", Pose((0.0, 0.0, 1.0)), 1.0)
    assert world.held_object.held == "mug_1"
    world.edit(MemoryEdit(EditOperation.FORGET, "mug_1"))
    world.held_object.move(Pose((1.0, 0.0, 1.0)))
    assert world.held_object.held == ""
    assert "mug_1" not in world.memory


def test_detectors_do_not_outvote_the_operator(memory: SpatialMemory) -> None:
    edit(memory, MemoryEdit(EditOperation.RENAME, "wine_bottle_2", label="oil flask"), THESAURUS)
    record = memory.get("wine_bottle_2")
    associator = DataAssociator(memory, THESAURUS, AssociationGates(), 0)
    for stamp in range(200):
        seen = Observation("wine bottle", 1.0, record.pose, (0.1, 0.1, 0.3), (1e-4, 0, 0) * 3, stamp, "d")
        assert associator.associate((seen,), None) == [record]
    assert record.label == "oil flask"
    world = WorldModel(memory, StaticMap(), WorldModelSettings(), THESAURUS)
    assert [match.node_id for match in world.recall(RecallQuery("flask"), 1.0).matches] == ["wine_bottle_2"]
    assert not world.recall(RecallQuery("wine bottle"), 1.0).matches


def test_the_operators_word_survives_being_joined(memory: SpatialMemory) -> None:
    edit(memory, MemoryEdit(EditOperation.RENAME, "bread_1", label="stone"), THESAURUS)
    edit(memory, MemoryEdit(EditOperation.MERGE, "mug_0", other="bread_1"), THESAURUS)
    assert memory.get("mug_0").label == "stone"
