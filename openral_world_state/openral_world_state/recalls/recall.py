"""What does memory know of this?"""

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from openral_core.queries import RecallMatch, RecallQuery, RecallResult, RecallStatus
from openral_core.scene_graph import Presence
from openral_core.text import Relation, UnreadableText
from openral_world_state.memories import Memory, Record
from openral_world_state.recalls.ranking import Answer, answer, best

_ALIKE = 0.15
_NEAR_MISSES = 3
_MOST = 1000


@dataclass(frozen=True, slots=True)
class Recall:
    """Answers recall queries from memory.

    Args:
        memory: What is remembered.
        map_epoch: Objects of another epoch have no usable pose: they are never a match.
        describe: Turns an answer into a match with pose, place and viewpoint.
        room_of: Id of the room a record is in.
        rooms: Id of the room a name stands for, "" when none does.
    """

    memory: Memory
    map_epoch: int
    describe: Callable[[Answer], RecallMatch]
    room_of: Callable[[Record], str]
    rooms: Callable[[str], str]

    def ask(self, query: RecallQuery, now: float) -> RecallResult:
        """A typed answer: an equal or narrower label is a match, a broader or related one a near miss.

        Several matches alike in score are AMBIGUOUS; they are given all the same, best first.
        """
        refusal = self._refusal(query)
        if refusal:
            return RecallResult(RecallStatus.BAD_QUERY, refusal, revision=self.memory.revision)
        try:
            found = list(self._answers(query, now))
        except UnreadableText as error:
            return RecallResult(RecallStatus.BAD_QUERY, str(error), revision=self.memory.revision)
        hits = [a for a in found if a.relation.is_hit and a.record.map_epoch == self.map_epoch]
        sure = best((a for a in hits if a.record.presence is Presence.PRESENT), query.limit)
        if sure:
            return self._result(_status(sure), query, sure, [])
        hints = best((a for a in found if _hints(a)), _NEAR_MISSES)
        stale = best((a for a in hits if a.record.presence is Presence.STALE), query.limit)
        return self._result(
            RecallStatus.ONLY_STALE if stale else RecallStatus.NOT_IN_MEMORY, query, stale, hints
        )

    def _answers(self, query: RecallQuery, now: float) -> Iterator[Answer]:
        room = self.rooms(query.room) if query.room else ""
        for record, label, relation in self.memory.answering(query.query):
            if self._fits(record, query, now, room):
                found = answer(record, label, relation)
                if found is not None:
                    yield found

    def _fits(self, record: Record, query: RecallQuery, now: float, room: str) -> bool:
        if query.max_age > 0.0 and now - record.last_seen > query.max_age:
            return False
        if query.near is not None and math.dist(query.near, record.pose.position) > query.radius:
            return False
        return not room or self.room_of(record) == room

    def _refusal(self, query: RecallQuery) -> str:
        numbers = (query.radius, query.max_age, *(query.near or ()))
        if not all(map(math.isfinite, numbers)) or query.radius < 0.0 or query.max_age < 0.0:
            return "near, radius and max_age must be finite, radius and max_age not below 0"
        if not 0 < query.limit <= _MOST:
            return f"limit is {query.limit}: valid are 1 to {_MOST}"
        if query.room and not self.rooms(query.room):
            return f"there is no room {query.room!r}"
        return ""

    def _result(
        self, status: RecallStatus, query: RecallQuery, hits: list[Answer], hints: list[Answer]
    ) -> RecallResult:
        matches = tuple(map(self.describe, hits))
        misses = tuple(map(self.describe, hints))
        names = () if hits else self.memory.labels.nearest(query.query)
        words = _words(status, query.query, matches, misses, names)
        return RecallResult(status, words, matches, misses, names, self.memory.revision)


def _status(hits: list[Answer]) -> RecallStatus:
    alike = len(hits) > 1 and hits[0].relation is hits[1].relation and _close(hits[0].score, hits[1].score)
    return RecallStatus.AMBIGUOUS if alike else RecallStatus.FOUND


def _close(first: float, second: float) -> bool:
    return first - second < _ALIKE * first


def _hints(found: Answer) -> bool:
    """A similar name is worth a look; so is where the very thing was before it was gone."""
    return found.relation in (Relation.BROADER, Relation.RELATED) or found.record.presence is Presence.GONE


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
