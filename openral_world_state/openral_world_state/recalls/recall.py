"""What does memory know of this?"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from openral_core.queries import RecallMatch, RecallQuery, RecallResult, RecallStatus
from openral_core.scene_graph import Presence
from openral_core.text import Relation, UnreadableText
from openral_world_state.homes import is_on_map
from openral_world_state.memories import Memory, Record
from openral_world_state.memories.columns import PRESENCES
from openral_world_state.recalls.ranking import RELATIONS, Answer, Answers, answers, hits

_ALIKE = 0.15
_NEAR_MISSES = 3
_MOST = 1000
_CLOCKS_APART = 1.0
"""How far the stamps of images may be ahead of the clock of this node [s]."""
_LAST_HIT = RELATIONS.index(Relation.NARROWER)


@dataclass(frozen=True, slots=True)
class Recall:
    """Answers recall queries from memory.

    Args:
        memory: What is remembered.
        map_epoch: Objects of another epoch have no usable pose: they are never a match.
        describe: Turns an answer into a match with pose, place and viewpoint.
        room_of: Id of the room a record is in.
        rooms: Id of the room a name stands for, "" when none does.
        alike: Labels in use near in meaning to the words, the nearest first: worth a look, never a match.
    """

    memory: Memory
    map_epoch: int
    describe: Callable[[Answer], RecallMatch]
    room_of: Callable[[Record], str]
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
            found = self._fitting(hits(self.memory, query.query), query, now)
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

    def _hints(self, query: RecallQuery, now: float, room: str) -> list[Answer]:
        """Similar things are worth a look; so is where the very thing was before it was gone."""
        found = self._fitting(answers(self.memory, self.memory.labels.answering(query.query)), query, now)
        found = found.where(self.memory.columns.map_epoch[found.slots] == self.map_epoch)
        gone = self.memory.columns.presence[found.slots] == PRESENCES.index(Presence.GONE)
        hints = self._in_room(found.where((found.relations > _LAST_HIT) | gone), _NEAR_MISSES, room)
        known = {id(hint.record) for hint in hints}
        meant = [each for each in self._meant(query, now, room) if id(each.record) not in known]
        return [*hints, *meant][:_NEAR_MISSES]

    def _meant(self, query: RecallQuery, now: float, room: str) -> list[Answer]:
        """Things near in meaning, by the word of a model alone."""
        told: list[Answer] = []
        for label, likeness in self.alike:
            found = self._fitting(answers(self.memory, [(label, Relation.RELATED)]), query, now)
            usable = self.memory.columns.map_epoch[found.slots] == self.map_epoch
            best = self._in_room(found.where(usable), _NEAR_MISSES, room)
            told += [replace(each, likeness=likeness) for each in best]
        return told

    def _fitting(self, found: Answers, query: RecallQuery, now: float) -> Answers:
        columns = self.memory.columns
        if query.max_age > 0.0:
            age = now - columns.last_seen[found.slots]
            # What says that it was seen in the future is of another time: how old it is nobody knows.
            found = found.where((age <= query.max_age) & (age >= -_CLOCKS_APART))
        if query.near is not None:
            away = np.linalg.norm(columns.position[found.slots] - np.array(query.near), axis=1)
            found = found.where(away <= query.radius)
        return found

    def _in_room(self, found: Answers, count: int, room: str) -> list[Answer]:
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
        self, status: RecallStatus, query: RecallQuery, found: list[Answer], hints: list[Answer]
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


def _status(found: list[Answer]) -> RecallStatus:
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
