"""A remembered object after it was seen again."""
# MERGED Memory has an end: what gives way to new objects, and which of them are refused.

import math
from dataclasses import dataclass

import numpy as np

from openral_core.errors import OpenRALError
from openral_core.geometry import Pose
from openral_core.scene_graph import Presence
from openral_core.text import TermRelation, Thesaurus
from openral_world_state.observation import Observation
from openral_world_state.spatial_memory.memory import SpatialMemory
from openral_world_state.spatial_memory.record import OPERATORS_WORD, PRESENCES, ObjectRecord, Triple

_MOST_VOTES = 10.0
_ASKED = 5.0
_MOST_LABELS = 8
_COUNTS = 0.2


def create_record(name: str, seen: Observation, eye: Triple | None, map_epoch: int) -> ObjectRecord:
    """A new record of something never seen before."""
    return ObjectRecord(
        id=name,
        label=seen.label,
        pose=seen.pose,
        size=seen.size,
        votes={seen.label: _weight(seen)},
        covariance=seen.covariance,
        confidence=seen.score * 0.5,
        first_seen=seen.stamp,
        last_seen=seen.stamp,
        observations=1,
        source=seen.source,
        map_epoch=map_epoch,
        eye=eye,
    )


def update_record(
    record: ObjectRecord, seen: Observation, eye: Triple | None, thesaurus: Thesaurus, *, moved: bool
) -> None:
    """Take a new sight of a record's object in: fused where it was, or at once where it is now."""
    if moved or (not seen.truncated and _jumped(record, seen)):
        record.pose, record.covariance = seen.pose, seen.covariance
        record.size = _larger(record.size, seen.size) if seen.truncated else seen.size
    else:
        _fuse(record, seen)
    add_label_vote(record, seen.label, _weight(seen), thesaurus)
    record.confidence = min(0.99, record.confidence + (1.0 - record.confidence) * 0.3 * seen.score)
    record.presence, record.misses = Presence.PRESENT, 0
    record.last_seen = max(record.last_seen, seen.stamp)
    record.observations += 1
    record.source, record.eye = seen.source, eye


def add_label_vote(record: ObjectRecord, label: str, weight: float, thesaurus: Thesaurus) -> None:
    """Add to a label's weight; the most specific label with a fair share becomes the main one.

    Beside an operator's word, no detector's vote has a fair share.
    """
    before = record.votes.get(label, 0.0)
    record.votes[label] = before if before >= OPERATORS_WORD else min(_MOST_VOTES, before + weight)
    if len(record.votes) > _MOST_LABELS:
        weakest = min(record.votes, key=lambda each: (each == label, record.votes[each], each))
        del record.votes[weakest]
    fair = support_of(record)
    best = max(fair, key=lambda each: (record.votes[each], each))
    for other in sorted(fair, key=lambda each: (-record.votes[each], each)):
        if thesaurus.relation(best, other) is TermRelation.NARROWER:
            best = other
    record.label = best


def support_of(record: ObjectRecord) -> list[str]:
    """Labels whose votes are no mere slips of a detector."""
    most = max(record.votes.values(), default=0.0)
    return [label for label, weight in record.votes.items() if weight >= _COUNTS * most]


def _weight(seen: Observation) -> float:
    return (_ASKED if seen.asked else 1.0) * max(seen.score, 0.05)


def _jumped(record: ObjectRecord, seen: Observation) -> bool:
    spread = math.sqrt(max(_variance(record.covariance) + _variance(seen.covariance), 1e-6))
    return record.pose.distance(seen.pose) > 4.0 * spread + 0.02


def _fuse(record: ObjectRecord, seen: Observation) -> None:
    """Weighted by variance, never so sure that a better look cannot correct it."""
    known, new = max(_variance(record.covariance), 1e-8), max(_variance(seen.covariance), 1e-8)
    gain = max(0.0 if seen.truncated else 0.1, known / (known + new))
    x, y, z = (a + gain * (b - a) for a, b in zip(record.pose.position, seen.pose.position, strict=True))
    keeps_shape = seen.truncated or new > 2.0 * known
    record.pose = Pose((x, y, z), record.pose.orientation if keeps_shape else seen.pose.orientation)
    record.size = (
        _larger(record.size, seen.size) if seen.truncated else record.size if keeps_shape else seen.size
    )
    shrink = max(1.0 - gain, min(1.0, 0.25 * new / known))
    record.covariance = tuple(shrink * value for value in record.covariance)


def _variance(covariance: tuple[float, ...]) -> float:
    return (covariance[0] + covariance[4] + covariance[8]) / 3.0


def _larger(first: Triple, second: Triple) -> Triple:
    return max(first[0], second[0]), max(first[1], second[1]), max(first[2], second[2])


class CapacityError(OpenRALError):
    """Base of the reasons for which a new object is not remembered."""


class MemoryFull(CapacityError):
    """As many objects as may be remembered, and none of them gone."""

    def __init__(self, label: str, most: int) -> None:
        super().__init__(
            f"{label!r} is not remembered: there are {most} objects and none of them is gone; "
            "forget some, or raise most_objects"
        )


class DensityLimitExceeded(CapacityError):
    """More objects in half a metre than things can be."""

    def __init__(self, label: str, point: Triple, most: int) -> None:
        x, y, z = point
        super().__init__(
            f"{label!r} is not remembered: near {x:.2f}, {y:.2f}, {z:.2f} m are {most} objects already"
        )


@dataclass(frozen=True, slots=True)
class MemoryLimits:
    """How many objects are remembered: ``objects`` in all, ``crowd`` in one cube of half a metre."""

    objects: int = 20_000
    crowd: int = 250


def evict_for_capacity(memory: SpatialMemory, limits: MemoryLimits, label: str, point: Triple) -> None:
    """See to it that one more object may be remembered; at the limit, what was gone longest is forgotten.

    Raises:
        MemoryFull: If nothing is gone: what may still be there is never dropped.
        TooCrowded: If there are too many around that point.
    """
    if memory.crowd_at(point) >= limits.crowd:
        raise DensityLimitExceeded(label, point, limits.crowd)
    while len(memory) >= limits.objects:
        name = _gone_longest(memory)
        if not name:
            raise MemoryFull(label, limits.objects)
        memory.forget(name)


def _gone_longest(memory: SpatialMemory) -> str:
    columns = memory.columns
    slots = np.flatnonzero(columns.presence == PRESENCES.index(Presence.GONE))
    if not len(slots):
        return ""
    return columns.record(int(slots[np.argmin(columns.last_seen[slots])])).id
