"""Which records answer some words, and how well."""

import heapq
from collections.abc import Iterable
from dataclasses import dataclass

from openral_core.scene_graph import Presence
from openral_core.text import Relation
from openral_world_state.associations import supported
from openral_world_state.memories import Record

_RELATION = {Relation.EQUAL: 1.0, Relation.NARROWER: 0.95, Relation.BROADER: 0.6, Relation.RELATED: 0.3}
_PRESENCE = {Presence.PRESENT: 1.0, Presence.STALE: 0.5, Presence.GONE: 0.1}


@dataclass(frozen=True, slots=True)
class Answer:
    """One record, the label of it that answered, how, and its score in [0, 1]."""

    record: Record
    label: str
    relation: Relation
    score: float


def answer(record: Record, label: str, relation: Relation) -> Answer | None:
    """A record as an answer; None when the label is but a slip of a detector."""
    if label in record.votes and label not in supported(record):
        return None
    most = max(record.votes.values(), default=1.0)
    share = record.votes.get(label, most) / most if most else 1.0
    sure = 0.5 + 0.5 * record.confidence
    score = _RELATION[relation] * _PRESENCE[record.presence] * sure * (0.8 + 0.2 * share)
    return Answer(record, label, relation, score)


def best(answers: Iterable[Answer], count: int) -> list[Answer]:
    """The best ``count``, one per record, best first; of equals the one seen last."""
    by_record: dict[str, Answer] = {}
    for each in answers:
        other = by_record.get(each.record.id)
        if other is None or each.score > other.score:
            by_record[each.record.id] = each
    return heapq.nsmallest(
        count, by_record.values(), key=lambda a: (-a.score, -a.record.last_seen, a.record.id)
    )
