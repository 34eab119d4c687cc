"""Execution of one skill step: approach, containers, a final look, recovery; a step of unknown outcome."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

from openral_core.errors import OpenRALError
from openral_core.geometry import Pose
from openral_core.skills import OUTCOME_UNKNOWN, SkillResult, SkillStatus, Verb
from openral_reasoner.behaviors.approach import approach, close_container, face, open_container, refine_pose
from openral_reasoner.behaviors.exploring import run_on_known_floor
from openral_reasoner.behaviors.human import ask_human
from openral_reasoner.behaviors.locate import LocateOutcome
from openral_reasoner.behaviors.meeting import meet, walks
from openral_reasoner.behaviors.preconditions import is_in_hand, may_be_held
from openral_reasoner.behaviors.requests import SKILLS, pause, wait_for
from openral_reasoner.behaviors.skill_goal import SkillStep
from openral_reasoner.budget import BudgetExhausted
from openral_reasoner.evidence import Acted
from openral_reasoner.mission import Mission, Procedure
from openral_reasoner.mission_objects import MissionObject
from openral_reasoner.policies import RecoveryAction, RecoveryPolicy

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


@dataclass(frozen=True, slots=True)
class SkillExecution:
    """Result of a step; ``moved`` holds the outcome that showed the object is not at its place."""

    result: SkillResult
    target: MissionObject
    moved: LocateOutcome | None = None


def execute_step(mission: Mission, step: SkillStep) -> Procedure[SkillExecution]:
    """Execute a step with everything its verb requires."""
    return (yield from _VERBS[step.entry.verb](mission, step))


def navigate(mission: Mission, step: SkillStep) -> Procedure[SkillExecution]:
    """Drive to the target."""
    mission.base.at_target = ""
    return SkillExecution((yield from approach(mission, step.target)), step.target)


def look_at(mission: Mission, step: SkillStep) -> Procedure[SkillExecution]:
    """Point the camera at the target."""
    return SkillExecution((yield from face(mission, step.target)), step.target)


def open_target(mission: Mission, step: SkillStep) -> Procedure[SkillExecution]:
    """Open the target."""
    return SkillExecution((yield from open_container(mission, step.target.id)), step.target)


def close_target(mission: Mission, step: SkillStep) -> Procedure[SkillExecution]:
    """Drive to the target and close it."""
    went = yield from approach(mission, step.target)
    if not went.success:
        return SkillExecution(went, step.target)
    execution = yield from run_with_recovery(mission, step, near=False)
    if execution.result.success:
        mission.hand.open_containers.discard(step.target.id)
    return execution


def grasp(mission: Mission, step: SkillStep) -> Procedure[SkillExecution]:
    """Grasp an object; its container is closed later, when the hand is empty.

    What the hand holds already is not approached: the skill lifts it clear if that failed before.
    """
    if is_in_hand(mission, step.target):
        execution = yield from run_with_recovery(mission, step, near=False)
    else:
        execution = yield from act_on_object(mission, step)
    if execution.result.success:
        hand, target = mission.hand, execution.target
        hand.object_id = target.id
        hand.containers_to_close = hand.open_containers.intersection(target.containers)
    return execution


def work_control(mission: Mission, step: SkillStep) -> Procedure[SkillExecution]:
    """Drive to a switch, button or knob and work it."""
    went = yield from approach(mission, step.target)
    if not went.success:
        return SkillExecution(went, step.target)
    return (yield from run_with_recovery(mission, step, near=False))


def act_on_object(mission: Mission, step: SkillStep) -> Procedure[SkillExecution]:
    """Open what hides the object, approach it, and act on it after a final look."""
    if step.target.must_open:
        opened = yield from open_container(mission, step.target.must_open)
        if not opened.success:
            return SkillExecution(opened, step.target)
        step = replace(step, target=mission.learn(replace(step.target, must_open="")))
    went = yield from approach(mission, step.target)
    if not went.success:
        return SkillExecution(went, step.target)
    return (yield from run_with_recovery(mission, step, near=True))


def release(mission: Mission, step: SkillStep) -> Procedure[SkillExecution]:
    """Bring the held object to a surface, or to a person where they are now."""
    if step.entry.verb is Verb.HANDOVER and walks(step.target):
        went, person = yield from meet(mission, step.target)
        step = replace(step, target=person)
    else:
        went = yield from approach(mission, step.target)
    if not went.success:
        return SkillExecution(went, step.target)
    execution = yield from run_with_recovery(
        mission, replace(step, target=mission.objects.get(step.target.id, step.target)), near=False
    )
    if execution.result.success:
        record_release(mission, step, execution.result)
        # Closing what was opened for the object needs the empty hand.
        behind, mission.hand.containers_to_close = sorted(mission.hand.containers_to_close), set()
        for container in behind:
            yield from close_container(mission, container)
    return execution


def record_release(mission: Mission, step: SkillStep, result: SkillResult) -> None:
    """Record where the held object is now: at its target, or with a person."""
    held = mission.objects.get(mission.hand.object_id)
    mission.hand.object_id, mission.hand.has_released = "", True
    mission.palette = mission.palette.model_copy(update={"holding": ""})
    if held is None:
        return
    if step.entry.verb is Verb.HANDOVER:
        mission.learn(replace(held, disproved=True))
        return
    reported_pose = result.evidence.get("pose")
    pose = reported_pose if isinstance(reported_pose, Pose) else step.target.pose
    put = replace(
        held, pose=pose, standing=step.target.standing, place=step.target.id, containers=(), must_open=""
    )
    mission.learn(put)


def run_with_recovery(mission: Mission, step: SkillStep, *, near: bool) -> Procedure[SkillExecution]:
    """Run the skill with recovery from failures; ``near`` refines the pose before each attempt."""
    others = [e for e in mission.palette.with_verb(step.entry.verb) if e != step.entry]
    recovery = RecoveryPolicy(len(others))
    looks_wanted = near
    while True:
        if looks_wanted:
            refined = yield from refine_pose(mission, step.target)
            if refined.lost:
                return SkillExecution(
                    SkillResult(SkillStatus.NOTHING_THERE, "the object has moved"), step.target, refined.look
                )
            step = replace(step, target=refined.target)
        result = yield from run_on_known_floor(mission, step)
        result = yield from establish(mission, step, result)
        if result.success or _must_not_be_repeated(step, result):
            return SkillExecution(result, step.target)
        action, recovery = recovery.after(result.status)
        if action is RecoveryAction.GIVE_UP:
            return SkillExecution(result, step.target)
        if action is RecoveryAction.OTHER_SKILL:
            step = replace(step, entry=others.pop(0))
        # A hand that reports nothing may hold the object all the same, after a restart of its server.
        looks_wanted = near and (action is RecoveryAction.REAPPROACH or OUTCOME_UNKNOWN in result.evidence)
        if action is RecoveryAction.REAPPROACH:
            # With a new base pose from memory.
            mission.base.at_target = ""
            yield from approach(mission, replace(step.target, standing=None))


def _must_not_be_repeated(step: SkillStep, result: SkillResult) -> bool:
    """Return True if the skill may be done, or lost the object that it needs in the hand."""
    fell = result.status is SkillStatus.LOST_OBJECT and step.entry.verb is not Verb.GRASP
    return fell or (result.may_be_done and step.entry.verb not in REPEATABLE)


def establish(mission: Mission, step: SkillStep, result: SkillResult) -> Procedure[SkillResult]:
    """Find out what a step did: a success, what surely was not done, or still unknown.

    A result that is known, or of a verb that may be repeated, is returned as it is.

    Raises:
        OutcomeUnknown: If the operator was asked and did not answer.
    """
    verb = step.entry.verb
    if result.success or not result.may_be_done or verb in REPEATABLE:
        return result
    yield from wait_for(mission, SKILLS)
    yield from pause(mission, SETTLE)
    in_hand = mission.palette.holding
    if verb is Verb.GRASP:
        is_done, why = (
            bool(in_hand) and may_be_held(step.target, "", in_hand),
            f"the hand holds {in_hand or 'nothing'}",
        )
        return _established(mission, step, result, why, is_done=is_done)
    if verb in (Verb.PLACE, Verb.HANDOVER) and in_hand:
        return _established(mission, step, result, f"the hand still holds {in_hand}", is_done=False)
    title = _title(mission, step)
    try:
        answer = yield from ask_human(
            mission, f"{result.message}. Was this done: {title}?", (DONE[0], NOT_DONE)
        )
    except BudgetExhausted:
        answer = None
    if answer is None:
        raise OutcomeUnknown(title, result.message)
    word = answer.strip().lower().rstrip(".!")
    if word not in (*DONE, NOT_DONE):
        mission.operator.answer = answer
        return _with_outcome(result, f"not known to be done: {result.message}", unknown=True)
    return _established(mission, step, result, f"the operator says {word!r}", is_done=word in DONE)


def _title(mission: Mission, step: SkillStep) -> str:
    held = mission.objects.get(mission.hand.object_id)
    what = held.label if held is not None else mission.palette.holding
    return f"{step.entry.verb.value} {what and f'{what} to '}{step.target.label}"


def _established(
    mission: Mission, step: SkillStep, result: SkillResult, why: str, *, is_done: bool
) -> SkillResult:
    """Return the established result, and note a success as evidence."""
    if not is_done:
        return _with_outcome(result, f"{result.message}; {why}", unknown=False)
    verb, target = step.entry.verb, step.target
    receiver = target.id if verb is Verb.HANDOVER else ""
    mission.note(Acted(verb, target.node(), SkillStatus.SUCCEEDED, receiver))
    return SkillResult(SkillStatus.SUCCEEDED, f"{why}, so it was done", result.evidence)


def _with_outcome(result: SkillResult, message: str, *, unknown: bool) -> SkillResult:
    return SkillResult(result.status, message, {**result.evidence, OUTCOME_UNKNOWN: unknown})


_VERBS: Mapping[Verb, Callable[[Mission, SkillStep], Procedure[SkillExecution]]] = {
    Verb.NAVIGATE: navigate,
    Verb.LOOK_AT: look_at,
    Verb.OPEN: open_target,
    Verb.CLOSE: close_target,
    Verb.GRASP: grasp,
    Verb.POUR: act_on_object,
    Verb.PLACE: release,
    Verb.HANDOVER: release,
    Verb.SWITCH: work_control,
    Verb.PRESS: work_control,
}
