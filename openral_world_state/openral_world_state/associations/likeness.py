"""How much an observation looks like a remembered object."""

import math
from dataclasses import dataclass

from openral_core.text import Relation, Thesaurus
from openral_world_state.memories import Record
from openral_world_state.observations import Observation

_LABEL_COST = {Relation.EQUAL: 0.0, Relation.NARROWER: 0.2, Relation.BROADER: 0.2, Relation.RELATED: 0.5}
_OVERLAP = 0.35
_LARGER = 2.0
_IN_HAND = 0.35


@dataclass(frozen=True, slots=True)
class Gates:
    """How far apart two sights of one still object may be.

    ``least`` [m] whatever its size, plus ``share`` of its longest side, never above ``most`` [m].
    """

    least: float = 0.12
    share: float = 0.35
    most: float = 0.6


def reach_of(size: tuple[float, float, float], gates: Gates) -> float:
    """Distance within which an object of this size is looked for [m]."""
    return min(gates.most, max(gates.least, gates.share * max(size)))


def cost(seen: Observation, record: Record, distance: float, gates: Gates, thesaurus: Thesaurus) -> float:
    """Unlikeness in [0, 2), infinite when they cannot be one object.

    Labels that exclude each other may still name one object, if both fill the same space.
    """
    reach = max(reach_of(seen.size, gates), reach_of(record.size, gates))
    if distance > reach:
        return math.inf
    relation = label_relation(seen.label, record, thesaurus)
    if relation is Relation.NONE and not _same_space(seen, record, distance):
        return math.inf
    return distance / reach + _LABEL_COST.get(relation, 0.8) + _size_cost(seen, record)


def label_relation(label: str, record: Record, thesaurus: Thesaurus) -> Relation:
    """The best relation of a label to any name of the record."""
    relations = [thesaurus.relation(label, name) for name in record.names]
    return min(relations, key=tuple(Relation).index)


def is_held(seen: Observation, held: Record, thesaurus: Thesaurus) -> bool:
    """Whether an observation near the gripper is what the gripper holds."""
    near = seen.pose.distance(held.pose) <= _IN_HAND + max(held.size) / 2.0
    return near and label_relation(seen.label, held, thesaurus) is not Relation.NONE


def similar_size(first: tuple[float, float, float], second: tuple[float, float, float]) -> bool:
    """Whether the longest sides are within a factor of two; an unknown size fits any."""
    a, b = max(first), max(second)
    return a <= 0.0 or b <= 0.0 or 1.0 / _LARGER <= a / b <= _LARGER


def _same_space(seen: Observation, record: Record, distance: float) -> bool:
    mean = (max(seen.size) + max(record.size)) / 2.0
    return distance <= max(0.03, _OVERLAP * mean) and similar_size(seen.size, record.size)


def _size_cost(seen: Observation, record: Record) -> float:
    a, b = max(seen.size), max(record.size)
    if seen.truncated or a <= 0.0 or b <= 0.0:
        return 0.0
    return min(0.3, 0.2 * abs(math.log(a / b)))
