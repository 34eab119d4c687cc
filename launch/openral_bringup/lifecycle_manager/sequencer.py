"""Order of the lifecycle transitions of all managed nodes. Pure."""

from collections.abc import Collection, Iterable
from dataclasses import dataclass, replace

from openral_bringup.lifecycle_manager.managed_node import (
    REACHES,
    LifecycleStep,
    ManagedNodeState,
    RetryPolicy,
)
from openral_core.detectors import LifecycleState

STOPPED = LifecycleState.UNCONFIGURED


@dataclass(frozen=True, slots=True)
class LifecycleSequencer:
    """Managed nodes in levels: a level starts once every lower level has settled; shutdown is in reverse.

    A node that is down delays the next level by one step deadline at most.
    """

    peers: tuple[ManagedNodeState, ...]
    retry_policy: RetryPolicy
    stopping: bool = False
    since: float = 0.0

    def steps(self, now: float) -> tuple[tuple[str, LifecycleStep], ...]:
        """Return the transitions to request now."""
        open_levels = self.open_levels(now)
        wanted = ((p.name, p.next_step(now, self.retry_policy)) for p in self.peers if p.level in open_levels)
        return tuple((name, step) for name, step in wanted if step is not None)

    def observed(self, name: str, state: LifecycleState | None) -> "LifecycleSequencer":
        """Return the sequencer after an observation of one node."""
        return self._with(name, self.peer(name).observed(state))

    def started(self, name: str, step: LifecycleStep) -> "LifecycleSequencer":
        """Return the sequencer after a transition was requested."""
        return self._with(name, self.peer(name).started(step))

    def finished(self, name: str, success: bool, now: float) -> "LifecycleSequencer":
        """Return the sequencer after a transition ended."""
        peer = self.peer(name)
        if peer.step is None:
            return self
        reached = REACHES[peer.step] if success else None
        return self._with(name, peer.finished(reached, now, self.retry_policy))

    def stopped(self) -> "LifecycleSequencer":
        """Return the sequencer that brings every node down, the last level first."""
        down = tuple(replace(p, goal=STOPPED, failures=0, retry_at=0.0) for p in self.peers)
        return replace(self, peers=down, stopping=True)

    def settled(self) -> bool:
        """Return whether every node is at its goal or given up."""
        return all(p.settled(self.retry_policy) for p in self.peers)

    def given_up(self) -> tuple[str, ...]:
        """Return the nodes whose retries are exhausted."""
        return tuple(p.name for p in self.peers if p.gave_up(self.retry_policy))

    def peer(self, name: str) -> ManagedNodeState:
        """Return one node by name."""
        return next(p for p in self.peers if p.name == name)

    def _with(self, name: str, peer: ManagedNodeState) -> "LifecycleSequencer":
        return replace(self, peers=tuple(peer if p.name == name else p for p in self.peers))

    def open_levels(self, now: float) -> set[int]:
        """Return the levels whose transitions may start: all lower ones let the next level start."""
        levels = sorted({p.level for p in self.peers}, reverse=self.stopping)
        opened: set[int] = set()
        for level in levels:
            opened.add(level)
            if not all(self.is_passable(p, now) for p in self.peers if p.level == level):
                break
        return opened

    def is_passable(self, peer: ManagedNodeState, now: float) -> bool:
        """Return whether a node lets the next level start: settled, or overdue by one step deadline."""
        waited = now - self.since > self.retry_policy.step_deadline
        return peer.settled(self.retry_policy) or (waited and peer.step is None)


def make_sequencer(
    levels: Iterable[Iterable[str]], retry_policy: RetryPolicy, now: float, inactive: Collection[str] = ()
) -> LifecycleSequencer:
    """Return the sequencer of nodes listed by level, to be active, or inactive if in ``inactive``."""
    peers = tuple(
        ManagedNodeState(name, level, LifecycleState.INACTIVE if name in inactive else LifecycleState.ACTIVE)
        for level, names in enumerate(levels)
        for name in names
    )
    return LifecycleSequencer(peers, retry_policy, since=now)
