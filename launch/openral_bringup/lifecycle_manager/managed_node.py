"""What bring-up knows of one managed node. Pure: time comes in as ``now`` [s]."""
# MERGED Which nodes have been away for so long that somebody should be told. Pure.

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum

from openral_core.backoff import ExponentialBackoff
from openral_core.detectors import LifecycleState

DOWN = None
"""Observation of a node whose lifecycle services do not answer."""


class LifecycleStep(StrEnum):
    """A lifecycle transition towards a goal."""

    CONFIGURE = "configure"
    ACTIVATE = "activate"
    DEACTIVATE = "deactivate"
    CLEANUP = "cleanup"

    @property
    def under_way(self) -> str:
        """The step as a node's passing state: "activating"."""
        return {"cleanup": "cleaning up"}.get(self.value, f"{self.value.removesuffix('e')}ing")


@dataclass(frozen=True, slots=True)
class RetryPolicy:
    """Bounds on what a node may cost: times in [s]."""

    step_deadline: float = 60.0
    retries: int = 3
    back_off: float = 2.0


@dataclass(frozen=True, slots=True)
class ManagedNodeState:
    """One managed node: what it should be, what it was last seen to be, and what is under way.

    ``goal`` follows deliberate changes: a node that somebody deactivated stays deactivated, also
    after a crash. ``last`` is its state before it went silent, for a silent node need not have died.
    ``failures`` counts refused or late steps since the node was last where it should be.
    """

    name: str
    level: int
    goal: LifecycleState = LifecycleState.ACTIVE
    seen: LifecycleState | None = DOWN
    step: LifecycleStep | None = None
    failures: int = 0
    retry_at: float = 0.0
    restarts: int = 0
    was_up: bool = False
    last: LifecycleState | None = None

    def observed(self, state: LifecycleState | None) -> "ManagedNodeState":
        """After a look at the node; a change nobody here asked for is deliberate and becomes the goal."""
        if self.step is not None:
            return replace(self, seen=state) if state is DOWN else self
        if state is DOWN:
            lost = self.was_up and self.seen is not DOWN
            return replace(self, seen=DOWN, restarts=self.restarts + lost, last=self.seen or self.last)
        came_back = self.seen is DOWN
        goal = state if self._deliberate(state) else self.goal
        fresh = came_back and self.was_up
        return replace(self, seen=state, goal=goal, was_up=True, failures=0 if fresh else self.failures)

    def next_step(self, now: float, patience: RetryPolicy) -> LifecycleStep | None:
        """The transition to ask for now, or None when it is where it should be, down, busy or given up."""
        if self.step is not None or self.seen is DOWN or now < self.retry_at or self.gave_up(patience):
            return None
        return _TOWARDS.get((self.seen, self.goal))

    def started(self, step: LifecycleStep) -> "ManagedNodeState":
        """After the transition was asked for."""
        return replace(self, step=step)

    def finished(
        self, reached: LifecycleState | None, now: float, patience: RetryPolicy
    ) -> "ManagedNodeState":
        """After the transition ended; ``reached`` is None when it was refused or late."""
        if reached is not None:
            failures = 0 if reached is self.goal else self.failures
            return replace(self, step=None, seen=reached, failures=failures)
        wait = ExponentialBackoff(patience.back_off).delay(self.failures + 1)
        return replace(self, step=None, failures=self.failures + 1, retry_at=now + wait)

    def gave_up(self, patience: RetryPolicy) -> bool:
        """Whether it failed so often that it is left as it is."""
        return self.failures > patience.retries

    def settled(self, patience: RetryPolicy) -> bool:
        """Whether nothing more is to be expected: it is where it should be, or was given up."""
        return self.step is None and (self.seen is self.goal or self.gave_up(patience))

    def _deliberate(self, state: LifecycleState) -> bool:
        """Left its goal without a step of ours; a fresh, unconfigured start is no deliberate one."""
        return (self.seen or self.last) is self.goal and state not in (self.goal, LifecycleState.UNCONFIGURED)


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
    """Since when nodes do not answer [s]; each absence is told of once."""

    since: Mapping[str, float] = field(default_factory=dict)
    told: frozenset[str] = frozenset()

    def observed(self, name: str, now: float, *, answers: bool) -> "OutageTracker":
        """After a look at one node."""
        if answers:
            return OutageTracker(
                {each: t for each, t in self.since.items() if each != name}, self.told - {name}
            )
        return replace(self, since={name: now, **self.since})

    def overdue(self, now: float, patience: float) -> tuple[str, ...]:
        """Nodes away for longer than ``patience`` [s] that nobody was told of."""
        away = (name for name, since in self.since.items() if now - since > patience)
        return tuple(sorted(name for name in away if name not in self.told))

    def telling(self, name: str) -> "OutageTracker":
        """After somebody was told."""
        return replace(self, told=self.told | {name})
