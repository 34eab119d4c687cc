"""What does memory know of this?"""
# MERGED Which records answer some words, and how well.
# MERGED A remembered object as the answer to a question.

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from openral_core.geometry import Pose
from openral_core.memory_queries import RecallMatch, RecallQuery, RecallResult, RecallStatus
from openral_core.scene_graph import Opening, Presence
from openral_core.text import TermRelation, UnreadableText
from openral_world_state.home.model import StaticMap, is_on_map
from openral_world_state.navigation.grid import FloorGrid
from openral_world_state.navigation.routes import choose_viewpoint
from openral_world_state.scene_graph.build import locate_in_home, must_open
from openral_world_state.spatial_memory.label_index import LabelIndex
from openral_world_state.spatial_memory.memory import SpatialMemory
from openral_world_state.spatial_memory.postings import PostingHits
from openral_world_state.spatial_memory.record import PRESENCES, ObjectRecord, ObjectTable

COUNTS = 0.2
"""A label with a smaller share of a record's votes is but a slip of a detector."""
RELATIONS = (TermRelation.EQUAL, TermRelation.NARROWER, TermRelation.BROADER, TermRelation.RELATED)
_CODES = {relation: code for code, relation in enumerate(RELATIONS)}
_WORTH = np.array([1.0, 0.95, 0.6, 0.3])
_PRESENCE_WORTH = np.array([1.0, 0.5, 0.1])
_NOTHING = PostingHits(np.zeros(0, np.intp), np.zeros(0, np.intp), np.zeros(0))


@dataclass(frozen=True, slots=True)
class MatchCandidate:
    """One record, the label of it that answered, how, and its score in [0, 1].

    ``likeness``: of the meanings, when no more than that made the label answer.
    """

    record: ObjectRecord
    label: str
    relation: TermRelation
    score: float
    likeness: float = 0.0


@dataclass(frozen=True)
class MatchSet:
    """Everything that answers some words, side by side, shape (N,) each.

    ``labels`` are numbers of ``index``, ``relations`` indices of `RELATIONS`.
    """

    columns: ObjectTable
    index: LabelIndex
    slots: NDArray[np.intp]
    labels: NDArray[np.intp]
    relations: NDArray[np.intp]
    scores: NDArray[np.float64]

    def where(self, mask: NDArray[np.bool_]) -> "MatchSet":
        """Those under a mask (N,)."""
        if mask.all():
            return self
        return MatchSet(
            self.columns,
            self.index,
            self.slots[mask],
            self.labels[mask],
            self.relations[mask],
            self.scores[mask],
        )

    def best(self, count: int) -> list[MatchCandidate]:
        """The best ``count``, one per record, best first; of equals the one seen last."""
        order = self._leading(4 * count)
        found: dict[int, MatchCandidate] = {}
        for index in order:
            found.setdefault(int(self.slots[index]), self._answer(int(index)))
        if len(found) < count and len(order) < len(self.slots):
            return self.best(4 * count)[:count]
        return list(found.values())[:count]

    def _leading(self, count: int) -> NDArray[np.intp]:
        """Indices of the ``count`` best, in order."""
        index = np.arange(len(self.slots))
        if len(index) > count:
            least = np.partition(self.scores, -count)[-count]
            index = np.flatnonzero(self.scores >= least)
        if len(index) > count:
            seen = self.columns.last_seen[self.slots[index]] + 1e12 * (self.scores[index] > least)
            index = index[np.argpartition(seen, -count)[-count:]]
        slots = self.slots[index]
        order = np.lexsort(
            (slots, self.relations[index], -self.columns.last_seen[slots], -self.scores[index])
        )
        return np.asarray(index[order])

    def _answer(self, index: int) -> MatchCandidate:
        record = self.columns.record(int(self.slots[index]))
        relation = RELATIONS[int(self.relations[index])]
        return MatchCandidate(
            record, self.index.name(int(self.labels[index])), relation, float(self.scores[index])
        )


def find_matches(memory: SpatialMemory, words: str) -> MatchSet:
    """Every record with a label that is equal to the words or narrower.

    Raises:
        UnreadableText: If the words name nothing.
    """
    below = memory.labels.below(words)
    if below is None:
        return answers(memory, memory.labels.hits(words))
    found, equal = below
    is_equal = np.zeros(len(found.labels), bool)
    for label in equal:
        is_equal |= found.labels == label
    return _judged(
        memory, found, np.where(is_equal, _CODES[TermRelation.EQUAL], _CODES[TermRelation.NARROWER])
    )


def answers(memory: SpatialMemory, labels: Iterable[tuple[str, TermRelation]]) -> MatchSet:
    """Every record under these labels.

    Args:
        memory: Where they are.
        labels: Labels in use, each with its relation to the words asked for.
    """
    named = list(labels)
    parts = [memory.labels.at(label) for label, _ in named] or [_NOTHING]
    relations = [_CODES[relation] for _, relation in named] or [0]
    found = PostingHits(
        np.concatenate([part.slots for part in parts]),
        np.concatenate([part.labels for part in parts]),
        np.concatenate([part.shares for part in parts]),
    )
    sizes = [len(part.slots) for part in parts]
    return _judged(memory, found, np.repeat(np.array(relations, np.intp), sizes))


def _judged(memory: SpatialMemory, found: PostingHits, relations: NDArray[np.intp]) -> MatchSet:
    columns, slots = memory.columns, found.slots
    sure = 0.5 + 0.5 * columns.confidence[slots]
    worth = _WORTH[relations] * _PRESENCE_WORTH[columns.presence[slots]]
    scores = worth * sure * (0.8 + 0.2 * found.shares)
    judged = MatchSet(columns, memory.labels, slots, found.labels, relations, scores)
    return judged.where(found.shares >= COUNTS)


_ALIKE = 0.15
_NEAR_MISSES = 3
_MOST = 1000
_CLOCKS_APART = 1.0
"""How far the stamps of images may be ahead of the clock of this node [s]."""
_LAST_HIT = RELATIONS.index(TermRelation.NARROWER)


@dataclass(frozen=True, slots=True)
class RecallRequestHandler:
    """Answers recall queries from memory.

    Args:
        memory: What is remembered.
        map_epoch: Objects of another epoch have no usable pose: they are never a match.
        describe: Turns an answer into a match with pose, place and viewpoint.
        room_of: Id of the room a record is in.
        rooms: Id of the room a name stands for, "" when none does.
        alike: Labels in use near in meaning to the words, the nearest first: worth a look, never a match.
    """

    memory: SpatialMemory
    map_epoch: int
    describe: Callable[[MatchCandidate], RecallMatch]
    room_of: Callable[[ObjectRecord], str]
    rooms: Callable[[str], str]
    alike: Sequence[tuple[str, float]] = ()

    def ask(self, query: RecallQuery, now: float) -> RecallResult:
        """A typed answer: an equal or narrower label is a match, a broader or related one a near miss.

        Several matches alike in score are AMBIGUOUS; they are given all the same, best first.
        """
        refusal = self._refusal(query)
        if refusal:
            return RecallResult(RecallStatus.BAD_QUERY, refusal, revision=self.memory.revision)
        try:
            found = self._fitting(find_matches(self.memory, query.query), query, now)
        except UnreadableText as error:
            return RecallResult(RecallStatus.BAD_QUERY, str(error), revision=self.memory.revision)
        columns, room = self.memory.columns, self.rooms(query.room) if query.room else ""
        usable = columns.map_epoch[found.slots] == self.map_epoch
        presence = columns.presence[found.slots]
        sure = self._in_room(found.where(usable & (presence == 0)), query.limit, room)
        if sure:
            return self._result(_status(sure), query, sure, [])
        stale = self._in_room(found.where(usable & (presence == 1)), query.limit, room)
        status = RecallStatus.ONLY_STALE if stale else RecallStatus.NOT_IN_MEMORY
        return self._result(status, query, stale, self._hints(query, now, room))

    def _hints(self, query: RecallQuery, now: float, room: str) -> list[MatchCandidate]:
        """Similar things are worth a look; so is where the very thing was before it was gone."""
        found = self._fitting(answers(self.memory, self.memory.labels.answering(query.query)), query, now)
        found = found.where(self.memory.columns.map_epoch[found.slots] == self.map_epoch)
        gone = self.memory.columns.presence[found.slots] == PRESENCES.index(Presence.GONE)
        hints = self._in_room(found.where((found.relations > _LAST_HIT) | gone), _NEAR_MISSES, room)
        known = {id(hint.record) for hint in hints}
        meant = [each for each in self._meant(query, now, room) if id(each.record) not in known]
        return [*hints, *meant][:_NEAR_MISSES]

    def _meant(self, query: RecallQuery, now: float, room: str) -> list[MatchCandidate]:
        """Things near in meaning, by the word of a model alone."""
        told: list[MatchCandidate] = []
        for label, likeness in self.alike:
            found = self._fitting(answers(self.memory, [(label, TermRelation.RELATED)]), query, now)
            usable = self.memory.columns.map_epoch[found.slots] == self.map_epoch
            best = self._in_room(found.where(usable), _NEAR_MISSES, room)
            told += [replace(each, likeness=likeness) for each in best]
        return told

    def _fitting(self, found: MatchSet, query: RecallQuery, now: float) -> MatchSet:
        columns = self.memory.columns
        if query.max_age > 0.0:
            age = now - columns.last_seen[found.slots]
            # What says that it was seen in the future is of another time: how old it is nobody knows.
            found = found.where((age <= query.max_age) & (age >= -_CLOCKS_APART))
        if query.near is not None:
            away = np.linalg.norm(columns.position[found.slots] - np.array(query.near), axis=1)
            found = found.where(away <= query.radius)
        return found

    def _in_room(self, found: MatchSet, count: int, room: str) -> list[MatchCandidate]:
        if not room:
            return found.best(count)
        fits = [self.room_of(self.memory.columns.record(int(slot))) == room for slot in found.slots]
        return found.where(np.array(fits, dtype=bool)).best(count)

    def _refusal(self, query: RecallQuery) -> str:
        numbers = (query.radius, query.max_age)
        if not all(map(math.isfinite, numbers)) or min(numbers) < 0.0:
            return "radius and max_age must be finite and not below 0"
        if not is_on_map(query.near or ()):
            return f"near {query.near} is on no map: its coordinates must be finite, in metres"
        if not 0 < query.limit <= _MOST:
            return f"limit is {query.limit}: valid are 1 to {_MOST}"
        if query.room and not self.rooms(query.room):
            return f"there is no room {query.room!r}"
        return ""

    def _result(
        self,
        status: RecallStatus,
        query: RecallQuery,
        found: list[MatchCandidate],
        hints: list[MatchCandidate],
    ) -> RecallResult:
        matches = tuple(map(self.describe, found))
        misses = tuple(map(self.describe, hints))
        names = () if found else self._nearest_names(query.query)
        words = _words(status, query.query, matches, misses, names)
        return RecallResult(status, words, matches, misses, names, self.memory.revision)

    def _nearest_names(self, words: str) -> tuple[str, ...]:
        """Those near in meaning first, then those that look alike."""
        meant = (label for label, _ in self.alike if label in self.memory.labels.labels)
        return tuple(dict.fromkeys((*meant, *self.memory.labels.nearest(words))))[:_NEAR_MISSES]


def _status(found: list[MatchCandidate]) -> RecallStatus:
    alike = (
        len(found) > 1 and found[0].relation is found[1].relation and _close(found[0].score, found[1].score)
    )
    return RecallStatus.AMBIGUOUS if alike else RecallStatus.FOUND


def _close(first: float, second: float) -> bool:
    return first - second < _ALIKE * first


def _words(
    status: RecallStatus,
    asked: str,
    matches: tuple[RecallMatch, ...],
    misses: tuple[RecallMatch, ...],
    names: tuple[str, ...],
) -> str:
    if matches:
        heads = {
            RecallStatus.FOUND: f"{asked!r} is remembered",
            RecallStatus.AMBIGUOUS: f"{len(matches)} things answer {asked!r}, best first",
            RecallStatus.ONLY_STALE: f"{asked!r} was not there when last looked for",
        }
        return f"{heads[status]}: " + "; ".join(match.why for match in matches[:3])
    near = "; ".join(miss.why for miss in misses)
    known = f" The nearest names are {', '.join(names)}." if names else " Nothing is remembered yet."
    return f"{asked!r} is not in memory." + (f" Near misses: {near}." if near else "") + known


_HOW = {
    TermRelation.EQUAL: "is called that",
    TermRelation.NARROWER: "is a kind of that",
    TermRelation.BROADER: "is less specific",
    TermRelation.RELATED: "is similar",
}


@dataclass(frozen=True, slots=True)
class MatchBuilder:
    """Adds to a record where it is and where to stand for it; ``standoff`` [m]."""

    home: StaticMap
    floor: FloorGrid | None
    standoff: float
    openings: dict[str, Opening] = field(default_factory=dict)

    def match(self, found: MatchCandidate) -> RecallMatch:
        """One answer to a recall."""
        record = found.record
        situation = locate_in_home(record, self.home)
        inside = situation.inside
        return RecallMatch(
            node_id=record.id,
            label=record.label,
            score=round(min(1.0, found.score), 4),
            pose=record.pose,
            size=record.size,
            why=self._why(found, situation.place, situation.room),
            viewpoint=self.viewpoint(record),
            room=situation.room,
            place=situation.place,
            containers=(inside.node.id,) if inside else (),
            must_open=must_open(inside, self.openings),
            presence=record.presence,
            last_seen=record.last_seen,
            observations=record.observations,
            source=record.source,
        )

    def viewpoint(self, record: ObjectRecord) -> Pose | None:
        """A reachable standing pose from which to see and reach it; None when none is known."""
        if self.floor is None:
            return None
        seen_from = (record.eye[0], record.eye[1]) if record.eye else None
        target = (record.pose.position[0], record.pose.position[1])
        site = locate_in_home(record, self.home).site
        return choose_viewpoint(self.floor, target, self.standoff, site, seen_from)

    def _why(self, found: MatchCandidate, place: str, room: str) -> str:
        record = found.record
        name = record.label if found.label == record.label else f"{record.label}, also {found.label},"
        where = f" at {place}" if place else f" in {room}" if room else ""
        presence = "" if record.presence is Presence.PRESENT else f", {record.presence.value}"
        how = f"means about that, {found.likeness:.2f}" if found.likeness else _HOW[found.relation]
        return f"{record.id} ({name} {how}){where}{presence}"
