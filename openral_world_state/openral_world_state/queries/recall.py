"""Recall objects from memory by text: matches and near misses, ranked, each with place and viewpoint.

An equal or narrower label is a match; a broader, related or similar one is a near miss, worth a look. What is
rather a false detection than an object is neither.
"""

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from openral_core.arrays import Array, Indices, Mask
from openral_core.geometry import Pose
from openral_core.object_states import ObjectState
from openral_core.spatial_memory import (
    CONFIRMED,
    Opening,
    Presence,
    RecallMatch,
    RecallQuery,
    RecallResult,
    RecallStatus,
)
from openral_core.text import TermRelation, UnreadableText
from openral_world_state.navigation import FloorGrid, choose_viewpoint
from openral_world_state.scene_graph import locate_in_home, must_open
from openral_world_state.spatial_memory.label_index import LabelIndex, PostingHits
from openral_world_state.spatial_memory.memory import SpatialMemory
from openral_world_state.spatial_memory.record import MIN_VOTE_FRACTION, PRESENCES, ObjectRecord, ObjectTable
from openral_world_state.static_map import StaticMap, is_on_map

RELATIONS = (TermRelation.EQUAL, TermRelation.NARROWER, TermRelation.BROADER, TermRelation.RELATED)
_CODES = {relation: code for code, relation in enumerate(RELATIONS)}
_LAST_HIT = RELATIONS.index(TermRelation.NARROWER)
_RELATION_SCORE = np.array([1.0, 0.95, 0.6, 0.3])  # by `RELATIONS`: a narrower label hardly counts less
_PRESENCE_SCORE = np.array([1.0, 0.5, 0.1])  # by `PRESENCES`: present objects before stale before gone ones
_NO_HITS = PostingHits(np.zeros(0, np.intp), np.zeros(0, np.intp), np.zeros(0))
_AMBIGUITY = 0.15
"""Fraction of the best score by which the second must be lower for one match to be FOUND [1]."""
_MAX_NEAR_MISSES = 3
"""Near misses and similar names per result [1]; more do not help a caller to decide."""
_MAX_LIMIT = 1000
"""Largest limit of a query [1]; bounds the size of a response."""
_SURE = 0.9
"""Confidence from which objects rank by their last observation [1]: one good view is as good as several."""
_CLOCK_TOLERANCE = 1.0
"""Time by which stamps of images may be ahead of this node's clock [s]."""


@dataclass(frozen=True, slots=True)
class MatchCandidate:
    """One record, its label that matched, the relation of that label to the query, and its score in [0, 1].

    ``similarity`` is that of the embeddings if the label matched by nothing else, otherwise 0.
    """

    record: ObjectRecord
    label: str
    relation: TermRelation
    score: float
    similarity: float = 0.0


@dataclass(frozen=True)
class MatchSet:
    """All candidates of a query as columns, shape (N,) each.

    ``labels`` are numbers of ``index``, ``relations`` indices of `RELATIONS`.
    """

    table: ObjectTable
    index: LabelIndex
    slots: Indices
    labels: Indices
    relations: Indices
    scores: Array

    def where(self, mask: Mask) -> "MatchSet":
        """Return the candidates of a mask (N,)."""
        if mask.all():
            return self
        slots, labels, relations = self.slots[mask], self.labels[mask], self.relations[mask]
        return MatchSet(self.table, self.index, slots, labels, relations, self.scores[mask])

    def has_presence(self, presence: Presence) -> Mask:
        """Mask of the candidates of a presence, shape (N,)."""
        return np.asarray(self.table.presence[self.slots] == PRESENCES.index(presence))

    def best(self, count: int) -> list[MatchCandidate]:
        """Return the best ``count``, one per record, the best first; of equal scores the one seen last."""
        order = self.ranking(4 * count)
        by_record: dict[int, MatchCandidate] = {}
        for index in order:
            slot, relation = int(self.slots[index]), RELATIONS[int(self.relations[index])]
            label, score = self.index.name(int(self.labels[index])), float(self.scores[index])
            by_record.setdefault(slot, MatchCandidate(self.table.record(slot), label, relation, score))
        if len(by_record) < count and len(order) < len(self.slots):
            return self.best(4 * count)[:count]
        return list(by_record.values())[:count]

    def ranking(self, count: int) -> Indices:
        """Return the indices of the ``count`` best, in order."""
        index = np.arange(len(self.slots))
        if len(index) > count:
            least = np.partition(self.scores, -count)[-count]
            index = np.flatnonzero(self.scores >= least)
        if len(index) > count:
            recency = self.table.last_seen[self.slots[index]] + 1e12 * (self.scores[index] > least)
            index = index[np.argpartition(recency, -count)[-count:]]
        slots = self.slots[index]
        order = np.lexsort((slots, self.relations[index], -self.table.last_seen[slots], -self.scores[index]))
        return np.asarray(index[order])


def find_matches(memory: SpatialMemory, text: str) -> MatchSet:
    """Find the records with a label equal to or narrower than a text.

    Raises:
        UnreadableText: If the text names nothing.
    """
    postings = memory.labels.equal_or_narrower(text)
    if postings is None:
        return candidates_of(memory, memory.labels.hits(text))
    hits, equal_labels = postings
    is_equal = np.zeros(len(hits.labels), bool)
    for label in equal_labels:
        is_equal |= hits.labels == label
    return score_matches(
        memory, hits, np.where(is_equal, _CODES[TermRelation.EQUAL], _CODES[TermRelation.NARROWER])
    )


def candidates_of(memory: SpatialMemory, labels: Iterable[tuple[str, TermRelation]]) -> MatchSet:
    """Find all records under some labels.

    Args:
        labels: Labels in use, each with its relation to the query.
    """
    related = list(labels)
    parts = [memory.labels.exact(label) for label, _ in related] or [_NO_HITS]
    relations = [_CODES[relation] for _, relation in related] or [0]
    hits = PostingHits(
        np.concatenate([part.slots for part in parts]),
        np.concatenate([part.labels for part in parts]),
        np.concatenate([part.fractions for part in parts]),
    )
    sizes = [len(part.slots) for part in parts]
    return score_matches(memory, hits, np.repeat(np.array(relations, np.intp), sizes))


def score_matches(memory: SpatialMemory, hits: PostingHits, relations: Indices) -> MatchSet:
    """Score by relation and presence, halved at confidence 0, and lowered for a less likely label."""
    table, slots = memory.table, hits.slots
    confidence = 0.5 + 0.5 * np.minimum(table.confidence[slots] / _SURE, 1.0)
    base = _RELATION_SCORE[relations] * _PRESENCE_SCORE[table.presence[slots]]
    scores = base * confidence * (0.5 + 0.5 * hits.fractions)
    matches = MatchSet(table, memory.labels, slots, hits.labels, relations, scores)
    return matches.where(hits.fractions >= MIN_VOTE_FRACTION)


@dataclass(frozen=True, slots=True)
class RecallRequestHandler:
    """Answer recall queries from memory.

    Args:
        map_epoch: Objects of another epoch have no usable pose and are never a match.
        describe: Converts a candidate to a match with pose, place and viewpoint.
        room_of: Returns the id of the room a record is in.
        find_room: Returns the id of the room a name refers to, "" if there is none.
        similar_labels: Labels in use near in meaning to the query, the nearest first; only near misses.
    """

    memory: SpatialMemory
    map_epoch: int
    describe: Callable[[MatchCandidate], RecallMatch]
    room_of: Callable[[ObjectRecord], str]
    find_room: Callable[[str], str]
    similar_labels: Sequence[tuple[str, float]] = ()

    def handle(self, query: RecallQuery, now: float) -> RecallResult:
        """Return a typed result; matches of about the same score are AMBIGUOUS, all of them returned."""
        try:
            error = self._validate(query)
            if error:
                return RecallResult(RecallStatus.BAD_QUERY, error, revision=self.memory.revision)
            if query.node_id:
                return self._recall_record(query.node_id)
            room = self.find_room(query.room) if query.room else ""
            matches = self._filter(find_matches(self.memory, query.query), query, now)
        except UnreadableText as unreadable:
            return RecallResult(RecallStatus.BAD_QUERY, str(unreadable), revision=self.memory.revision)
        present = self._best_in_room(matches.where(matches.has_presence(Presence.PRESENT)), query.limit, room)
        if present:
            return self._result(recall_status(present), query, present, [])
        stale = self._best_in_room(matches.where(matches.has_presence(Presence.STALE)), query.limit, room)
        status = RecallStatus.ONLY_STALE if stale else RecallStatus.NOT_IN_MEMORY
        return self._result(status, query, stale, self._near_misses(query, now, room))

    def _recall_record(self, name: str) -> RecallResult:
        """Answer for one record: a match, or a near miss where it was before it was gone."""
        revision = self.memory.revision
        if name not in self.memory:
            message = f"{name!r} is not in memory: it was forgotten, or never there"
            return RecallResult(RecallStatus.NOT_IN_MEMORY, message, revision=revision)
        record = self.memory.get(name)
        match = self.describe(MatchCandidate(record, record.label, TermRelation.EQUAL, record.confidence))
        if record.map_epoch != self.map_epoch:
            message = f"{match.why}: its place is one of another map"
            return RecallResult(RecallStatus.NOT_IN_MEMORY, message, revision=revision)
        if record.presence is Presence.GONE:
            message = f"{record.id!r} was missing at its last known place: {match.why}"
            return RecallResult(RecallStatus.NOT_IN_MEMORY, message, (), (match,), revision=revision)
        status = RecallStatus.FOUND if record.presence is Presence.PRESENT else RecallStatus.ONLY_STALE
        message = recall_message(status, record.id, (match,), (), ())
        return RecallResult(status, message, (match,), revision=revision)

    def _near_misses(self, query: RecallQuery, now: float, room: str) -> list[MatchCandidate]:
        """Objects of similar labels, and the last place of a match that is gone."""
        labels = self.memory.labels.related(query.query)
        candidates = self._filter(candidates_of(self.memory, labels), query, now)
        near = candidates.where((candidates.relations > _LAST_HIT) | candidates.has_presence(Presence.GONE))
        misses = self._best_in_room(near, _MAX_NEAR_MISSES, room)
        related = {id(miss.record) for miss in misses}
        for label, similarity in self.similar_labels:  # which only the embedding model relates to the query
            similar = self._filter(candidates_of(self.memory, [(label, TermRelation.RELATED)]), query, now)
            best = self._best_in_room(similar, _MAX_NEAR_MISSES, room)
            misses += [
                replace(each, similarity=similarity) for each in best if id(each.record) not in related
            ]
        return misses[:_MAX_NEAR_MISSES]

    def _filter(self, candidates: MatchSet, query: RecallQuery, now: float) -> MatchSet:
        """Select the confirmed candidates of this map epoch that satisfy the query's age and distance."""
        table, slots = self.memory.table, candidates.slots
        fits = (table.map_epoch[slots] == self.map_epoch) & (table.confidence[slots] >= CONFIRMED)
        if query.max_age > 0.0:
            age = now - table.last_seen[slots]
            # An object seen in the future was stamped by another clock, so its age is unknown.
            fits &= (age <= query.max_age) & (age >= -_CLOCK_TOLERANCE)
        if query.near is not None:
            fits &= np.linalg.norm(table.position[slots] - np.array(query.near), axis=1) <= query.radius
        return candidates.where(fits)

    def _best_in_room(self, candidates: MatchSet, count: int, room: str) -> list[MatchCandidate]:
        if not room:
            return candidates.best(count)
        fits = [self.room_of(self.memory.table.record(int(slot))) == room for slot in candidates.slots]
        return candidates.where(np.array(fits, dtype=bool)).best(count)

    def _validate(self, query: RecallQuery) -> str:
        """Reason why a query's numbers or its room are invalid, "" if they are valid.

        Raises:
            UnreadableText: If the room's name is unreadable.
        """
        numbers = (query.radius, query.max_age)
        if not all(map(math.isfinite, numbers)) or min(numbers) < 0.0:
            return "invalid radius or max_age: both must be finite and at least 0"
        if not is_on_map(query.near or ()):
            return (
                f"invalid near {query.near}: not a position on the map; coordinates must be finite, in metres"
            )
        if not 0 < query.limit <= _MAX_LIMIT:
            return f"invalid limit {query.limit}: must be from 1 to {_MAX_LIMIT}"
        if query.room and not self.find_room(query.room):
            return f"unknown room {query.room!r}"
        return ""

    def _result(
        self, status: RecallStatus, query: RecallQuery, hits: list[MatchCandidate], near: list[MatchCandidate]
    ) -> RecallResult:
        matches, misses = tuple(map(self.describe, hits)), tuple(map(self.describe, near))
        names = () if hits else self._similar_names(query.query)
        message = recall_message(status, query.query, matches, misses, names)
        return RecallResult(status, message, matches, misses, names, self.memory.revision)

    def _similar_names(self, text: str) -> tuple[str, ...]:
        """Labels in memory near to a text in meaning, then those of similar spelling."""
        labels = self.memory.labels
        near = (label for label, _ in self.similar_labels if label in labels.labels)
        return tuple(dict.fromkeys((*near, *labels.nearest(text))))[:_MAX_NEAR_MISSES]


def recall_status(ranked: list[MatchCandidate]) -> RecallStatus:
    """FOUND, or AMBIGUOUS if the second of the ranked matches is about as good as the first."""
    if len(ranked) < 2 or ranked[0].relation is not ranked[1].relation:
        return RecallStatus.FOUND
    best, second = ranked[0].score, ranked[1].score
    return RecallStatus.AMBIGUOUS if best - second < _AMBIGUITY * best else RecallStatus.FOUND


def recall_message(
    status: RecallStatus,
    query: str,
    matches: tuple[RecallMatch, ...],
    misses: tuple[RecallMatch, ...],
    names: tuple[str, ...],
) -> str:
    """Say what was found, or what comes near it."""
    if matches:
        heads = {
            RecallStatus.FOUND: f"found {query!r}",
            RecallStatus.AMBIGUOUS: f"{len(matches)} objects match {query!r}, best first",
            RecallStatus.ONLY_STALE: f"{query!r} was missing at its last known place",
        }
        return f"{heads[status]}: " + "; ".join(match.why for match in matches[:3])
    near = "; ".join(miss.why for miss in misses)
    labels = f" Similar labels in memory: {', '.join(names)}." if names else " Memory is empty."
    return f"{query!r} is not in memory." + (f" Near misses: {near}." if near else "") + labels


_RELATION_TEXT = {
    TermRelation.EQUAL: "same label",
    TermRelation.NARROWER: "narrower label",
    TermRelation.BROADER: "broader label",
    TermRelation.RELATED: "related label",
}


@dataclass(frozen=True, slots=True)
class MatchBuilder:
    """Convert candidates to matches with place, viewpoint and containers; ``standoff`` [m]."""

    home: StaticMap
    floor: FloorGrid | None
    standoff: float
    openings: dict[str, Opening] = field(default_factory=dict)
    states_of: Callable[[str], tuple[ObjectState, ...]] = lambda node_id: ()

    def match(self, candidate: MatchCandidate) -> RecallMatch:
        """Convert a candidate to a match."""
        record = candidate.record
        location = locate_in_home(record, self.home)
        inside = location.inside
        return RecallMatch(
            node_id=record.id,
            label=record.label,
            score=round(min(1.0, candidate.score), 4),
            pose=record.pose,
            size=record.size,
            why=self._why(candidate, location.place, location.room),
            viewpoint=self.viewpoint(record),
            room=location.room,
            place=location.place,
            containers=(inside.node.id,) if inside else (),
            must_open=must_open(inside, self.openings),
            presence=record.presence,
            last_seen=record.last_seen,
            observations=record.observations,
            source=record.source,
            states=self.states_of(record.id),
        )

    def viewpoint(self, record: ObjectRecord) -> Pose | None:
        """Reachable base pose from which the robot can see and reach the object; None if none is known."""
        if self.floor is None:
            return None
        seen_from = (record.viewpoint[0], record.viewpoint[1]) if record.viewpoint else None
        target = (record.pose.position[0], record.pose.position[1])
        site = locate_in_home(record, self.home).site
        return choose_viewpoint(self.floor, target, self.standoff, site, seen_from)

    def _why(self, candidate: MatchCandidate, place: str, room: str) -> str:
        record = candidate.record
        is_main = candidate.label == record.label
        name = record.label if is_main else f"{record.label}, also seen as {candidate.label}"
        where = f" at {place}" if place else f" in {room}" if room else ""
        presence = "" if record.presence is Presence.PRESENT else f", {record.presence.value}"
        relation = (
            f"similar meaning ({candidate.similarity:.2f})"
            if candidate.similarity
            else _RELATION_TEXT[candidate.relation]
        )
        return f"{record.id} ({name}: {relation}){where}{presence}"
