"""How a skill ends that something cut short."""

from dataclasses import replace

from openral_core.errors import OpenRALError
from openral_core.skills import SkillResult, SkillStatus
from openral_sim.motions.arm_paths import NoArmPath
from openral_sim.motions.kinematics import Unreachable
from openral_sim.motions.paths import NoWay
from openral_sim.skills.context import SkillContext
from openral_sim.skills.failures import SkillFailed

CUTS = (SkillFailed, NoWay, Unreachable, NoArmPath)
"""What can cut a skill short."""
AFTERWARDS = "afterwards"
"""Evidence of a skill that did its work and met something on the way out: what that was."""

_STATUS_OF: tuple[tuple[type[OpenRALError], SkillStatus], ...] = (
    (NoWay, SkillStatus.NOT_REACHABLE),
    (Unreachable, SkillStatus.NOT_REACHABLE),
    (NoArmPath, SkillStatus.BLOCKED),
)


def cut_short(context: SkillContext, error: OpenRALError) -> SkillResult:
    """The end of a skill that failed, or that failed only to leave once its work was done."""
    if context.achieved is None:
        return SkillResult(_status(error), str(error))
    try:
        done = context.achieved()
    except SkillFailed as undone:
        return SkillResult(undone.status, str(undone))
    evidence = {**done.evidence, AFTERWARDS: str(error)}
    return replace(done, message=f"{done.message}; {AFTERWARDS}: {error}", evidence=evidence)


def _status(error: OpenRALError) -> SkillStatus:
    if isinstance(error, SkillFailed):
        return error.status
    return next(status for kind, status in _STATUS_OF if isinstance(error, kind))
