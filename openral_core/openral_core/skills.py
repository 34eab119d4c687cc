"""Acting skills: their verbs, goals and typed outcomes."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import IntEnum

from openral_core.geometry import Pose
from openral_core.rskills import Verb

__all__ = ["OUTCOME_UNKNOWN", "Feedback", "ParamValue", "SkillGoal", "SkillResult", "SkillStatus", "Verb"]

ParamValue = str | float | int | bool | Pose
"""A typed skill parameter; poses are in map."""
OUTCOME_UNKNOWN = "outcome_unknown"
"""Evidence key of a failed skill: True if it may have done its work all the same, False if surely not."""


class SkillStatus(IntEnum):
    """Outcome of one goal."""

    SUCCEEDED = 0
    CANCELLED = 1
    NOT_REACHABLE = 2
    NOT_IN_GRIPPER_RANGE = 3
    NOTHING_THERE = 4
    NOTHING_HELD = 5
    BLOCKED = 6
    LOST_OBJECT = 7
    BAD_REQUEST = 8
    UNSUPPORTED = 9
    TIMEOUT = 10
    BUSY = 11
    INACTIVE = 12
    SKILL_ERROR = 13


@dataclass(frozen=True, slots=True)
class SkillGoal:
    """One ExecuteRskill goal; ``deadline`` in [s] of wall-clock time, 0 = the manifest's."""

    rskill_id: str
    prompt: str
    params: Mapping[str, ParamValue] = field(default_factory=dict)
    deadline: float = 0.0


@dataclass(frozen=True, slots=True)
class Feedback:
    """Progress of a running skill."""

    stage: str  # Name of the present stage.
    progress: float  # Progress of that stage in [0, 1].


@dataclass(frozen=True, slots=True)
class SkillResult:
    """The result of one goal, with typed evidence such as measured poses."""

    status: SkillStatus
    message: str
    evidence: Mapping[str, ParamValue] = field(default_factory=dict)

    @property
    def success(self) -> bool:
        """True if the goal was reached."""
        return self.status is SkillStatus.SUCCEEDED

    @property
    def may_be_done(self) -> bool:
        """True if the skill failed and may have done its work all the same."""
        broken = self.status in (SkillStatus.TIMEOUT, SkillStatus.SKILL_ERROR)
        return self.evidence.get(OUTCOME_UNKNOWN, broken) is True
