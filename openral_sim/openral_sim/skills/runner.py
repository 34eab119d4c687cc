"""Run a skill to exactly one typed result, also when it is cancelled, aborted or too slow."""

from collections.abc import Mapping
from contextlib import closing
from dataclasses import replace

import numpy as np

from openral_core.errors import OpenRALError
from openral_core.skill_errors import SkillFailed, TookTooLong
from openral_core.skills import ParamValue, SkillResult, SkillStatus, Verb
from openral_sim.motion_primitives.base_motion import brake_base
from openral_sim.motion_primitives.context import CONTROL_PERIOD, SCAN_PERIOD, Move, Running, SkillContext
from openral_sim.planning.arm_planner import NoArmPath
from openral_sim.planning.base_planner import NoBasePath
from openral_sim.planning.inverse_kinematics import IkFailed
from openral_sim.skills.registry import start
from openral_sim.skills.safety import UNBOUNDED, MotionEnvelope, SafetyMonitor

ABORT_ERRORS = (SkillFailed, NoBasePath, IkFailed, NoArmPath)
"""Errors that abort a skill."""
AFTERWARDS = "afterwards"
"""Evidence key of an error that occurred after the work was done."""

_STATUS_OF: tuple[tuple[type[OpenRALError], SkillStatus], ...] = (
    (NoBasePath, SkillStatus.NOT_REACHABLE),
    (IkFailed, SkillStatus.NOT_REACHABLE),
    (NoArmPath, SkillStatus.BLOCKED),
)


def result_of_abort(context: SkillContext, error: OpenRALError) -> SkillResult:
    """Return the result of a skill that raised: its failure, or success if only its retreat failed."""
    if context.achieved is None:
        evidence = dict(error.evidence) if isinstance(error, SkillFailed) else {}
        return SkillResult(_status(error), str(error), evidence)
    try:
        result = context.achieved()
    except SkillFailed as undone:
        return SkillResult(undone.status, str(undone))
    evidence = {**result.evidence, AFTERWARDS: str(error)}
    return replace(result, message=f"{result.message}; {AFTERWARDS}: {error}", evidence=evidence)


def _status(error: OpenRALError) -> SkillStatus:
    if isinstance(error, SkillFailed):
        return error.status
    return next(status for kind, status in _STATUS_OF if isinstance(error, kind))


BOUND = 120.0
"""Simulated time after which any skill ends in [s]; several times the longest successful one."""
BOUNDS: Mapping[Verb, float] = {Verb.EXPLORE: 600.0}
"""Simulated time after which skills end that take longer in [s]."""


def run(
    context: SkillContext, verb: Verb, params: Mapping[str, ParamValue], envelope: MotionEnvelope = UNBOUNDED
) -> Running:
    """Run a verb; every ``yield`` is one control period, the return value is the result.

    A goal that would leave the ``envelope`` is refused before anything moves. A skill that did its work and
    could not retreat has succeeded and reports the obstruction as evidence.

    Cancelling (``context.cancelled = True``) brings the robot to a controlled stop first.
    """
    context.begin()
    try:
        envelope.admit(context, verb, params)
        bound = BOUNDS.get(verb, BOUND)
        result = yield from _supervise(context, start(context, verb, params), envelope, bound)
    except ABORT_ERRORS as error:
        result = result_of_abort(context, error)
    finally:
        # Also when the caller closes the generator: the base must not keep driving.
        context.control.drive(np.zeros(3))
    secure, context.secure = context.secure, None
    if secure is not None:
        yield from secure()
    yield from _brake(context, interrupted=result.status is not SkillStatus.SUCCEEDED)
    return result


def _supervise(context: SkillContext, skill: Running, envelope: MotionEnvelope, bound: float) -> Running:
    """Step a skill until it ends, is cancelled or takes too long."""
    monitor = SafetyMonitor(context, envelope)
    with closing(skill):
        for _ in range(int(bound / CONTROL_PERIOD)):
            try:
                feedback = next(skill)
            except StopIteration as end:
                result: SkillResult = end.value
                return result
            monitor.check()
            context.look_around_arm(SCAN_PERIOD)
            yield feedback
            if context.cancelled:
                return SkillResult(SkillStatus.CANCELLED, f"cancelled while {feedback.stage}")
    raise TookTooLong("the skill", bound)


def _brake(context: SkillContext, *, interrupted: bool) -> Move[None]:
    """Slow the base down within its limits; the arm of an ``interrupted`` skill stays where it is."""
    control = context.control
    if interrupted or float(np.abs(control.base_velocity).max()) > 0.02:
        control.move_reach(control.reach)  # its commanded position may be far ahead
    yield from brake_base(control)
