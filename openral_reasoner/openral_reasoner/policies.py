"""Policies without IO: premature ends, recovery from failed skills, loops, and failures of the model."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum

from openral_core.skills import SkillStatus


class Early(StrEnum):
    """Reason against ending the mission now."""

    SEARCH_OPEN = "places and budget are left to search"
    STILL_HOLDING = "an object is still held"
    NOT_PROVEN = "no evidence shows that the goal was reached"


@dataclass(frozen=True, slots=True)
class PrematureEndPolicy:
    """Challenge a premature end once per reason, then accept it."""

    challenged: frozenset[Early] = frozenset()

    def after(self, early: Early | None) -> tuple[bool, "PrematureEndPolicy"]:
        """Return True if the end is to be challenged, and the next policy."""
        if early is None or early in self.challenged:
            return False, self
        return True, replace(self, challenged=self.challenged | {early})


class RecoveryAction(StrEnum):
    """Recovery after a failed skill."""

    RETRY = "retry"
    REAPPROACH = "choose another base pose and look again"
    OTHER_SKILL = "another skill of the same verb"
    GIVE_UP = "report to the model"


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
class RecoveryPolicy:
    """Recovery actions already used for one step, and the number of alternative skills."""

    other_skills: int = 0
    used: tuple[RecoveryAction, ...] = ()

    def after(self, status: SkillStatus) -> tuple[RecoveryAction, "RecoveryPolicy"]:
        """Return the next action: at most one retry, one new approach and each alternative skill once."""
        first = _FIRST.get(status)
        if first is not None and first not in self.used:
            return first, replace(self, used=(*self.used, first))
        if first is not None and self.other_skills > 0:
            return RecoveryAction.OTHER_SKILL, replace(self, other_skills=self.other_skills - 1)
        return RecoveryAction.GIVE_UP, self


ADVICE = 3
"""Decisions that an advisor makes before the model decides again [1]."""


@dataclass(frozen=True, slots=True)
class AdvicePolicy:
    """Decisions that an advisor may still make: ``remaining`` in the mission, ``pending`` of them now."""

    remaining: int
    pending: int = 0

    def after_stuck(self) -> "AdvicePolicy":
        """Return the policy after the model got stuck; nothing is pending if no decision is left."""
        pending = min(ADVICE, self.remaining)
        return AdvicePolicy(self.remaining - pending, pending)

    def after_decision(self) -> "AdvicePolicy":
        """Return the policy after one decision, of the advisor if any was pending."""
        return replace(self, pending=max(0, self.pending - 1))


_Key = tuple[str, str]


@dataclass(frozen=True, slots=True)
class LoopDetector:
    """Detect a call that keeps returning the same answer while nothing new is done."""

    limit: int
    answers: Mapping[_Key, tuple[str, int]] = field(default_factory=dict)
    progress: int = 0

    def after(self, tool: str, arguments: str, answer: str, progress: int = 0) -> tuple[bool, "LoopDetector"]:
        """Return True at the ``limit``-th identical answer in a row, and the next policy.

        The count begins anew whenever ``progress`` grows: the next object of a goal with several, and another
        place, need the same questions.
        """
        key, answers = (tool, arguments), self.answers if progress <= self.progress else {}
        last, count = answers.get(key, ("", 0))
        count = count + 1 if last == answer else 1
        return count >= self.limit, LoopDetector(self.limit, {**answers, key: (answer, count)}, progress)


@dataclass(frozen=True, slots=True)
class ModelFailurePolicy:
    """Count the failures of the model in a mission.

    The first invalid call in a row is only returned to the model, the next one counts as a failure. The same
    fault ``limit`` times in a row exhausts the policy too.
    """

    limit: int
    failures: int = 0
    warned: bool = False
    fault: str = ""
    repeated: int = 0

    def on_invalid(self, fault: str) -> "ModelFailurePolicy":
        """Record an invalid call with its fault."""
        repeated = self.repeated + 1 if fault == self.fault else 1
        failures = self.failures + 1 if self.warned else self.failures
        return replace(self, failures=failures, warned=not self.warned, fault=fault, repeated=repeated)

    def on_failure(self) -> "ModelFailurePolicy":
        """Record an answer without any call."""
        return replace(self, failures=self.failures + 1)

    def on_valid(self) -> "ModelFailurePolicy":
        """Record a valid call."""
        return replace(self, warned=False, fault="", repeated=0)

    @property
    def exhausted(self) -> bool:
        """True if a human should be asked."""
        return self.failures >= self.limit or self.repeated >= self.limit
