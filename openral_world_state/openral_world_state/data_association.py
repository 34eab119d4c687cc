"""One snapshot taken into memory."""
# MERGED Which observation is which remembered object: one to one, the cheapest together.
# MERGED How much an observation looks like a remembered object.
# MERGED Moved or new: which missing object an unexplained one is.

import math
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from scipy.optimize import linear_sum_assignment

from openral_core.scene_graph import Presence
from openral_core.text import TermRelation, Thesaurus
from openral_world_state.observation import Observation
from openral_world_state.spatial_memory.memory import SpatialMemory
from openral_world_state.spatial_memory.record import OPERATORS_WORD, ObjectRecord, Triple
from openral_world_state.track_update import (
    CapacityError,
    MemoryLimits,
    create_record,
    evict_for_capacity,
    update_record,
)

Costs = Sequence[dict[str, float]]
_UNMATCHED = 3.0


def solve_assignment(costs: Costs) -> list[str | None]:
    """For each row the column it is matched to, None for none.

    Args:
        costs: For each row the columns it may be matched to, each cost below 3.
    """
    taken: dict[str, int] = {}
    for row in costs:
        for column in row:
            taken[column] = taken.get(column, 0) + 1
    easy = all(len(row) <= 1 and all(taken[column] == 1 for column in row) for row in costs)
    return [next(iter(row), None) for row in costs] if easy else _optimal(costs, sorted(taken))


def _optimal(costs: Costs, columns: list[str]) -> list[str | None]:
    place = {name: index for index, name in enumerate(columns)}
    matrix = np.full((len(costs), len(columns) + len(costs)), _UNMATCHED)
    for index, row in enumerate(costs):
        for name, value in row.items():
            matrix[index, place[name]] = value
    result: list[str | None] = [None] * len(costs)
    for index, column in zip(*linear_sum_assignment(matrix), strict=True):
        if column < len(columns) and columns[column] in costs[index]:
            result[index] = columns[column]
    return result


_LABEL_COST = {
    TermRelation.EQUAL: 0.0,
    TermRelation.NARROWER: 0.2,
    TermRelation.BROADER: 0.2,
    TermRelation.RELATED: 0.5,
}
_OVERLAP = 0.35
_LARGER = 2.0
_IN_HAND = 0.35


@dataclass(frozen=True, slots=True)
class AssociationGates:
    """How far apart two sights of one still object may be.

    ``least`` [m] whatever its size, plus ``share`` of its longest side, never above ``most`` [m].
    """

    least: float = 0.12
    share: float = 0.35
    most: float = 0.6


def gate_radius(size: tuple[float, float, float], gates: AssociationGates) -> float:
    """Distance within which an object of this size is looked for [m]."""
    return min(gates.most, max(gates.least, gates.share * max(size)))


def association_cost(
    seen: Observation, record: ObjectRecord, distance: float, gates: AssociationGates, thesaurus: Thesaurus
) -> float:
    """Unlikeness in [0, 2), infinite when they cannot be one object.

    Labels that exclude each other may still name one object, if both fill the same space.
    """
    reach = max(gate_radius(seen.size, gates), gate_radius(record.size, gates))
    if distance > reach:
        return math.inf
    relation = label_relation(seen.label, record, thesaurus)
    if relation is TermRelation.NONE and not _same_space(seen, record, distance):
        return math.inf
    return distance / reach + _LABEL_COST.get(relation, 0.8) + _size_cost(seen, record)


def label_relation(label: str, record: ObjectRecord, thesaurus: Thesaurus) -> TermRelation:
    """The best relation of a label to any name of the record."""
    relations = [thesaurus.relation(label, name) for name in record.names]
    return min(relations, key=tuple(TermRelation).index)


def is_held(seen: Observation, held: ObjectRecord, thesaurus: Thesaurus) -> bool:
    """Whether an observation near the gripper is what the gripper holds."""
    near = seen.pose.distance(held.pose) <= _IN_HAND + max(held.size) / 2.0
    return near and label_relation(seen.label, held, thesaurus) is not TermRelation.NONE


def similar_size(first: tuple[float, float, float], second: tuple[float, float, float]) -> bool:
    """Whether the longest sides are within a factor of two; an unknown size fits any."""
    a, b = max(first), max(second)
    return a <= 0.0 or b <= 0.0 or 1.0 / _LARGER <= a / b <= _LARGER


def _same_space(seen: Observation, record: ObjectRecord, distance: float) -> bool:
    mean = (max(seen.size) + max(record.size)) / 2.0
    return distance <= max(0.03, _OVERLAP * mean) and similar_size(seen.size, record.size)


def _size_cost(seen: Observation, record: ObjectRecord) -> float:
    a, b = max(seen.size), max(record.size)
    if seen.truncated or a <= 0.0 or b <= 0.0:
        return 0.0
    return min(0.3, 0.2 * abs(math.log(a / b)))


_SAME = (TermRelation.EQUAL, TermRelation.NARROWER, TermRelation.BROADER)


def reidentify_moved(seen: Observation, memory: SpatialMemory, used: set[str]) -> ObjectRecord | None:
    """The object that was looked for in vain where it was, and that this is: moved, not new."""
    found = [
        record
        for record, relation in memory.missing(seen.label)
        if relation in _SAME and record.id not in used and similar_size(seen.size, record.size)
    ]
    return max(found, key=lambda r: (r.last_seen, r.id), default=None)


def reappeared_as(gone: ObjectRecord, memory: SpatialMemory, thesaurus: Thesaurus) -> ObjectRecord | None:
    """The only object of the same name that was first seen after ``gone`` was last seen: it moved."""
    found = {
        record.id: record
        for record, relation in memory.hits(gone.label)
        if relation is TermRelation.EQUAL
        and record.id != gone.id
        and record.presence is Presence.PRESENT
        and record.first_seen > gone.last_seen
        and similar_size(gone.size, record.size)
        and label_relation(record.label, gone, thesaurus) is TermRelation.EQUAL
    }
    return next(iter(found.values())) if len(found) == 1 else None


def merge_records(kept: ObjectRecord, other: ObjectRecord) -> None:
    """Make ``kept`` what ``other`` is now; ``other`` is to be forgotten."""
    newest, oldest = (other, kept) if other.last_seen >= kept.last_seen else (kept, other)
    kept.pose, kept.size, kept.covariance = newest.pose, newest.size, newest.covariance
    kept.presence, kept.misses, kept.looked = newest.presence, newest.misses, newest.looked
    kept.confidence, kept.eye, kept.source = newest.confidence, newest.eye, newest.source
    kept.votes = {**other.votes, **kept.votes}
    given = [label for label, weight in kept.votes.items() if weight >= OPERATORS_WORD]
    kept.label = kept.label if kept.label in given else next(iter(given), kept.label)
    kept.aliases = tuple(dict.fromkeys((*kept.aliases, *other.aliases)))
    kept.observations += other.observations
    kept.first_seen = min(oldest.first_seen, newest.first_seen)
    kept.last_seen = newest.last_seen


@dataclass(frozen=True, slots=True)
class DataAssociator:
    """Decides which observation is which object, and writes that to memory.

    ``map_epoch``: objects of another epoch are not where they seem, and match nothing; ``limits``: how
    many objects there may be.
    """

    memory: SpatialMemory
    thesaurus: Thesaurus
    gates: AssociationGates
    map_epoch: int
    limits: MemoryLimits = field(default_factory=MemoryLimits)

    def take_in(
        self, observations: tuple[Observation, ...], eye: Triple | None, held: str = ""
    ) -> list[ObjectRecord | CapacityError]:
        """The record of each observation, or why it has none; two of one snapshot are never one object.

        What looks like the ``held`` record, near the gripper, is it.
        """
        order = sorted(range(len(observations)), key=lambda i: _key(observations[i]))
        matches = solve_assignment([self._candidates(observations[i], held) for i in order])
        used = {name for name in matches if name is not None}
        taken: dict[int, ObjectRecord | CapacityError] = {}
        for i, name in zip(order, matches, strict=True):
            known = self.memory.get(name) if name is not None else None
            try:
                taken[i] = record = self._take(observations[i], known, eye, used)
                used.add(record.id)
            except CapacityError as refusal:
                taken[i] = refusal
        return [taken[i] for i in range(len(observations))]

    def _candidates(self, seen: Observation, held: str) -> dict[str, float]:
        reach = self.gates.most if seen.truncated else gate_radius(seen.size, self.gates)
        costs = {
            record.id: association_cost(seen, record, distance, self.gates, self.thesaurus)
            for record, distance in self.memory.near(seen.pose.position, reach)
            if record.map_epoch == self.map_epoch and record.id != held
        }
        if held and is_held(seen, self.memory.get(held), self.thesaurus):
            costs[held] = -1.0
        return {name: value for name, value in costs.items() if value < 3.0}

    def _take(
        self, seen: Observation, record: ObjectRecord | None, eye: Triple | None, used: set[str]
    ) -> ObjectRecord:
        moved = reidentify_moved(seen, self.memory, used) if record is None else None
        known = record or moved
        if known is None:
            evict_for_capacity(self.memory, self.limits, seen.label, seen.pose.position)
            known = create_record(self.memory.new_id(seen.label), seen, eye, self.map_epoch)
        else:
            known.map_epoch = self.map_epoch
            update_record(known, seen, eye, self.thesaurus, moved=moved is not None)
        self.memory.touch(known)
        return known


def _key(seen: Observation) -> tuple[object, ...]:
    """An order that does not depend on the detector's."""
    place = (seen.pose.position, seen.pose.orientation, seen.size, seen.covariance)
    return (*place, seen.label, seen.score, seen.stamp, seen.source, seen.truncated, seen.asked, seen.track)
