"""An ending that comes too early is questioned once, then taken."""
# MERGED What to try after a skill failed: each rung once, then the model is told.
# MERGED Notices that the same call keeps getting the same answer.
# MERGED A wrong call goes back; the model that cannot mend it is given up in time.

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum

from openral_core.skills import SkillStatus


class Early(StrEnum):
    """What speaks against ending now."""

    SEARCH_OPEN = "places and budget are left to search"
    STILL_HOLDING = "something is still held"
    NOT_PROVEN = "nothing shows that the goal was reached"


@dataclass(frozen=True, slots=True)
class PrematureEndPolicy:
    """What was already said in this mission."""

    said: frozenset[Early] = frozenset()

    def after(self, found: Early | None) -> tuple[bool, "PrematureEndPolicy"]:
        """Whether to say so instead of ending, and the next policy."""
        if found is None or found in self.said:
            return False, self
        return True, replace(self, said=self.said | {found})


class RecoveryAction(StrEnum):
    """One way to go on."""

    RETRY = "retry"
    REAPPROACH = "stand elsewhere and look again"
    OTHER_SKILL = "another skill of the same verb"
    GIVE_UP = "tell the model"


_FIRST: Mapping[SkillStatus, RecoveryAction] = {
    SkillStatus.TIMEOUT: RecoveryAction.RETRY,
    SkillStatus.BUSY: RecoveryAction.RETRY,
    SkillStatus.BLOCKED: RecoveryAction.RETRY,
    SkillStatus.SKILL_ERROR: RecoveryAction.RETRY,
    SkillStatus.NOT_REACHABLE: RecoveryAction.REAPPROACH,
    SkillStatus.NOT_IN_GRIPPER_RANGE: RecoveryAction.REAPPROACH,
    SkillStatus.NOTHING_THERE: RecoveryAction.REAPPROACH,
    SkillStatus.LOST_OBJECT: RecoveryAction.REAPPROACH,
}


@dataclass(frozen=True, slots=True)
class FailureLadder:
    """Rungs already used for one step, and how many other skills could do it."""

    other_skills: int = 0
    used: tuple[RecoveryAction, ...] = ()

    def after(self, status: SkillStatus) -> tuple[RecoveryAction, "FailureLadder"]:
        """The next rung; at most one retry, one new approach and every other skill once."""
        first = _FIRST.get(status)
        if first is not None and first not in self.used:
            return first, replace(self, used=(*self.used, first))
        if first is not None and self.other_skills > 0:
            return RecoveryAction.OTHER_SKILL, replace(self, other_skills=self.other_skills - 1)
        return RecoveryAction.GIVE_UP, self


_Key = tuple[str, str]


@dataclass(frozen=True, slots=True)
class LoopDetector:
    """How often each call got the answer it got last."""

    limit: int
    seen: Mapping[_Key, tuple[str, int]] = field(default_factory=dict)

    def after(self, tool: str, arguments: str, answer: str) -> tuple[bool, "LoopDetector"]:
        """Whether this makes ``limit`` in all, and the next policy."""
        key = (tool, arguments)
        last, count = self.seen.get(key, ("", 0))
        count = count + 1 if last == answer else 1
        return count >= self.limit, replace(self, seen={**self.seen, key: (answer, count)})


@dataclass(frozen=True, slots=True)
class ModelFailurePolicy:
    """Failures of the model in this mission, and what was wrong with its last calls.

    The first wrong call in a row goes back, the next is a failure. The same fault ``limit`` times in a row is
    the end too.
    """

    limit: int
    failures: int = 0
    warned: bool = False
    fault: str = ""
    repeated: int = 0

    def after_wrong(self, fault: str) -> "ModelFailurePolicy":
        """A call that could not be used, and why."""
        repeated = self.repeated + 1 if fault == self.fault else 1
        failures = self.failures + 1 if self.warned else self.failures
        return replace(self, failures=failures, warned=not self.warned, fault=fault, repeated=repeated)

    def after_failure(self) -> "ModelFailurePolicy":
        """The model gave no call at all."""
        return replace(self, failures=self.failures + 1)

    def after_right(self) -> "ModelFailurePolicy":
        """A call that could be used."""
        return replace(self, warned=False, fault="", repeated=0)

    @property
    def out(self) -> bool:
        """Whether a human should be asked."""
        return self.failures >= self.limit or self.repeated >= self.limit
