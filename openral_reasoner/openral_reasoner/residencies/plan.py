"""Which transitions, in which order, make room."""

from collections.abc import Sequence
from dataclasses import dataclass

from openral_reasoner.residencies.evictions import cheapest, freed
from openral_reasoner.residencies.refusals import NoRoom, TooSoon, UnknownResident
from openral_reasoner.residencies.residents import Resident
from openral_reasoner.residencies.rules import ResidencyRules


@dataclass(frozen=True, slots=True)
class Room:
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
    residents: Sequence[Resident], room: Room, rules: ResidencyRules, now: float
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


def _wanted(residents: Sequence[Resident], room: Room) -> Resident | None:
    if not room.peer:
        return None
    named = next((each for each in residents if each.id == room.peer), None)
    if named is None:
        raise UnknownResident(room.peer, tuple(each.id for each in residents))
    return named


def _going(
    others: Sequence[Resident], size: float, room: Room, rules: ResidencyRules, now: float
) -> tuple[Resident, ...]:
    needed = freed(others) + size - rules.room
    movable = [each for each in others if not each.fixed]
    settled = [each for each in movable if now - each.since >= rules.min_residency]
    chosen = cheapest(settled, needed)
    if chosen is not None:
        return chosen
    later = cheapest(movable, needed)
    if later is None:
        raise NoRoom(room.who, size, rules.budget, tuple(each.id for each in others if each.fixed))
    fresh = [each for each in later if each not in settled]
    raise TooSoon(room.who, max(e.since for e in fresh) + rules.min_residency, tuple(e.id for e in fresh))


def _first_to_go(resident: Resident) -> tuple[bool, float, str]:
    """Those that stream before those that are asked, the biggest first."""
    return (not resident.streams, -resident.memory, resident.id)
