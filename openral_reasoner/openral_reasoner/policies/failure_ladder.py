"""What to try after a skill failed: each rung once, then the model is told."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from enum import StrEnum

from openral_core.skills import SkillStatus


class Rung(StrEnum):
    """One way to go on."""

    RETRY = "retry"
    REAPPROACH = "stand elsewhere and look again"
    OTHER_SKILL = "another skill of the same verb"
    GIVE_UP = "tell the model"


_FIRST: Mapping[SkillStatus, Rung] = {
    SkillStatus.TIMEOUT: Rung.RETRY,
    SkillStatus.BUSY: Rung.RETRY,
    SkillStatus.BLOCKED: Rung.RETRY,
    SkillStatus.SKILL_ERROR: Rung.RETRY,
    SkillStatus.NOT_REACHABLE: Rung.REAPPROACH,
    SkillStatus.NOT_IN_GRIPPER_RANGE: Rung.REAPPROACH,
    SkillStatus.NOTHING_THERE: Rung.REAPPROACH,
    SkillStatus.LOST_OBJECT: Rung.REAPPROACH,
}


@dataclass(frozen=True, slots=True)
class FailureLadder:
    """Rungs already used for one step, and how many other skills could do it."""

    other_skills: int = 0
    used: tuple[Rung, ...] = ()

    def after(self, status: SkillStatus) -> tuple[Rung, "FailureLadder"]:
        """The next rung; at most one retry, one new approach and every other skill once."""
        first = _FIRST.get(status)
        if first is not None and first not in self.used:
            return first, replace(self, used=(*self.used, first))
        if first is not None and self.other_skills > 0:
            return Rung.OTHER_SKILL, replace(self, other_skills=self.other_skills - 1)
        return Rung.GIVE_UP, self
