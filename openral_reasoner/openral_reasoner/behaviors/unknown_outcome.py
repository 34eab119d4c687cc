"""An acting step of unknown outcome: the hand or the operator tells what was done; nothing is done twice."""

from openral_core.errors import OpenRALError
from openral_core.skills import OUTCOME_UNKNOWN, SkillResult, SkillStatus, Verb
from openral_reasoner.behaviors.human import ask_human
from openral_reasoner.behaviors.preconditions import may_be_held
from openral_reasoner.behaviors.requests import SKILLS, pause, wait_for
from openral_reasoner.budget import BudgetExhausted
from openral_reasoner.evidence import Acted
from openral_reasoner.mission import Mission, Procedure
from openral_reasoner.mission_objects import MissionObject

REPEATABLE = frozenset({Verb.NAVIGATE, Verb.LOOK_AT, Verb.EXPLORE, Verb.OPEN, Verb.CLOSE, Verb.SWITCH})
"""Verbs that bring about a state, whatever it is before: where it is there already, nothing changes."""
SETTLE = 1.5
"""Time in which the skill server reports what the hand holds [s]: it repeats its catalogue every second."""
DONE, NOT_DONE = ("yes", "done"), "no"
"""Answers of the operator."""


class OutcomeUnknown(OpenRALError):
    """An acting step may have been done, and nothing tells."""

    def __init__(self, step: str, why: str) -> None:
        super().__init__(f"I do not know whether this was done, and did not repeat it: {step}: {why}")


def establish(
    mission: Mission, verb: Verb, target: MissionObject, result: SkillResult
) -> Procedure[SkillResult]:
    """Find out what a step did: a success, what surely was not done, or still unknown.

    A result that is known, or of a verb that may be repeated, is returned as it is.

    Raises:
        OutcomeUnknown: If the operator was asked and did not answer.
    """
    if result.success or not result.may_be_done or verb in REPEATABLE:
        return result
    yield from wait_for(mission, SKILLS)
    yield from pause(mission, SETTLE)
    in_hand = mission.palette.holding
    if verb is Verb.GRASP:
        is_done, why = (
            bool(in_hand) and may_be_held(target, "", in_hand),
            f"the hand holds {in_hand or 'nothing'}",
        )
        return _established(mission, verb, target, result, why, is_done=is_done)
    if verb in (Verb.PLACE, Verb.HANDOVER) and in_hand:
        return _established(mission, verb, target, result, f"the hand still holds {in_hand}", is_done=False)
    step = _step(mission, verb, target)
    try:
        answer = yield from ask_human(
            mission, f"{result.message}. Was this done: {step}?", (DONE[0], NOT_DONE)
        )
    except BudgetExhausted:
        answer = None
    if answer is None:
        raise OutcomeUnknown(step, result.message)
    word = answer.strip().lower().rstrip(".!")
    if word not in (*DONE, NOT_DONE):
        mission.operator.answer = answer
        return _with_outcome(result, f"not known to be done: {result.message}", unknown=True)
    return _established(mission, verb, target, result, f"the operator says {word!r}", is_done=word in DONE)


def _step(mission: Mission, verb: Verb, target: MissionObject) -> str:
    held = mission.objects.get(mission.hand.object_id)
    what = held.label if held is not None else mission.palette.holding
    return f"{verb.value} {what and f'{what} to '}{target.label}"


def _established(
    mission: Mission, verb: Verb, target: MissionObject, result: SkillResult, why: str, *, is_done: bool
) -> SkillResult:
    """Return the established result, and note a success as evidence."""
    if not is_done:
        return _with_outcome(result, f"{result.message}; {why}", unknown=False)
    receiver = target.id if verb is Verb.HANDOVER else ""
    mission.note(Acted(verb, target.node(), SkillStatus.SUCCEEDED, receiver))
    return SkillResult(SkillStatus.SUCCEEDED, f"{why}, so it was done", result.evidence)


def _with_outcome(result: SkillResult, message: str, *, unknown: bool) -> SkillResult:
    return SkillResult(result.status, message, {**result.evidence, OUTCOME_UNKNOWN: unknown})
