"""Records of the errands: all that a restarted dispatcher must know."""

from enum import StrEnum
from typing import Self

from openral_fleet.errands import Errand
from openral_reasoner.context import FrozenModel


class ErrandState(StrEnum):
    """State of an errand.

    A robot has it while it is OFFERED (sent, no receipt yet), ASSIGNED (acknowledged), RUNNING, or SUSPENDED
    (its robot is silent, and keeps it until its lease ends). UNKNOWN waits for a robot that looks, ASKED for
    a person who knows, whether it was done. The states from DONE on are final.
    """

    QUEUED = "queued"
    OFFERED = "offered"
    ASSIGNED = "assigned"
    RUNNING = "running"
    SUSPENDED = "suspended"
    UNKNOWN = "unknown"
    ASKED = "asked"
    DONE = "done"
    CLAIMED = "claimed"
    FAILED = "failed"
    HANDED_OVER = "handed_over"
    CANCELLED = "cancelled"

    @property
    def ended(self) -> bool:
        """True in a final state."""
        return self in _FINAL


_FINAL = frozenset(
    {
        ErrandState.DONE,
        ErrandState.CLAIMED,
        ErrandState.FAILED,
        ErrandState.HANDED_OVER,
        ErrandState.CANCELLED,
    }
)


class Purpose(StrEnum):
    """Purpose of a mission: do the errand, or look whether a lost robot has done it."""

    DO = "do"
    CHECK = "check"


class ActingCall(FrozenModel):
    """A skill that a mission used: its verb, and its outcome or "pending"."""

    verb: str
    status: str


class Attempt(FrozenModel):
    """One mission of an errand; ``session`` is the robot's process that got it."""

    robot: str
    session: str
    prompt_id: str
    purpose: Purpose = Purpose.DO


class ErrandRecord(FrozenModel):
    """State of an errand with its history."""

    errand: Errand
    state: ErrandState = ErrandState.QUEUED
    attempt: Attempt | None = None  # Mission that a robot has now, None if none has.
    past: tuple[Attempt, ...] = ()  # Missions before it; none of them may still run.
    mission_id: str = ""
    lease: float = 0.0  # Time until which its robot alone may work on it [s].
    since: float = 0.0  # Time of the last change of state [s].
    # Time since which its robot says nothing about it, or no robot can do it [s].
    quiet_since: float | None = None
    refused: tuple[str, ...] = ()  # Robots that refused it, once for each time.
    failed: tuple[str, ...] = ()  # Robots that are not asked again.
    overtaken: int = 0  # Number of later errands that were allocated first.
    # Places where its object was when it was first allocated, as a robot remembered.
    origin: tuple[str, ...] = ()
    kinds: int = 0  # Number of objects of that kind that a robot remembered then.
    calls: tuple[ActingCall, ...] = ()  # Skills that its last mission used.
    looked: bool = False  # True from the end of a look on, until it is judged.
    checked_from: float = 0.0  # The checking robot's clock when it was sent to look [s].
    question: str = ""  # Id of the open question to a person.
    reason: str = ""
    evidence: tuple[str, ...] = ()

    @property
    def id(self) -> str:
        """Id of the errand."""
        return self.errand.id

    @property
    def robot(self) -> str:
        """Robot that has it, or that had it last; "" if none did."""
        if self.attempt is not None:
            return self.attempt.robot
        return self.past[-1].robot if self.past else ""

    @property
    def is_check(self) -> bool:
        """True while a robot looks whether it was done."""
        return self.attempt is not None and self.attempt.purpose is Purpose.CHECK

    @property
    def missions(self) -> int:
        """Number of missions so far."""
        return len(self.past) + (self.attempt is not None)

    def having(self, **changes: object) -> Self:
        """Return the record with some fields changed."""
        return self.model_copy(update=changes)

    def without_attempt(self, **changes: object) -> Self:
        """Return the record after the end of its mission."""
        past = (*self.past, self.attempt) if self.attempt is not None else self.past
        return self.having(attempt=None, past=past, mission_id="", quiet_since=None, **changes)


class FleetState(FrozenModel):
    """State of a list: its id, its begin [s], and the records in order."""

    run: str
    started: float
    records: tuple[ErrandRecord, ...]

    @classmethod
    def of(cls, run: str, errands: tuple[Errand, ...], now: float) -> Self:
        """Return the state of a list of which nothing has begun."""
        records = tuple(ErrandRecord(errand=each, since=now) for each in errands)
        return cls(run=run, started=now, records=records)

    @property
    def ended(self) -> bool:
        """True when every errand has ended."""
        return all(record.state.ended for record in self.records)

    def record(self, errand: str) -> ErrandRecord | None:
        """Return the record of an errand."""
        return next((each for each in self.records if each.id == errand), None)

    def with_record(self, changed: ErrandRecord) -> Self:
        """Return the state with one record replaced."""
        records = tuple(changed if each.id == changed.id else each for each in self.records)
        return self.model_copy(update={"records": records})
