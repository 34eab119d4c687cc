"""State of the managed nodes, and the order in which they change. Pure: time is the argument ``now`` [s]."""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum

from openral_core.backoff import ExponentialBackoff
from openral_core.detectors import LifecycleState

DOWN = None
"""State of a node whose lifecycle services do not answer."""


class LifecycleStep(StrEnum):
    """A lifecycle transition towards a goal."""

    CONFIGURE = "configure"
    ACTIVATE = "activate"
    DEACTIVATE = "deactivate"
    CLEANUP = "cleanup"

    @property
    def under_way(self) -> str:
        """Name of the step in progress, such as "activating"."""
        return {"cleanup": "cleaning up"}.get(self.value, f"{self.value.removesuffix('e')}ing")


@dataclass(frozen=True, slots=True)
class TransitionRetryPolicy:
    """Deadline of a step, retries and first delay before a retry; times in [s]."""

    step_deadline: float = 60.0
    retries: int = 3
    back_off: float = 2.0


@dataclass(frozen=True, slots=True)
class ManagedNodeState:
    """One managed node: goal state, last observed state and the step in progress.

    ``goal`` follows deliberate changes: a node that was deactivated by someone else stays so, also after a
    crash. ``last`` is the state before it fell silent, because a silent node need not have died.
    ``failures`` counts rejected or late steps since the node last reached its goal.
    """

    name: str
    level: int
    goal: LifecycleState = LifecycleState.ACTIVE
    state: LifecycleState | None = DOWN
    step: LifecycleStep | None = None
    failures: int = 0
    retry_at: float = 0.0
    restarts: int = 0
    was_up: bool = False
    last: LifecycleState | None = None

    def observed(self, state: LifecycleState | None) -> "ManagedNodeState":
        """Return the state after an observation; a change that bring-up did not request becomes the goal."""
        if self.step is not None:
            return replace(self, state=state) if state is DOWN else self
        if state is DOWN:
            lost = self.was_up and self.state is not DOWN
            return replace(self, state=DOWN, restarts=self.restarts + lost, last=self.state or self.last)
        came_back = self.state is DOWN
        goal = state if self._deliberate(state) else self.goal
        fresh = came_back and self.was_up
        return replace(self, state=state, goal=goal, was_up=True, failures=0 if fresh else self.failures)

    def next_step(self, now: float, retry_policy: TransitionRetryPolicy) -> LifecycleStep | None:
        """Return the transition to request, or None if the node is at its goal, down, busy or given up."""
        if self.step is not None or self.state is DOWN or now < self.retry_at or self.gave_up(retry_policy):
            return None
        return _TOWARDS.get((self.state, self.goal))

    def started(self, step: LifecycleStep) -> "ManagedNodeState":
        """Return the state after a transition was requested."""
        return replace(self, step=step)

    def finished(
        self, reached: LifecycleState | None, now: float, retry_policy: TransitionRetryPolicy
    ) -> "ManagedNodeState":
        """Return the state after the transition ended; ``reached`` is None if it was rejected or late."""
        if reached is not None:
            failures = 0 if reached is self.goal else self.failures
            return replace(self, step=None, state=reached, failures=failures)
        wait = ExponentialBackoff(retry_policy.back_off).delay(self.failures + 1)
        return replace(self, step=None, failures=self.failures + 1, retry_at=now + wait)

    def gave_up(self, retry_policy: TransitionRetryPolicy) -> bool:
        """Return whether the retries are exhausted."""
        return self.failures > retry_policy.retries

    def settled(self, retry_policy: TransitionRetryPolicy) -> bool:
        """Return whether the node is at its goal or given up."""
        return self.step is None and (self.state is self.goal or self.gave_up(retry_policy))

    def _deliberate(self, state: LifecycleState) -> bool:
        """Return whether another process moved the node from its goal; a restart does not count."""
        return (self.state or self.last) is self.goal and state not in (
            self.goal,
            LifecycleState.UNCONFIGURED,
        )


_TOWARDS = {
    (LifecycleState.UNCONFIGURED, LifecycleState.INACTIVE): LifecycleStep.CONFIGURE,
    (LifecycleState.UNCONFIGURED, LifecycleState.ACTIVE): LifecycleStep.CONFIGURE,
    (LifecycleState.INACTIVE, LifecycleState.ACTIVE): LifecycleStep.ACTIVATE,
    (LifecycleState.ACTIVE, LifecycleState.INACTIVE): LifecycleStep.DEACTIVATE,
    (LifecycleState.ACTIVE, LifecycleState.UNCONFIGURED): LifecycleStep.DEACTIVATE,
    (LifecycleState.INACTIVE, LifecycleState.UNCONFIGURED): LifecycleStep.CLEANUP,
}

REACHES = {
    LifecycleStep.CONFIGURE: LifecycleState.INACTIVE,
    LifecycleStep.ACTIVATE: LifecycleState.ACTIVE,
    LifecycleStep.DEACTIVATE: LifecycleState.INACTIVE,
    LifecycleStep.CLEANUP: LifecycleState.UNCONFIGURED,
}


@dataclass(frozen=True, slots=True)
class OutageTracker:
    """Start times of outages [s]; each outage is reported once."""

    since: Mapping[str, float] = field(default_factory=dict)
    reported: frozenset[str] = frozenset()

    def observed(self, name: str, now: float, *, answers: bool) -> "OutageTracker":
        """Return the tracker after an observation of one node."""
        if answers:
            return OutageTracker(
                {other: t for other, t in self.since.items() if other != name}, self.reported - {name}
            )
        return replace(self, since={name: now, **self.since})

    def overdue(self, now: float, timeout: float) -> tuple[str, ...]:
        """Return nodes that have been away for longer than ``timeout`` [s] and were not reported."""
        away = (name for name, since in self.since.items() if now - since > timeout)
        return tuple(sorted(name for name in away if name not in self.reported))

    def mark_reported(self, name: str) -> "OutageTracker":
        """Return the tracker after the outage of a node was reported."""
        return replace(self, reported=self.reported | {name})


STOPPED = LifecycleState.UNCONFIGURED


@dataclass(frozen=True, slots=True)
class LifecycleSequencer:
    """Managed nodes in levels: a level starts once every lower level has settled; shutdown is in reverse.

    A node that is down delays the next level by one step deadline at most.
    """

    peers: tuple[ManagedNodeState, ...]
    retry_policy: TransitionRetryPolicy
    stopping: bool = False
    since: float = 0.0

    def steps(self, now: float) -> tuple[tuple[str, LifecycleStep], ...]:
        """Return the transitions to request now."""
        open_levels = self.open_levels(now)
        steps = ((p.name, p.next_step(now, self.retry_policy)) for p in self.peers if p.level in open_levels)
        return tuple((name, step) for name, step in steps if step is not None)

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
    levels: Iterable[Iterable[str]],
    retry_policy: TransitionRetryPolicy,
    now: float,
    inactive: Collection[str] = (),
) -> LifecycleSequencer:
    """Return the sequencer of nodes listed by level, to be active, or inactive if in ``inactive``."""
    peers = tuple(
        ManagedNodeState(name, level, LifecycleState.INACTIVE if name in inactive else LifecycleState.ACTIVE)
        for level, names in enumerate(levels)
        for name in names
    )
    return LifecycleSequencer(peers, retry_policy, since=now)
