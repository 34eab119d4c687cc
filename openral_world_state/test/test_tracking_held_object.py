"""The held object: chosen by distance, moved with the gripper, left where it opens."""

import pytest

from openral_core.geometry import Pose
from openral_core.spatial_memory import Presence
from openral_core.text import Thesaurus, UnreadableText
from openral_world_state.spatial_memory.memory import SpatialMemory
from openral_world_state.spatial_memory.record import ObjectRecord
from openral_world_state.tracking import MAX_GRASP_DISTANCE, HeldObjectTracker

THESAURUS = Thesaurus.load()
GRIPPER = Pose((0.0, 0.0, 1.0))


def memory_of(*records: ObjectRecord) -> SpatialMemory:
    memory = SpatialMemory(None, THESAURUS)
    for record in records:
        memory.touch(record)
    return memory


def mug(name: str, x: float, **more: object) -> ObjectRecord:
    return ObjectRecord(name, "mug", Pose((x, 0.0, 1.0)), votes={"mug": 1.0}, **more)  # type: ignore[arg-type]


def test_grasps_the_nearest_object_of_the_label() -> None:
    held = HeldObjectTracker(memory_of(mug("mug_1", 0.9), mug("mug_2", 0.2), mug("mug_3", 0.5)))
    record = held.grasp("mug", GRIPPER)
    assert record is not None
    assert (record.id, held.held, record.carried) == ("mug_2", "mug_2", True)
    assert record.pose.position == GRIPPER.position


@pytest.mark.parametrize(
    "record",
    [
        mug("mug_1", MAX_GRASP_DISTANCE + 0.01),
        mug("mug_1", 0.1, presence=Presence.GONE),
        mug("mug_1", 0.1, map_epoch=4),
    ],
    ids=["out of reach", "gone", "of another map"],
)
def test_does_not_grasp_an_object_that_cannot_be_in_the_gripper(record: ObjectRecord) -> None:
    held = HeldObjectTracker(memory_of(record))
    assert held.grasp("mug", GRIPPER) is None
    assert held.held == ""


def test_the_held_object_follows_the_gripper_until_its_release() -> None:
    memory = memory_of(mug("mug_1", 0.2))
    held = HeldObjectTracker(memory)
    held.grasp("mug", GRIPPER)
    held.move(Pose((3.0, 1.0, 0.8)))
    assert memory.get("mug_1").pose.position == (3.0, 1.0, 0.8)
    held.release(Pose((4.0, 1.0, 0.5)), 7.0)
    held.move(Pose((9.0, 9.0, 9.0)))
    record = memory.get("mug_1")
    assert (record.pose.position, record.carried, record.last_seen) == ((4.0, 1.0, 0.5), False, 7.0)


def test_a_release_at_an_unknown_pose_leaves_the_object_at_the_last_known_one() -> None:
    memory = memory_of(mug("mug_1", 0.2))
    held = HeldObjectTracker(memory)
    held.grasp("mug", GRIPPER)
    held.release(None, 7.0)
    assert memory.get("mug_1").pose.position == GRIPPER.position
    assert held.held == ""


def test_a_second_grasp_releases_the_first_object() -> None:
    memory = memory_of(mug("mug_1", 0.2))
    memory.touch(ObjectRecord("lamp_1", "lamp", Pose((0.3, 0.0, 1.0)), votes={"lamp": 1.0}))
    held = HeldObjectTracker(memory)
    held.grasp("mug", GRIPPER)
    held.grasp("lamp", GRIPPER)
    assert held.held == "lamp_1"
    assert not memory.get("mug_1").carried


def test_an_object_held_before_a_restart_is_still_held() -> None:
    held = HeldObjectTracker(memory_of(mug("mug_1", 0.2, carried=True)), map_epoch=2)
    held.move(GRIPPER)
    assert held.held == "mug_1"


def test_a_label_that_names_nothing_is_refused() -> None:
    with pytest.raises(UnreadableText):
        HeldObjectTracker(memory_of()).grasp("?", GRIPPER)


def test_grasps_an_object_known_by_a_broader_label_if_there_is_no_other() -> None:
    bread = ObjectRecord("bread_1", "bread", Pose((0.1, 0.0, 1.0)), votes={"bread": 1.0})
    record = HeldObjectTracker(memory_of(bread, mug("mug_1", 0.05))).grasp("baguette", GRIPPER)
    assert record is bread
