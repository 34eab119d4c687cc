"""Comparison of two memories of one home: which objects agree, and what differs about the others."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from math import dist

import numpy as np
from scipy.optimize import linear_sum_assignment

from openral_core.spatial_memory import NodeKind, Presence, Relation, SceneGraph, SceneNode
from openral_core.text import TermRelation, Thesaurus

RELABELLED_WITHIN = 0.15
"""Distance up to which two labels may name one object [m]: a household object's size."""
FORBIDDEN = 1e6
"""Cost of a pair that cannot be one object [m]: beyond any home."""


class MemoryDifference(StrEnum):
    """Result of the comparison of one object."""

    SAME = "same"
    MOVED = "moved"
    RELABELLED = "relabelled"
    PRESENCE = "presence differs"
    MISSING = "missing"
    NEW = "new"


@dataclass(frozen=True, slots=True)
class ComparedObject:
    """One object in both memories, or in one of them; ``apart`` is the distance between both poses [m]."""

    outcome: MemoryDifference
    before: SceneNode | None
    after: SceneNode | None
    before_place: str = ""
    after_place: str = ""

    @property
    def apart(self) -> float | None:
        """Distance between both positions [m], None unless both are known."""
        if self.before is None or self.after is None:
            return None
        return dist(self.before.pose.position, self.after.pose.position)

    def document(self) -> dict[str, object]:
        """Return plain values; positions in [m], the distance in [cm]."""
        apart = self.apart
        return {
            "outcome": self.outcome.value,
            "before": _document(self.before, self.before_place),
            "after": _document(self.after, self.after_place),
            "apart_cm": None if apart is None else round(100.0 * apart, 1),
        }


def compare(
    before: SceneGraph, after: SceneGraph, tolerance: float, thesaurus: Thesaurus
) -> list[ComparedObject]:
    """Pair the objects of two graphs and compare each pair; objects that are gone are left out.

    Objects of one label are paired at the smallest total distance; then the rest, of any label, within
    `RELABELLED_WITHIN`.

    Args:
        before: Memory that is expected.
        after: Memory to judge.
        tolerance: Distance up to which two positions are the same [m].
        thesaurus: Tells whether two labels name the same kind.

    Returns:
        Differences first, each group ordered by label.
    """

    def is_same_label(one: SceneNode, other: SceneNode) -> bool:
        return thesaurus.relation(one.label, other.label) is TermRelation.EQUAL

    def is_near(one: SceneNode, other: SceneNode) -> bool:
        return dist(one.pose.position, other.pose.position) <= RELABELLED_WITHIN

    old, new = _objects(before), _objects(after)
    pairs = _assigned(old, new, is_same_label)
    pairs += _assigned(*_unpaired(old, new, pairs), is_near)
    missing, added = _unpaired(old, new, pairs)
    compared = [
        ComparedObject(
            _outcome(one, other, tolerance, is_same_label(one, other)),
            one,
            other,
            place_of(before, one),
            place_of(after, other),
        )
        for one, other in pairs
    ]
    compared += [
        ComparedObject(MemoryDifference.MISSING, node, None, place_of(before, node)) for node in missing
    ]
    compared += [
        ComparedObject(MemoryDifference.NEW, None, node, "", place_of(after, node)) for node in added
    ]
    return sorted(compared, key=_order)


_ORDER = (
    MemoryDifference.MISSING,
    MemoryDifference.NEW,
    MemoryDifference.MOVED,
    MemoryDifference.RELABELLED,
    MemoryDifference.PRESENCE,
    MemoryDifference.SAME,
)
Pairs = list[tuple[SceneNode, SceneNode]]


def _objects(graph: SceneGraph) -> list[SceneNode]:
    return [
        node
        for node in graph.of_kind(NodeKind.OBJECT)
        if node.source != "map" and node.presence is not Presence.GONE
    ]


def place_of(graph: SceneGraph, node: SceneNode) -> str:
    """Return the label of what an object is in, on or at; "" if that is unknown."""
    for relation in (Relation.IN, Relation.ON, Relation.AT_PLACE, Relation.IN_ROOM):
        for target in graph.targets(node.id, relation):
            return f"{relation.value.split('_')[0]} {graph.by_id[target].label}"
    return ""


def _assigned(
    old: Sequence[SceneNode], new: Sequence[SceneNode], can_be_one: Callable[[SceneNode, SceneNode], bool]
) -> Pairs:
    """Pair nodes one to one at the smallest total distance."""
    if not old or not new:
        return []
    costs = np.array(
        [
            [
                dist(one.pose.position, other.pose.position) if can_be_one(one, other) else FORBIDDEN
                for other in new
            ]
            for one in old
        ]
    )
    rows, columns = linear_sum_assignment(costs)
    chosen = zip(rows.tolist(), columns.tolist(), strict=True)
    return [(old[row], new[column]) for row, column in chosen if costs[row, column] < FORBIDDEN]


def _unpaired(
    old: Sequence[SceneNode], new: Sequence[SceneNode], pairs: Pairs
) -> tuple[list[SceneNode], list[SceneNode]]:
    firsts, seconds = {one.id for one, _ in pairs}, {other.id for _, other in pairs}
    return [one for one in old if one.id not in firsts], [other for other in new if other.id not in seconds]


def _outcome(one: SceneNode, other: SceneNode, tolerance: float, same_label: bool) -> MemoryDifference:
    if not same_label:
        return MemoryDifference.RELABELLED
    if dist(one.pose.position, other.pose.position) > tolerance:
        return MemoryDifference.MOVED
    return MemoryDifference.SAME if one.presence is other.presence else MemoryDifference.PRESENCE


def _order(compared: ComparedObject) -> tuple[int, str]:
    node = compared.before or compared.after
    return _ORDER.index(compared.outcome), node.label if node else ""


def _document(node: SceneNode | None, place: str) -> dict[str, object] | None:
    if node is None:
        return None
    return {
        "id": node.id,
        "label": node.label,
        "position": [round(value, 4) for value in node.pose.position],
        "presence": node.presence.value,
        "place": place,
        "observations": node.observations,
    }
