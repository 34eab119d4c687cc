"""All managed nodes together: who may move next. Pure."""

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
    """Managed nodes in levels: a level moves when every lower one has settled, upwards on the way down.

    A node that is down or was given up never holds the next level for longer than ``patience``.
    """

    peers: tuple[ManagedNodeState, ...]
    patience: RetryPolicy
    stopping: bool = False
    since: float = 0.0

    def steps(self, now: float) -> tuple[tuple[str, LifecycleStep], ...]:
        """The transitions to ask for now."""
        open_levels = self._open_levels(now)
        wanted = ((p.name, p.next_step(now, self.patience)) for p in self.peers if p.level in open_levels)
        return tuple((name, step) for name, step in wanted if step is not None)

    def observed(self, name: str, state: LifecycleState | None) -> "LifecycleSequencer":
        """After a look at one node."""
        return self._with(name, self.peer(name).observed(state))

    def started(self, name: str, step: LifecycleStep) -> "LifecycleSequencer":
        """After a transition was asked for."""
        return self._with(name, self.peer(name).started(step))

    def finished(self, name: str, success: bool, now: float) -> "LifecycleSequencer":
        """After a transition ended."""
        peer = self.peer(name)
        if peer.step is None:
            return self
        reached = REACHES[peer.step] if success else None
        return self._with(name, peer.finished(reached, now, self.patience))

    def stopped(self) -> "LifecycleSequencer":
        """From now on every node is to be brought down, the last level first."""
        down = tuple(replace(p, goal=STOPPED, failures=0, retry_at=0.0) for p in self.peers)
        return replace(self, peers=down, stopping=True)

    def settled(self) -> bool:
        """Whether every node is where it should be or was given up."""
        return all(p.settled(self.patience) for p in self.peers)

    def given_up(self) -> tuple[str, ...]:
        """Nodes left as they are after too many failures."""
        return tuple(p.name for p in self.peers if p.gave_up(self.patience))

    def peer(self, name: str) -> ManagedNodeState:
        """One node by name."""
        return next(p for p in self.peers if p.name == name)

    def _with(self, name: str, peer: ManagedNodeState) -> "LifecycleSequencer":
        return replace(self, peers=tuple(peer if p.name == name else p for p in self.peers))

    def _open_levels(self, now: float) -> set[int]:
        levels = sorted({p.level for p in self.peers}, reverse=self.stopping)
        opened: set[int] = set()
        for level in levels:
            opened.add(level)
            if not all(self._passable(p, now) for p in self.peers if p.level == level):
                break
        return opened

    def _passable(self, peer: ManagedNodeState, now: float) -> bool:
        """A node that does not come up holds the next level only for one step's deadline."""
        waited = now - self.since > self.patience.step_deadline
        return peer.settled(self.patience) or (waited and peer.step is None)


def make_sequencer(
    levels: Iterable[Iterable[str]], patience: RetryPolicy, now: float, asleep: Collection[str] = ()
) -> LifecycleSequencer:
    """A roster of nodes named level by level, meant to be active, or inactive where they are ``asleep``."""
    peers = tuple(
        ManagedNodeState(name, level, LifecycleState.INACTIVE if name in asleep else LifecycleState.ACTIVE)
        for level, names in enumerate(levels)
        for name in names
    )
    return LifecycleSequencer(peers, patience, since=now)
