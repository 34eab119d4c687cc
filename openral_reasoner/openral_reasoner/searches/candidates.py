"""One place that may hold what is looked for."""

from dataclasses import dataclass
from enum import IntEnum


class CandidateKind(IntEnum):
    """Where a candidate comes from, in the order of looking when nothing else is known."""

    NEAR_MISS = 0
    CONTAINER = 1
    PLACE = 2
    ROOM = 3


@dataclass(frozen=True, slots=True)
class Candidate:
    """A node to look at; ``must_open`` when a closed door hides what is inside."""

    node_id: str
    label: str
    kind: CandidateKind
    why: str
    room: str = ""
    must_open: bool = False

    def words(self) -> str:
        """One line of the frontier."""
        closed = ", closed: will be opened" if self.must_open else ""
        return f"{self.node_id} ({self.label}): {self.why}{closed}"
