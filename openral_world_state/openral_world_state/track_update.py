"""Updates of remembered objects (tracks): creation, fusion of observations, label votes, and capacity."""

import math
from dataclasses import dataclass

import numpy as np

from openral_core.errors import OpenRALError
from openral_core.geometry import Pose
from openral_core.spatial_memory import Presence
from openral_core.text import TermRelation, Thesaurus
from openral_world_state.observation import Observation
from openral_world_state.spatial_memory.memory import SpatialMemory
from openral_world_state.spatial_memory.record import (
    MIN_VOTE_FRACTION,
    OPERATOR_LABEL_WEIGHT,
    PRESENCES,
    ObjectRecord,
    Triple,
)


@dataclass(frozen=True, slots=True)
class TrackUpdateConfig:
    """Weights and gains of a track's update.

    A label's vote weighs the detector's score, ``query_weight`` times as much if the detector was asked for
    that very label. Position is fused with a Kalman gain per track; ``min_gain`` keeps a confident track
    correctable. A track whose observation lies beyond ``jump_sigma`` standard deviations has moved.

    Args:
        max_votes: Weight at which a label's votes saturate, so that a newer label can win [1].
        query_weight: Factor of an answer to a query over an unasked detection [1].
        min_score: Score below which votes do not fall [1].
        max_labels: Labels kept per object.
        initial_confidence: Confidence after the first observation, as a fraction of its score [1].
        confidence_gain: Fraction of the missing confidence gained by an observation of score 1 [1].
        max_confidence: Upper bound of confidence [1].
        min_gain: Smallest Kalman gain of an untruncated observation [1].
        jump_sigma: Distance in standard deviations from which an observation replaces the pose [1].
        jump_margin: Distance added to that [m].
        shape_variance: Ratio of variances up to which an observation replaces size and orientation [1].
        covariance_floor: Fraction of an observation's variance below which fusion does not shrink it [1].
    """

    max_votes: float = 10.0
    query_weight: float = 5.0
    min_score: float = 0.05
    max_labels: int = 8
    initial_confidence: float = 0.5
    confidence_gain: float = 0.3
    max_confidence: float = 0.99
    min_gain: float = 0.1
    jump_sigma: float = 4.0
    jump_margin: float = 0.02
    shape_variance: float = 2.0
    covariance_floor: float = 0.25


_CONFIG = TrackUpdateConfig()


def create_record(
    name: str, observation: Observation, viewpoint: Triple | None, map_epoch: int
) -> ObjectRecord:
    """Create the record of an object observed for the first time."""
    return ObjectRecord(
        id=name,
        label=observation.label,
        pose=observation.pose,
        size=observation.size,
        votes={observation.label: _vote(observation)},
        covariance=observation.covariance,
        confidence=observation.score * _CONFIG.initial_confidence,
        first_seen=observation.stamp,
        last_seen=observation.stamp,
        observations=1,
        source=observation.source,
        map_epoch=map_epoch,
        viewpoint=viewpoint,
    )


def update_record(
    record: ObjectRecord,
    observation: Observation,
    viewpoint: Triple | None,
    thesaurus: Thesaurus,
    *,
    moved: bool,
) -> None:
    """Update a record with an observation of its object.

    Args:
        record: Changed in place.
        observation: Replaces the pose of an object that moved, otherwise is fused with it.
        viewpoint: Position of the camera in map [m].
        thesaurus: Tells which label is the most specific.
        moved: The object was re-identified at another place.
    """
    if moved or (not observation.truncated and _has_jumped(record, observation)):
        record.pose, record.covariance = observation.pose, observation.covariance
        is_partial = observation.truncated
        record.size = _max_sides(record.size, observation.size) if is_partial else observation.size
    else:
        _fuse(record, observation)
    add_label_vote(record, observation.label, _vote(observation), thesaurus)
    gain = _CONFIG.confidence_gain * observation.score
    record.confidence = min(_CONFIG.max_confidence, record.confidence + (1.0 - record.confidence) * gain)
    record.presence, record.misses = Presence.PRESENT, 0
    record.last_seen = max(record.last_seen, observation.stamp)
    record.observations += 1
    record.source, record.viewpoint = observation.source, viewpoint


def add_label_vote(record: ObjectRecord, label: str, weight: float, thesaurus: Thesaurus) -> None:
    """Add to a label's weight; the most specific of the supported labels becomes the main one.

    A label that an operator gave outweighs the votes of all detectors.
    """
    before = record.votes.get(label, 0.0)
    is_given = before >= OPERATOR_LABEL_WEIGHT
    record.votes[label] = before if is_given else min(_CONFIG.max_votes, before + weight)
    if len(record.votes) > _CONFIG.max_labels:
        weakest = min(record.votes, key=lambda name: (name == label, record.votes[name], name))
        del record.votes[weakest]
    supported = support_of(record)
    best = max(supported, key=lambda name: (record.votes[name], name))
    for other in sorted(supported, key=lambda name: (-record.votes[name], name)):
        if thesaurus.relation(best, other) is TermRelation.NARROWER:
            best = other
    record.label = best


def support_of(record: ObjectRecord) -> list[str]:
    """Labels with at least `MIN_VOTE_FRACTION` of the strongest label's votes; others are misdetections."""
    most = max(record.votes.values(), default=0.0)
    return [label for label, weight in record.votes.items() if weight >= MIN_VOTE_FRACTION * most]


def _vote(observation: Observation) -> float:
    weight = _CONFIG.query_weight if observation.from_query else 1.0
    return weight * max(observation.score, _CONFIG.min_score)


def _has_jumped(record: ObjectRecord, observation: Observation) -> bool:
    variance = _variance(record.covariance) + _variance(observation.covariance)
    spread = math.sqrt(max(variance, 1e-6))
    return record.pose.distance(observation.pose) > _CONFIG.jump_sigma * spread + _CONFIG.jump_margin


def _fuse(record: ObjectRecord, observation: Observation) -> None:
    """Fuse pose and size, weighted by variance.

    Source: scalar Kalman update with the mean variance of the axes.
    """
    known = max(_variance(record.covariance), 1e-8)
    new = max(_variance(observation.covariance), 1e-8)
    gain = max(0.0 if observation.truncated else _CONFIG.min_gain, known / (known + new))
    x, y, z = (
        a + gain * (b - a) for a, b in zip(record.pose.position, observation.pose.position, strict=True)
    )
    keeps_shape = observation.truncated or new > _CONFIG.shape_variance * known
    orientation = record.pose.orientation if keeps_shape else observation.pose.orientation
    record.pose = Pose((x, y, z), orientation)
    if observation.truncated:
        record.size = _max_sides(record.size, observation.size)
    elif not keeps_shape:
        record.size = observation.size
    shrink = max(1.0 - gain, min(1.0, _CONFIG.covariance_floor * new / known))
    record.covariance = tuple(shrink * value for value in record.covariance)


def _variance(covariance: tuple[float, ...]) -> float:
    return (covariance[0] + covariance[4] + covariance[8]) / 3.0


def _max_sides(first: Triple, second: Triple) -> Triple:
    return max(first[0], second[0]), max(first[1], second[1]), max(first[2], second[2])


class CapacityError(OpenRALError):
    """Base of the errors that keep a new object out of memory."""


class MemoryFull(CapacityError):
    """Memory holds as many objects as it may, and none of them is gone."""

    def __init__(self, label: str, limit: int) -> None:
        super().__init__(
            f"{label!r} was not stored: object limit ({limit}) reached and no object is gone; "
            "forget objects or raise most_objects"
        )


class DensityLimitExceeded(CapacityError):
    """One grid cell of half a metre holds more objects than fit there."""

    def __init__(self, label: str, point: Triple, limit: int) -> None:
        x, y, z = point
        super().__init__(
            f"{label!r} was not stored: {limit} objects are already remembered near "
            f"({x:.2f}, {y:.2f}, {z:.2f}) m"
        )


@dataclass(frozen=True, slots=True)
class MemoryLimits:
    """Largest number of objects: ``objects`` in all, ``max_per_cell`` in one cube of half a metre."""

    objects: int = 20_000
    max_per_cell: int = 250


def evict_for_capacity(memory: SpatialMemory, limits: MemoryLimits, label: str, point: Triple) -> None:
    """Make room for one object; at the limit, forget the object that has been gone the longest.

    Raises:
        MemoryFull: If no object is gone; an object that may still be there is never dropped.
        DensityLimitExceeded: If there are too many around that point.
    """
    if memory.count_in_cell(point) >= limits.max_per_cell:
        raise DensityLimitExceeded(label, point, limits.max_per_cell)
    table = memory.table
    while len(memory) >= limits.objects:
        gone = np.flatnonzero(table.presence == PRESENCES.index(Presence.GONE))
        if not len(gone):
            raise MemoryFull(label, limits.objects)
        memory.forget(table.record(int(gone[np.argmin(table.last_seen[gone])])).id)
