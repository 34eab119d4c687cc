"""Moved or new: which missing object an unexplained one is."""

from openral_core.scene_graph import Presence
from openral_core.text import Relation, Thesaurus
from openral_world_state.associations.likeness import label_relation, similar_size
from openral_world_state.memories import Memory, Record
from openral_world_state.memories.records import OPERATORS_WORD
from openral_world_state.observations import Observation

_SAME = (Relation.EQUAL, Relation.NARROWER, Relation.BROADER)


def missing_like(seen: Observation, memory: Memory, used: set[str]) -> Record | None:
    """The object that was looked for in vain where it was, and that this is: moved, not new."""
    found = [
        record
        for record, relation in memory.missing(seen.label)
        if relation in _SAME and record.id not in used and similar_size(seen.size, record.size)
    ]
    return max(found, key=lambda r: (r.last_seen, r.id), default=None)


def appeared_since(gone: Record, memory: Memory, thesaurus: Thesaurus) -> Record | None:
    """The only object of the same name that was first seen after ``gone`` was last seen: it moved."""
    found = {
        record.id: record
        for record, relation in memory.hits(gone.label)
        if relation is Relation.EQUAL
        and record.id != gone.id
        and record.presence is Presence.PRESENT
        and record.first_seen > gone.last_seen
        and similar_size(gone.size, record.size)
        and label_relation(record.label, gone, thesaurus) is Relation.EQUAL
    }
    return next(iter(found.values())) if len(found) == 1 else None


def merge(kept: Record, other: Record) -> None:
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
