"""Residency of detectors: plan lifecycle transitions so that the memory budget always holds.

The history holds activation times, measured load times and pending restores.

Errors::

    ResidencyRefused
    ├── UnknownResident          no peer has this id
    ├── InsufficientMemory       it does not fit beside the peers that must stay
    └── MinResidencyNotElapsed   it fits once recently activated peers may be evicted
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import combinations

from pydantic import BaseModel, ConfigDict, Field

from openral_core.errors import OpenRALError, format_choices

LONG_AGO = float("-inf")


@dataclass(frozen=True, slots=True)
class Resident:
    """Peer that holds memory while active; memory in [MB], times in [s].

    ``declared`` memory is used until it was ``measured``; ``since`` is the last activation.
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
        """Memory held while active [MB]."""
        return self.measured or self.declared

    @property
    def fixed(self) -> bool:
        """True if it must not be evicted."""
        return self.pinned or self.in_use


EXHAUSTIVE = 12
"""Number of peers up to which every combination is compared (2^12); beyond it the choice is greedy."""
Cost = tuple[float, int, int, tuple[str, ...]]


def reload_cost(gone: Sequence[Resident]) -> Cost:
    """Cost of evictions: reload time [s], then on-demand peers, then their number, then their ids."""
    asked_for = sum(not each.streams for each in gone)
    return (
        round(sum(each.load_time for each in gone), 6),
        asked_for,
        len(gone),
        tuple(sorted(e.id for e in gone)),
    )


def choose_evictions(candidates: Sequence[Resident], needed: float) -> tuple[Resident, ...] | None:
    """Choose the evictions that free ``needed`` [MB] at the lowest reload cost; None if impossible."""
    if needed <= 0.0:
        return ()
    if total_memory(candidates) < needed:
        return None
    if len(candidates) > EXHAUSTIVE:
        return greedy_evictions(candidates, needed)
    every = (c for n in range(1, len(candidates) + 1) for c in combinations(candidates, n))
    return min((choice for choice in every if total_memory(choice) >= needed), key=reload_cost)


def total_memory(gone: Sequence[Resident]) -> float:
    """Sum the memory of these peers [MB]."""
    return sum(each.memory for each in gone)


def greedy_evictions(candidates: Sequence[Resident], needed: float) -> tuple[Resident, ...]:
    """Evict by most memory per second of reloading, then drop superfluous evictions."""
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
    """Rules of residency; memory in [MB], times in [s]."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    budget: float = Field(default=0.0, ge=0.0, description="total memory of all detectors; 0 = no limit")
    keep_warm: float = Field(
        default=60.0,
        ge=0.0,
        le=86400.0,
        description="idle time after which a locator that was activated on demand is deactivated [s]",
    )
    min_residency: float = Field(
        default=5.0,
        ge=0.0,
        le=3600.0,
        description="time after its activation in which a detector is not deactivated [s]",
    )
    memory_back: float = Field(
        default=10.0, gt=0.0, description="time limit for freed memory to be measured as free [s]"
    )
    load_rate: float = Field(default=250.0, gt=0.0, description="loading rate until one was measured [MB/s]")
    pinned: tuple[str, ...] = Field(default=(), description="detectors that are never deactivated")

    @property
    def room(self) -> float:
        """Budget as a comparable number [MB]."""
        return self.budget or float("inf")


class ResidencyRefused(OpenRALError):
    """Base: the requested memory cannot be made available now."""


class UnknownResident(ResidencyRefused):
    """No peer has this id."""

    def __init__(self, peer: str, peers: tuple[str, ...]) -> None:
        super().__init__(f"unknown peer {peer!r}; valid: {format_choices(peers)}")


class InsufficientMemory(ResidencyRefused):
    """The request does not fit even after every allowed eviction."""

    def __init__(self, peer: str, needed: float, budget: float, stays: tuple[str, ...]) -> None:
        beside = f" beside {format_choices(stays)}, which cannot be evicted" if stays else ""
        super().__init__(f"{peer} needs {needed:.0f} MB and does not fit in {budget:.0f} MB{beside}")


class MinResidencyNotElapsed(ResidencyRefused):
    """Peers must first reach their minimum residency, at ``until`` [s]."""

    def __init__(self, peer: str, until: float, protected: tuple[str, ...]) -> None:
        self.until = until
        super().__init__(
            f"{peer} must wait: {format_choices(protected)} reached memory too recently to be evicted"
        )


@dataclass(frozen=True, slots=True)
class MemoryRequest:
    """Request for a peer to be active, or, with ``peer`` "", for bare memory [MB]."""

    requester: str
    peer: str = ""
    memory: float = 0.0


@dataclass(frozen=True, slots=True)
class Transition:
    """Activation or deactivation of one peer."""

    peer: str
    activate: bool


def plan_residency(
    residents: Sequence[Resident], request: MemoryRequest, rules: ResidencyRules, now: float
) -> tuple[Transition, ...]:
    """Return the transitions in execution order, deactivations first, so the budget holds after each.

    Raises:
        UnknownResident: If no peer has the requested id.
        InsufficientMemory: If it cannot fit beside the peers that must stay.
        MinResidencyNotElapsed: If it fits once recently activated peers may be evicted.
    """
    requested = next((each for each in residents if each.id == request.peer), None) if request.peer else None
    if request.peer and requested is None:
        raise UnknownResident(request.peer, tuple(each.id for each in residents))
    if requested is not None and requested.active:
        return ()
    others = [each for each in residents if each.active and each is not requested]
    size = request.memory if requested is None else requested.memory
    going = select_evictions(others, size, request, rules, now)
    away = tuple(Transition(each.id, activate=False) for each in sorted(going, key=_eviction_order))
    return away if requested is None else (*away, Transition(requested.id, activate=True))


def select_evictions(
    others: Sequence[Resident], size: float, request: MemoryRequest, rules: ResidencyRules, now: float
) -> tuple[Resident, ...]:
    """Choose the evictions that make room, of peers that have been active long enough."""
    needed = total_memory(others) + size - rules.room
    movable = [each for each in others if not each.fixed]
    settled = [each for each in movable if now - each.since >= rules.min_residency]
    chosen = choose_evictions(settled, needed)
    if chosen is not None:
        return chosen
    later = choose_evictions(movable, needed)
    if later is None:
        raise InsufficientMemory(
            request.requester, size, rules.budget, tuple(each.id for each in others if each.fixed)
        )
    fresh = [each for each in later if each not in settled]
    raise MinResidencyNotElapsed(
        request.requester, max(e.since for e in fresh) + rules.min_residency, tuple(e.id for e in fresh)
    )


def _eviction_order(resident: Resident) -> tuple[bool, float, str]:
    """Sort key: streaming peers before on-demand ones, the largest first."""
    return (not resident.streams, -resident.memory, resident.id)


@dataclass(frozen=True, slots=True)
class ResidencyState:
    """History of the peers, times in [s].

    ``on_demand_peers`` are to be deactivated when idle, ``evicted_peers`` to be reactivated, first evicted
    first. ``memory_holder`` is the skill goal that may still hold the memory of evicted peers.
    """

    since: Mapping[str, float] = field(default_factory=dict)
    used: Mapping[str, float] = field(default_factory=dict)
    load_times: Mapping[str, float] = field(default_factory=dict)
    on_demand_peers: tuple[str, ...] = ()
    evicted_peers: tuple[str, ...] = ()
    memory_holder: str = ""

    def activated(self, peer: str, now: float, load_time: float) -> "ResidencyState":
        """Return the state after an activation."""
        return replace(
            self,
            since={**self.since, peer: now},
            load_times={**self.load_times, peer: load_time},
            evicted_peers=tuple(each for each in self.evicted_peers if each != peer),
        )

    def deactivated(self, peer: str) -> "ResidencyState":
        """Return the state after a deactivation."""
        return replace(self, on_demand_peers=tuple(each for each in self.on_demand_peers if each != peer))

    def activated_on_demand(self, peer: str) -> "ResidencyState":
        """Return the state after an activation for one task only."""
        return replace(self, on_demand_peers=(*(each for each in self.on_demand_peers if each != peer), peer))

    def evicted(self, peer: str) -> "ResidencyState":
        """Return the state after an eviction, which is to be restored."""
        return replace(
            self.deactivated(peer), evicted_peers=(*(e for e in self.evicted_peers if e != peer), peer)
        )

    def forget(self, peer: str) -> "ResidencyState":
        """Return the state without any pending restore of a peer."""
        return replace(
            self,
            on_demand_peers=tuple(each for each in self.on_demand_peers if each != peer),
            evicted_peers=tuple(each for each in self.evicted_peers if each != peer),
        )

    def reconciled(self, awake: Collection[str]) -> "ResidencyState":
        """Return the state without restores that the actual states of the peers have made unnecessary."""
        return replace(
            self,
            on_demand_peers=tuple(each for each in self.on_demand_peers if each in awake),
            evicted_peers=tuple(each for each in self.evicted_peers if each not in awake),
        )

    def used_at(self, peer: str, now: float) -> "ResidencyState":
        """Return the state after a use of a peer."""
        return replace(self, used={**self.used, peer: now})

    def reserve_for(self, call_id: str) -> "ResidencyState":
        """Return the state with memory reserved for a skill goal; "" releases it."""
        return replace(self, memory_holder=call_id)

    def release_if_idle(self, *, idle: bool) -> "ResidencyState":
        """Release memory whose goal's result was lost, once the skill server reports that it is idle."""
        return self.reserve_for("") if idle and self.memory_holder else self

    def deactivation_due(self, peer: str, keep_warm: float) -> float:
        """Return the time at which a peer activated on demand is due for deactivation [s]."""
        return max(self.used.get(peer, LONG_AGO), self.since.get(peer, LONG_AGO)) + keep_warm


def next_restore_action(
    residents: Sequence[Resident], state: ResidencyState, rules: ResidencyRules, now: float
) -> Transition | float | None:
    """Return the transition that is due, else the time to ask again [s], else None.

    No peer is restored while a skill may still hold its memory, and none is evicted for a restore.
    """
    by_id = {each.id: each for each in residents}
    awake = [by_id[p] for p in state.on_demand_peers if p in by_id and by_id[p].active and not by_id[p].fixed]
    due = [each for each in awake if state.deactivation_due(each.id, rules.keep_warm) <= now]
    if due:
        return Transition(due[0].id, activate=False)
    back = restorable(residents, [by_id[p] for p in state.evicted_peers if p in by_id], state, rules)
    if back is not None:
        return Transition(back.id, activate=True)
    return min((state.deactivation_due(each.id, rules.keep_warm) for each in awake), default=None)


def restorable(
    residents: Sequence[Resident], evicted_peers: list[Resident], state: ResidencyState, rules: ResidencyRules
) -> Resident | None:
    """Return the first evicted peer that fits into memory again, else None."""
    if state.memory_holder:
        return None
    held = total_memory([each for each in residents if each.active])
    gone = (each for each in evicted_peers if not each.active and not each.pinned)
    return next((each for each in gone if held + each.memory <= rules.room), None)
