"""Data association: match the observations of one frame to remembered objects.

Matches are gated by distance, cost by distance, label and size, and are assigned one to one at the lowest
total cost. An observation without a match is a part of a known object, of which the rest is hidden or out of
view; or an object that is missing elsewhere (it moved); or a new object. Records of parts are merged into the
record of the whole object once it is seen: two objects of one kind do not share their space.

Source: global nearest neighbour data association (Blackman and Popoli, Design and Analysis of Modern Tracking
Systems, 1999), with the Hungarian method of scipy.optimize.linear_sum_assignment.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from types import MappingProxyType

import numpy as np
import scipy

from openral_core.spatial_memory import Presence
from openral_core.text import TermRelation, Thesaurus
from openral_world_state.box_overlap import SAME_SPACE, are_nested, distance_to_box, shared_space
from openral_world_state.existence import is_confirmed
from openral_world_state.lifting import AmbiguousDepth
from openral_world_state.observation import Observation
from openral_world_state.people import are_person_and_thing, is_person, walked_here
from openral_world_state.spatial_memory.memory import (
    CapacityError,
    MemoryLimits,
    SpatialMemory,
    evict_for_capacity,
)
from openral_world_state.spatial_memory.record import (
    MIN_VOTE_FRACTION,
    OPERATOR_LABEL_WEIGHT,
    ObjectRecord,
    Triple,
)
from openral_world_state.tracking import (
    bounded_votes,
    create_record,
    most_probable_label,
    newest_labels,
    update_record,
)

Costs = Sequence[dict[str, float]]
MAX_PAIRS = 10_000
"""Pairs of objects known to be two [1]; beyond, they are learned again. A pair takes about 300 bytes."""
_SAME_KIND = (TermRelation.EQUAL, TermRelation.NARROWER, TermRelation.BROADER)


@dataclass(frozen=True, slots=True)
class AssociationGates:
    """Largest distance between two observations of one object that stands still.

    Sized for household objects seen by an RGB-D camera: the error of a lifted centre grows with the object,
    because a detector's box and the visible surface differ from view to view.
    """

    min: float = 0.12  # Gate of the smallest object [m].
    size_factor: float = 0.35  # Gate per length of the longest side [1].
    max: float = 0.6  # Gate of the largest object [m].
    held: float = 0.35  # Distance from the gripper, beside half its size, of the held object [m].
    part: float = 0.03  # Distance from an object's box within which the centre of its visible part lies [m].
    large: float = 0.3  # Longest side from which that distance grows with the object [m].
    part_per_side: float = 0.15  # Growth of it per length of the longest side beyond [1].
    reach: float = 1.5  # Largest distance of the centres of object and visible part [m]: of a long table.


@dataclass(frozen=True, slots=True)
class AssociationCosts:
    """Weights of the association cost; distance adds 0 to 1, as a fraction of the gate.

    The label costs order the relations: a synonym before a narrower or broader label, those before a related
    one, and that before one that excludes the record's label, which counts only in the same space.
    """

    # Cost of each relation of labels [1].
    label: Mapping[TermRelation, float] = field(
        default_factory=lambda: MappingProxyType(
            {
                TermRelation.EQUAL: 0.0,
                TermRelation.NARROWER: 0.2,
                TermRelation.BROADER: 0.2,
                TermRelation.RELATED: 0.5,
            }
        )
    )
    unrelated_label: float = 0.8  # Cost of labels that exclude each other [1].
    size: float = 0.2  # Cost per e-fold of difference in the longest side [1].
    max_size: float = 0.3  # Upper bound of the cost of size [1].
    held: float = -1.0  # Cost of the held object near the gripper; lower than that of any other match [1].
    unmatched: float = 3.0  # Cost of leaving an observation unmatched; above that of any match [1].
    same_space: float = 0.35  # Distance per mean longest side up to which two labels may name one object [1].
    min_same_space: float = 0.03  # Smallest such distance [m].
    max_size_ratio: float = 2.0  # Ratio of the longest sides up to which two sizes are of one object [1].


_COSTS = AssociationCosts()


@dataclass(frozen=True, slots=True)
class DataAssociator:
    """Match observations to records and write them to memory.

    Args:
        memory: Records to match and to update.
        thesaurus: Relates labels.
        gates: Largest distances.
        map_epoch: Records of another epoch have no usable pose and match nothing.
        limits: Largest number of objects.
    """

    memory: SpatialMemory
    thesaurus: Thesaurus
    gates: AssociationGates
    map_epoch: int
    limits: MemoryLimits = field(default_factory=MemoryLimits)
    _apart: set[frozenset[str]] = field(default_factory=set)

    def associate(
        self, observations: tuple[Observation, ...], viewpoint: Triple | None, held: str = ""
    ) -> list[ObjectRecord | CapacityError | AmbiguousDepth]:
        """Return the record of each observation, or the reason why it has none.

        Two observations of one frame never share a record.

        Args:
            observations: Of one frame.
            viewpoint: Position of the camera in map [m].
            held: Id of the object in the gripper, "" if none.
        """
        order = sorted(range(len(observations)), key=lambda i: _sort_key(observations[i]))
        matches = solve_assignment([self._candidates(observations[i], held) for i in order])
        used = {name for name in matches if name is not None}
        results: dict[int, ObjectRecord | CapacityError | AmbiguousDepth] = {}
        for i, name in zip(order, matches, strict=True):
            matched = self.memory.get(name) if name is not None else None
            try:
                results[i] = record = self._store(observations[i], matched, viewpoint, used)
                used.add(record.id)
            except (CapacityError, AmbiguousDepth) as error:
                results[i] = error
        self._merge_parts([r for r in results.values() if isinstance(r, ObjectRecord)], used)
        return [results[i] for i in range(len(observations))]

    def _candidates(self, observation: Observation, held: str) -> dict[str, float]:
        gates = self.gates
        radius = gates.max if observation.truncated else gate_radius(observation.size, gates)
        costs = {
            record.id: association_cost(observation, record, distance, gates, self.thesaurus)
            for record, distance in self.memory.near(observation.pose.position, radius)
            if record.map_epoch == self.map_epoch and record.id != held
        }
        if held and is_held(observation, self.memory.get(held), self.thesaurus, gates):
            costs[held] = _COSTS.held
        return {name: cost for name, cost in costs.items() if cost < _COSTS.unmatched}

    def _store(
        self, observation: Observation, matched: ObjectRecord | None, viewpoint: Triple | None, used: set[str]
    ) -> ObjectRecord:
        whole = self._sharing_space(observation, used) if matched is None else None
        moved = None
        if matched is None and whole is None:
            moved = None if observation.ambiguous else reidentify_moved(observation, self.memory, used)
            moved = moved or walked_here(observation, self.memory, used, self.map_epoch, self.thesaurus)
        record = matched or whole or moved
        if whole is not None and not observation.truncated and max(observation.size) <= max(whole.size):
            observation = replace(observation, ambiguous=True)
        if record is None and observation.ambiguous and not observation.from_query:
            raise AmbiguousDepth(observation.label)
        if record is None:
            evict_for_capacity(self.memory, self.limits, observation.label, observation.pose.position)
            name = self.memory.new_id(observation.label)
            record = create_record(name, observation, viewpoint, self.map_epoch, self.thesaurus)
        else:
            record.map_epoch = self.map_epoch
            update_record(record, observation, viewpoint, self.thesaurus, moved=moved is not None)
        self.memory.touch(record)
        return record

    def _sharing_space(self, observation: Observation, used: set[str]) -> ObjectRecord | None:
        """Find the object of which an unmatched observation shows a part, or more than was known; or None."""
        near = [
            (distance, record.id, record)
            for record, distance in self.memory.near(observation.pose.position, self.gates.reach)
            if record.id not in used
            and record.map_epoch == self.map_epoch
            and record.presence is not Presence.GONE
            and self._shares_space(observation, record)
            and self.thesaurus.relation(observation.label, record.label) in _SAME_KIND
        ]
        return min(near, key=lambda entry: entry[:2])[2] if near else None

    def _shares_space(self, observation: Observation, record: ObjectRecord) -> bool:
        if max(observation.size) <= max(record.size):
            return self._is_in(observation, record, self.gates.part)
        return self._is_in(record, observation, self.gates.part)

    def _is_in(
        self, part: Observation | ObjectRecord, whole: Observation | ObjectRecord, margin: float
    ) -> bool:
        """Tell if a centre lies in a box with a margin [m], larger for large objects: views miss sides."""
        margin += self.gates.part_per_side * max(max(whole.size) - self.gates.large, 0.0)
        return distance_to_box(part.pose.position, whole.pose, whole.size) <= margin

    def _merge_parts(self, records: Sequence[ObjectRecord], used: set[str]) -> None:
        """Merge the records that lie in the box of an observed object of their kind into its record.

        Records that were once seen in one frame are two objects, such as stacked plates.
        """
        for record in records:
            if record.carried or record.id not in self.memory:
                continue
            radius = min(self.gates.reach, math.hypot(*record.size) / 2.0)
            for other, _ in list(self.memory.near(record.pose.position, radius)):
                pair = frozenset((record.id, other.id))
                if other.id == record.id or other.map_epoch != self.map_epoch or other.carried:
                    continue
                if not self._is_in(other, record, 0.0) or is_confirmed(other) > is_confirmed(record):
                    continue
                is_nested = are_nested(other.pose, other.size, record.pose, record.size)
                if other.id in used and not is_nested:
                    self._set_apart(pair)
                elif pair not in self._apart and self._is_part(other, record):
                    merge_part(record, other, self.thesaurus)
                    self.memory.forget(other.id, merged_into=record.id)
                    self.memory.touch(record)

    def _is_part(self, part: ObjectRecord, whole: ObjectRecord) -> bool:
        if is_person(part.label, self.thesaurus) != is_person(whole.label, self.thesaurus):
            return False
        if shared_space(part.pose, part.size, whole.pose, whole.size) >= SAME_SPACE:
            return True
        is_same_kind = self.thesaurus.relation(part.label, whole.label) in _SAME_KIND
        return is_same_kind and max(part.size) <= max(whole.size)

    def _set_apart(self, pair: frozenset[str]) -> None:
        if len(self._apart) >= MAX_PAIRS:
            self._apart.clear()
        self._apart.add(pair)


def _sort_key(observation: Observation) -> tuple[object, ...]:
    """Order of observations that does not depend on the detector's."""
    o = observation
    geometry = (o.pose.position, o.pose.orientation, o.size, o.covariance)
    return (*geometry, o.label, o.score, o.stamp, o.source, o.truncated, o.from_query, o.track)


def solve_assignment(costs: Costs) -> list[str | None]:
    """Assign each row a column at the lowest total cost; None where a row stays unmatched.

    Args:
        costs: For each row the columns it may be matched to, with costs below that of no match.
    """
    rows_of: dict[str, int] = {}
    for row in costs:
        for column in row:
            rows_of[column] = rows_of.get(column, 0) + 1
    if all(len(row) <= 1 and all(rows_of[column] == 1 for column in row) for row in costs):
        return [next(iter(row), None) for row in costs]
    columns = sorted(rows_of)
    index_of = {name: index for index, name in enumerate(columns)}
    matrix = np.full((len(costs), len(columns) + len(costs)), _COSTS.unmatched)
    for index, row in enumerate(costs):
        for name, cost in row.items():
            matrix[index, index_of[name]] = cost
    result: list[str | None] = [None] * len(costs)
    for index, column in zip(*scipy.optimize.linear_sum_assignment(matrix), strict=True):
        if column < len(columns) and columns[column] in costs[index]:
            result[index] = columns[column]
    return result


def gate_radius(size: tuple[float, float, float], gates: AssociationGates) -> float:
    """Distance within which an object of this size is matched [m]."""
    return min(gates.max, max(gates.min, gates.size_factor * max(size)))


def association_cost(
    observation: Observation,
    record: ObjectRecord,
    distance: float,
    gates: AssociationGates,
    thesaurus: Thesaurus,
) -> float:
    """Cost of a match from 0 to `AssociationCosts.unmatched`; infinite if it is impossible.

    Labels that exclude each other may still name one object if both fill the same space.
    """
    gate = max(gate_radius(observation.size, gates), gate_radius(record.size, gates))
    if distance > gate or are_person_and_thing(observation, record, thesaurus):
        return math.inf
    relation = label_relation(observation.label, record, thesaurus)
    a, b = max(observation.size), max(record.size)
    if relation is TermRelation.NONE:
        same_space = max(_COSTS.min_same_space, _COSTS.same_space * (a + b) / 2.0)
        if distance > same_space or not is_similar_size(observation.size, record.size):
            return math.inf
    label_cost = _COSTS.label.get(relation, _COSTS.unrelated_label)
    is_size_known = not observation.truncated and min(a, b) > 0.0
    size_cost = min(_COSTS.max_size, _COSTS.size * abs(math.log(a / b))) if is_size_known else 0.0
    return distance / gate + label_cost + size_cost


def merge_part(whole: ObjectRecord, part: ObjectRecord, thesaurus: Thesaurus) -> None:
    """Merge the record of a part into that of the whole object; the caller forgets ``part``."""
    pose, size, covariance = whole.pose, whole.size, whole.covariance
    confidence = max(whole.confidence, part.confidence)
    votes = {
        name: whole.votes.get(name, 0.0) + part.votes.get(name, 0.0) for name in whole.votes | part.votes
    }
    merge_records(whole, part)
    whole.pose, whole.size, whole.covariance, whole.confidence = pose, size, covariance, confidence
    whole.votes = bounded_votes(votes)
    whole.label = most_probable_label(whole, thesaurus)


def label_relation(label: str, record: ObjectRecord, thesaurus: Thesaurus) -> TermRelation:
    """Closest relation of a label to any name of the record, but for those of its misdetections."""
    most = max((vote for vote in record.votes.values() if vote < OPERATOR_LABEL_WEIGHT), default=0.0)
    names = (name for name in record.names if record.votes.get(name, most) >= MIN_VOTE_FRACTION * most)
    relations = [thesaurus.relation(label, name) for name in names]
    return min(relations, key=tuple(TermRelation).index)


def is_held(
    observation: Observation, held: ObjectRecord, thesaurus: Thesaurus, gates: AssociationGates
) -> bool:
    """Tell if an observation near the gripper is the object it holds."""
    is_near = observation.pose.distance(held.pose) <= gates.held + max(held.size) / 2.0
    return is_near and label_relation(observation.label, held, thesaurus) is not TermRelation.NONE


def is_similar_size(first: tuple[float, float, float], second: tuple[float, float, float]) -> bool:
    """Tell if the longest sides are of one object; an unknown size fits any."""
    a, b = max(first), max(second)
    return a <= 0.0 or b <= 0.0 or 1.0 / _COSTS.max_size_ratio <= a / b <= _COSTS.max_size_ratio


def reidentify_moved(observation: Observation, memory: SpatialMemory, used: set[str]) -> ObjectRecord | None:
    """Return the missing object that an unmatched observation is: it moved; None if there is none."""
    missing = [
        record
        for record, relation in memory.missing(observation.label)
        if relation in _SAME_KIND and record.id not in used and is_similar_size(observation.size, record.size)
    ]
    return max(missing, key=lambda record: (record.last_seen, record.id), default=None)


def reappeared_as(gone: ObjectRecord, memory: SpatialMemory, thesaurus: Thesaurus) -> ObjectRecord | None:
    """Return the one object of the same kind first seen after ``gone`` was last seen: it moved there."""
    candidates = {
        record.id: record
        for record, relation in memory.related(gone.label)
        if relation in _SAME_KIND
        and record.id != gone.id
        and record.presence is Presence.PRESENT
        and record.first_seen > gone.last_seen
        and is_similar_size(gone.size, record.size)
        and label_relation(record.label, gone, thesaurus) in _SAME_KIND
    }
    return next(iter(candidates.values())) if len(candidates) == 1 else None


def merge_records(target: ObjectRecord, other: ObjectRecord) -> None:
    """Merge ``other`` into ``target``, the newest state first; the caller forgets ``other``."""
    newest, oldest = (other, target) if other.last_seen >= target.last_seen else (target, other)
    target.pose, target.size, target.covariance = newest.pose, newest.size, newest.covariance
    target.presence, target.misses, target.last_checked = newest.presence, newest.misses, newest.last_checked
    target.confidence, target.viewpoint, target.source = newest.confidence, newest.viewpoint, newest.source
    target.votes = {**other.votes, **target.votes}
    operator_labels = [label for label, weight in target.votes.items() if weight >= OPERATOR_LABEL_WEIGHT]
    target.label = (
        target.label if target.label in operator_labels else next(iter(operator_labels), target.label)
    )
    target.aliases = tuple(dict.fromkeys((*target.aliases, *other.aliases)))
    target.unprompted = newest_labels(target.unprompted, other.unprompted)
    target.grasped = target.grasped or other.grasped
    target.observations += other.observations
    target.first_seen = min(oldest.first_seen, newest.first_seen)
    target.last_seen = newest.last_seen
