"""Residency history: activation times, measured load times and pending restores."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace

from openral_reasoner.residency.policy import LONG_AGO, ResidencyRules, Resident, Transition, total_memory


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
    back = _fitting(residents, [by_id[p] for p in state.evicted_peers if p in by_id], state, rules)
    if back is not None:
        return Transition(back.id, activate=True)
    return min((state.deactivation_due(each.id, rules.keep_warm) for each in awake), default=None)


def _fitting(
    residents: Sequence[Resident], evicted_peers: list[Resident], state: ResidencyState, rules: ResidencyRules
) -> Resident | None:
    if state.memory_holder:
        return None
    held = total_memory([each for each in residents if each.active])
    gone = (each for each in evicted_peers if not each.active and not each.pinned)
    return next((each for each in gone if held + each.memory <= rules.room), None)
