"""Edits by the operator: carried out, or refused with what exists."""

import math
from dataclasses import replace
from pathlib import Path

import pytest

from openral_core.geometry import Pose
from openral_core.spatial_memory import EditOperation, EditStatus, MemoryEdit, Presence, RecallQuery
from openral_core.text import Thesaurus
from openral_world_state.data_association import AssociationGates, DataAssociator
from openral_world_state.observation import Observation
from openral_world_state.queries.edit import MAX_UNDO, EditHistory, edit
from openral_world_state.spatial_memory.memory import SpatialMemory
from openral_world_state.spatial_memory.record import ObjectRecord
from openral_world_state.static_map import StaticMap
from openral_world_state.world.world_model import WorldModel, WorldModelSettings

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
    result = edit(memory, asked, THESAURUS, EditHistory())
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
    result = edit(memory, asked, THESAURUS, EditHistory())
    assert (result.status, words in result.message) == (status, True)
    assert {record.id: record for record in memory} == before
    assert not memory.commit()


def test_an_unknown_id_is_answered_with_the_nearest_that_exist(memory: SpatialMemory) -> None:
    result = edit(memory, MemoryEdit(EditOperation.FORGET, "wine_botle_9"), THESAURUS, EditHistory())
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
    edit(
        memory, MemoryEdit(EditOperation.RENAME, "wine_bottle_2", label="oil flask"), THESAURUS, EditHistory()
    )
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
    edit(memory, MemoryEdit(EditOperation.RENAME, "bread_1", label="stone"), THESAURUS, EditHistory())
    edit(memory, MemoryEdit(EditOperation.MERGE, "mug_0", other="bread_1"), THESAURUS, EditHistory())
    assert memory.get("mug_0").label == "stone"


UNDO = MemoryEdit(EditOperation.UNDO)
EDITS = (
    MemoryEdit(EditOperation.RENAME, "bread_1", label="rye bread"),
    MemoryEdit(EditOperation.MOVE, "mug_0", position=(1.0, 2.0, 0.5)),
    MemoryEdit(EditOperation.MERGE, "mug_0", other="bread_1"),
    MemoryEdit(EditOperation.FORGET, "mug_0"),
)


def copies(memory: SpatialMemory) -> list[ObjectRecord]:
    return [replace(record, votes=dict(record.votes)) for record in sorted(memory, key=lambda each: each.id)]


def test_edits_are_taken_back_one_after_the_other(memory: SpatialMemory) -> None:
    history, states = EditHistory(), []
    for asked in EDITS:
        states.append(copies(memory))
        assert edit(memory, asked, THESAURUS, history).status is EditStatus.EDITED
    for before in reversed(states):
        result = edit(memory, UNDO, THESAURUS, history)
        assert result.status is EditStatus.EDITED
        assert result.message.startswith("undone: ")
        assert copies(memory) == before
    assert [record.id for record, _ in memory.hits("bread")] == ["bread_1"]
    result = edit(memory, UNDO, THESAURUS, history)
    assert result.status is EditStatus.NOTHING_TO_UNDO
    assert "no edit to undo" in result.message


def test_what_was_taken_back_is_on_disk(tmp_path: Path) -> None:
    file, history = tmp_path / "memory.sqlite", EditHistory()
    memory = SpatialMemory(file, THESAURUS)
    for name in ("mug_0", "cup_1"):
        memory.touch(ObjectRecord(name, name[:3], Pose((1.0, 0.0, 1.0)), votes={name[:3]: 1.0}))
    edit(memory, MemoryEdit(EditOperation.MERGE, "mug_0", other="cup_1"), THESAURUS, history)
    edit(memory, UNDO, THESAURUS, history)
    memory.close()
    opened = SpatialMemory(file, THESAURUS)
    assert {record.id for record in opened} == {"mug_0", "cup_1"}
    assert opened.current_id("cup_1") == "cup_1"
    opened.close()


def test_what_was_seen_since_an_edit_outlives_its_undo(memory: SpatialMemory) -> None:
    history = EditHistory()
    edit(memory, EDITS[2], THESAURUS, history)
    record = memory.get("mug_0")
    record.pose, record.last_seen, record.presence = Pose((5.0, 0.0, 1.0)), 9.0, Presence.PRESENT
    memory.touch(record)
    edit(memory, UNDO, THESAURUS, history)
    assert memory.get("mug_0").pose.position == (5.0, 0.0, 1.0)
    assert memory.get("bread_1").pose.position == (1.0, 0.0, 1.0)

    edit(memory, EDITS[1], THESAURUS, history)
    record = memory.get("mug_0")
    record.last_seen = 10.0
    memory.touch(record)
    result = edit(memory, UNDO, THESAURUS, history)
    assert result.status is EditStatus.NOTHING_TO_UNDO
    assert "stays where it was seen" in result.message
    assert memory.get("mug_0").pose.position == (1.0, 2.0, 0.5)


def test_only_the_last_edits_can_be_taken_back(memory: SpatialMemory) -> None:
    history = EditHistory()
    for number in range(MAX_UNDO + 5):
        edit(memory, MemoryEdit(EditOperation.RENAME, "mug_0", label=f"mug {number}"), THESAURUS, history)
    undone = 0
    while edit(memory, UNDO, THESAURUS, history).status is EditStatus.EDITED:
        undone += 1
    assert undone == MAX_UNDO
    assert memory.get("mug_0").label == "mug 4"
