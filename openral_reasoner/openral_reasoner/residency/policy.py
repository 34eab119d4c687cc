"""Which transitions, in which order, make room."""
# MERGED Who has to go so that enough is freed: the least reloading later.
# MERGED One peer that holds memory while it is active.
# MERGED Bounds on who is resident.
# MERGED Why memory cannot be had.
# MERGED ResidencyRefused
# MERGED ├── UnknownResident   nobody of that name
# MERGED ├── NoRoom            it does not fit beside what must stay
# MERGED └── TooSoon           it fits as soon as what has just come may go again

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

from pydantic import BaseModel, ConfigDict, Field

from openral_core.errors import OpenRALError, format_choices

LONG_AGO = float("-inf")


@dataclass(frozen=True, slots=True)
class Resident:
    """A peer as the planner sees it; memory in [MB], times in [s].

    ``declared`` counts until something was ``measured``; ``since`` is when it was activated last.
    """

    id: str
    declared: float
    measured: float = 0.0
    active: bool = False
    streams: bool = False
    pinned: bool = False
    in_use: bool = False
    load_time: float = 1.0
    since: float = LONG_AGO

    @property
    def memory(self) -> float:
        """What it holds, or will hold, while active [MB]."""
        return self.measured or self.declared

    @property
    def fixed(self) -> bool:
        """Whether it may never be sent away now."""
        return self.pinned or self.in_use


EXHAUSTIVE = 12
"""Up to so many peers every choice is weighed (2^12); beyond, the best bargain goes first."""
Cost = tuple[float, int, int, tuple[str, ...]]


def reload_cost(gone: Sequence[Resident]) -> Cost:
    """Reload time [s]; then those that stream go first, then the fewest, then by name."""
    asked_for = sum(not each.streams for each in gone)
    return (
        round(sum(each.load_time for each in gone), 6),
        asked_for,
        len(gone),
        tuple(sorted(e.id for e in gone)),
    )


def choose_evictions(candidates: Sequence[Resident], needed: float) -> tuple[Resident, ...] | None:
    """The candidates to send away so that ``needed`` [MB] are freed; None if all together are not enough."""
    if needed <= 0.0:
        return ()
    if total_memory(candidates) < needed:
        return None
    if len(candidates) > EXHAUSTIVE:
        return _bargains(candidates, needed)
    every = (c for n in range(1, len(candidates) + 1) for c in combinations(candidates, n))
    return min((choice for choice in every if total_memory(choice) >= needed), key=reload_cost)


def total_memory(gone: Sequence[Resident]) -> float:
    """What they give back together [MB]."""
    return sum(each.memory for each in gone)


def _bargains(candidates: Sequence[Resident], needed: float) -> tuple[Resident, ...]:
    """Most memory per second of reloading first, then without those that turn out superfluous."""
    by_price = sorted(candidates, key=lambda e: (e.load_time / max(e.memory, 1e-9), e.id))
    chosen: list[Resident] = []
    for each in by_price:
        if total_memory(chosen) < needed:
            chosen.append(each)
    for each in sorted(chosen, key=lambda e: (-e.load_time, e.id)):
        rest = [other for other in chosen if other is not each]
        if total_memory(rest) >= needed:
            chosen = rest
    return tuple(chosen)


class ResidencyRules(BaseModel):
    """Said once; memory in [MB], times in [s]."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    budget: float = Field(default=0.0, ge=0.0, description="memory that all may hold together; 0 = no limit")
    keep_warm: float = Field(default=60.0, ge=0.0, description="rest of a woken locator before it sleeps [s]")
    min_residency: float = Field(default=5.0, ge=0.0, description="nobody is sent away sooner than this [s]")
    memory_back: float = Field(default=10.0, gt=0.0, description="until freed memory is measured back [s]")
    load_rate: float = Field(default=250.0, gt=0.0, description="loading speed until one was measured [MB/s]")
    pinned: tuple[str, ...] = Field(default=(), description="peers that are never sent away")

    @property
    def room(self) -> float:
        """The budget as a number to compare with [MB]."""
        return self.budget or float("inf")


class ResidencyRefused(OpenRALError):
    """Base: what was asked cannot be resident now."""


class UnknownResident(ResidencyRefused):
    """Not one of the peers."""

    def __init__(self, asked: str, known: tuple[str, ...]) -> None:
        super().__init__(f"no peer {asked!r}: peers are {format_choices(known)}")


class InsufficientMemory(ResidencyRefused):
    """Even with everything gone that may go, it does not fit."""

    def __init__(self, asked: str, needed: float, budget: float, stays: tuple[str, ...]) -> None:
        beside = f" beside {format_choices(stays)}, which must stay" if stays else ""
        super().__init__(f"{asked} needs {needed:.0f} MB and does not fit in {budget:.0f} MB{beside}")


class MinResidencyNotElapsed(ResidencyRefused):
    """It has to wait until peers have had their least time; ``until`` in [s]."""

    def __init__(self, asked: str, until: float, protected: tuple[str, ...]) -> None:
        self.until = until
        super().__init__(f"{asked} has to wait: {format_choices(protected)} came only just now")


@dataclass(frozen=True, slots=True)
class MemoryRequest:
    """What is asked for: a peer, or (``peer`` "") bare memory for somebody who is none, in [MB]."""

    who: str
    peer: str = ""
    memory: float = 0.0


@dataclass(frozen=True, slots=True)
class Transition:
    """One peer to wake or to send away."""

    peer: str
    activate: bool


def plan_residency(
    residents: Sequence[Resident], room: MemoryRequest, rules: ResidencyRules, now: float
) -> tuple[Transition, ...]:
    """The transitions in order: who goes first, then who comes; the budget holds after each.

    Raises:
        UnknownResident: If the peer asked for is none of them.
        NoRoom: If it cannot fit beside what must stay.
        TooSoon: If it fits once a peer that has just come may go again.
    """
    wanted = _wanted(residents, room)
    if wanted is not None and wanted.active:
        return ()
    others = [each for each in residents if each.active and each is not wanted]
    size = room.memory if wanted is None else wanted.memory
    going = _going(others, size, room, rules, now)
    away = tuple(Transition(each.id, activate=False) for each in sorted(going, key=_first_to_go))
    return away if wanted is None else (*away, Transition(wanted.id, activate=True))


def _wanted(residents: Sequence[Resident], room: MemoryRequest) -> Resident | None:
    if not room.peer:
        return None
    named = next((each for each in residents if each.id == room.peer), None)
    if named is None:
        raise UnknownResident(room.peer, tuple(each.id for each in residents))
    return named


def _going(
    others: Sequence[Resident], size: float, room: MemoryRequest, rules: ResidencyRules, now: float
) -> tuple[Resident, ...]:
    needed = total_memory(others) + size - rules.room
    movable = [each for each in others if not each.fixed]
    settled = [each for each in movable if now - each.since >= rules.min_residency]
    chosen = choose_evictions(settled, needed)
    if chosen is not None:
        return chosen
    later = choose_evictions(movable, needed)
    if later is None:
        raise InsufficientMemory(
            room.who, size, rules.budget, tuple(each.id for each in others if each.fixed)
        )
    fresh = [each for each in later if each not in settled]
    raise MinResidencyNotElapsed(
        room.who, max(e.since for e in fresh) + rules.min_residency, tuple(e.id for e in fresh)
    )


def _first_to_go(resident: Resident) -> tuple[bool, float, str]:
    """Those that stream before those that are asked, the biggest first."""
    return (not resident.streams, -resident.memory, resident.id)
