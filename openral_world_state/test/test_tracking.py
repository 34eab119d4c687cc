"""Memory at its limits: what gives way, what is refused, and that it ends."""

from dataclasses import replace

import numpy as np
import pytest

from openral_core.geometry import Pose
from openral_core.spatial_memory import Presence
from openral_core.text import Thesaurus
from openral_world_state.data_association import AssociationGates, DataAssociator
from openral_world_state.observation import Observation
from openral_world_state.spatial_memory.memory import (
    DensityLimitExceeded,
    MemoryFull,
    MemoryLimits,
    SpatialMemory,
)
from openral_world_state.spatial_memory.record import ObjectRecord

THESAURUS = Thesaurus.load()
SURE = (1e-4, 0.0, 0.0, 0.0, 1e-4, 0.0, 0.0, 0.0, 1e-4)


def sight(label: str, x: float, y: float = 0.0, stamp: float = 1.0) -> Observation:
    return Observation(label, 0.9, Pose((x, y, 1.0)), (0.1, 0.1, 0.1), SURE, stamp, "detector")


def associator(**limits: int) -> DataAssociator:
    return DataAssociator(
        SpatialMemory(None, THESAURUS), THESAURUS, AssociationGates(), 0, MemoryLimits(**limits)
    )


def test_what_may_still_be_there_is_never_dropped_for_something_new() -> None:
    made = associator(objects=3)
    made.associate(tuple(sight("mug", float(x)) for x in range(3)), None)
    (refusal,) = made.associate((sight("mug", 9.0),), None)
    assert isinstance(refusal, MemoryFull)
    assert "object limit (3) reached and no object is gone" in str(refusal)
    (known,) = made.associate((sight("mug", 2.0, stamp=2.0),), None)
    assert isinstance(known, ObjectRecord)
    assert len(made.memory) == 3


def test_what_was_gone_longest_gives_way() -> None:
    made = associator(objects=3)
    for x, label in enumerate(("mug", "lamp", "sofa")):
        made.associate((sight(label, float(x), stamp=float(x)),), None)
    for record in list(made.memory)[:2]:
        record.presence = Presence.GONE
        made.memory.touch(record)
    (new,) = made.associate((sight("piano", 9.0, stamp=9.0),), None)
    assert isinstance(new, ObjectRecord)
    assert sorted(record.label for record in made.memory) == ["lamp", "piano", "sofa"]


def test_a_crowd_in_one_place_ends() -> None:
    made = associator(max_per_cell=10)
    things = ("mug", "lamp", "sofa", "piano", "apple", "shoe", "tv", "bed", "rug", "door", "fork", "bus")
    places = [(0.01 + 0.08 * (i % 6), 0.1 + 0.1 * (i // 6)) for i in range(len(things))]
    crowd = (sight(label, *place) for label, place in zip(things, places, strict=True))
    taken = [made.associate((one,), None)[0] for one in crowd]
    assert all(isinstance(item, ObjectRecord) for item in taken[:10])
    assert all(isinstance(item, DensityLimitExceeded) for item in taken[10:])


def test_a_flood_of_hostile_detections_is_refused_and_memory_stays_bounded() -> None:
    made, rng = associator(objects=500), np.random.default_rng(0)
    refused = 0
    for number in range(300):
        x, y = rng.uniform(-50.0, 50.0, 2).tolist()
        snapshot = tuple(sight(f"zorb{number}x{part}", x + part, y, float(number)) for part in range(10))
        taken = made.associate(snapshot, None)
        made.memory.commit()
        refused += sum(isinstance(item, MemoryFull) for item in taken)
    assert len(made.memory) == 500
    assert refused == 2500
    assert len(list(made.memory.labels.labels)) == 500


@pytest.mark.parametrize("rounds", [3])
def test_labels_that_come_and_go_leave_nothing_behind(rounds: int) -> None:
    made = associator()
    for number in range(rounds * 2000):
        (record,) = made.associate((sight(f"zorb{number}", 0.0),), None)
        assert isinstance(record, ObjectRecord)
        made.memory.forget(record.id)
    labels = made.memory.labels
    assert not list(labels.labels)
    assert not labels._under
    assert not labels._named
    assert not labels._by_kind
    assert len(labels._entries._fraction) <= 4096


def test_views_of_what_the_gripper_holds_change_no_size() -> None:
    made = associator()
    (known,) = made.associate((sight("mug", 0.0),), None)
    assert isinstance(known, ObjectRecord)
    known.carried = True
    with_fingers = replace(sight("mug", 0.02, stamp=2.0), size=(0.2, 0.1, 0.2))
    (again,) = made.associate((with_fingers,), None, held=known.id)
    assert again is known
    assert (known.size, known.observations) == ((0.1, 0.1, 0.1), 2)
