"""Send one goal to the skill server, the only behavior that moves the robot, and wait for its result."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from openral_core.consent.decisions import ConsentOutcome
from openral_core.skills import OUTCOME_UNKNOWN, ParamValue, SkillGoal, SkillResult, SkillStatus, Verb
from openral_reasoner.behaviors.human import consent_to
from openral_reasoner.behaviors.preconditions import forbidden_by, refusal
from openral_reasoner.behaviors.requests import SKILLS, MissionCancelled, wait_for
from openral_reasoner.behaviors.residency import free_memory_for_skill, keep_evicted, restore_pending
from openral_reasoner.behaviors.skill_parameters import Extra, MissingParameter, bind
from openral_reasoner.budget import BudgetExhausted
from openral_reasoner.commands import CancelSkill, ClearDeadline, SendSkill, SetDeadline
from openral_reasoner.context import plain
from openral_reasoner.events import NOT_CARRIED_OUT, CallFailed, DeadlinePassed, Event, SkillEnded
from openral_reasoner.evidence import Acted
from openral_reasoner.mission import Mission, Procedure, Wait
from openral_reasoner.mission_objects import MissionObject
from openral_reasoner.palette.entries import SkillEntry

STOOD = 0.05
"""Largest displacement of a base that counts as standing still [m]."""

MAX_QUESTIONS = 2
"""Questions for permission per goal: a second one is needed if the server has not heard the first answer."""

UNCONFIRMED = "the skill server did not confirm that the cancelled skill has stopped"


@dataclass(frozen=True, slots=True)
class SkillStep:
    """One skill on one target, with the model's words and values of parameters."""

    entry: SkillEntry
    target: MissionObject
    words: str = ""
    extras: Mapping[str, Extra] = field(default_factory=dict)


def run_skill(mission: Mission, step: SkillStep, deadline: float = 0.0) -> Procedure[SkillResult]:
    """Send one goal with its parameters bound to the target, and wait for its result.

    A goal that misses its ``deadline`` [s], by default its manifest's, or is no longer wanted is cancelled.
    Detectors evicted for it are restored afterwards.

    Raises:
        MissionCancelled: If the operator, or another client of the robot, cancelled it.
    """
    entry, target = step.entry, step.target
    try:
        params = bind(entry, target, step.extras)
    except MissingParameter as error:
        return SkillResult(SkillStatus.BAD_REQUEST, str(error))
    title = f"{entry.verb.value} {target.label}"
    mission.say(title)
    if entry.verb is not Verb.LOOK_AT:
        # Any other skill may move the base.
        mission.base.at_target = mission.base.faced_target = ""
    failure = yield from prepare(mission, entry, target)
    if failure is not None:
        return failure
    mission.evidence = mission.evidence.with_carried(mission.palette.holding)
    goal = SkillGoal(entry.id, step.words or title, params, deadline or entry.deadline)
    result = yield from send_goal(mission, entry, goal)
    for _ in range(MAX_QUESTIONS):
        if not (yield from consent_to(mission, result)):
            break
        result = yield from send_goal(mission, entry, goal)
    mission.note(fact_of(entry, target, result, params))
    mission.blocked_ways = mission.blocked_ways.after(target.id, result, drove=entry.verb is Verb.NAVIGATE)
    if result.status is SkillStatus.CANCELLED:
        raise MissionCancelled(f"{entry.id} was cancelled, not by this mission: {plain(result.message, 300)}")
    yield from restore_pending(mission)
    return result


def prepare(mission: Mission, entry: SkillEntry, target: MissionObject) -> Procedure[SkillResult | None]:
    """Wait for the skill server and free the skill's memory; return the reason if it must not run."""
    rule = forbidden_by(mission, entry.verb, target)
    if rule is not None:
        return SkillResult(SkillStatus.BAD_REQUEST, refusal(rule))
    yield from wait_for(mission, SKILLS)
    failure = yield from free_memory_for_skill(mission, entry)
    if failure is None and entry not in mission.palette.skills:
        return SkillResult(SkillStatus.UNSUPPORTED, f"{entry.id} is no longer offered")
    return failure


def send_goal(mission: Mission, entry: SkillEntry, goal: SkillGoal) -> Procedure[SkillResult]:
    """Send a goal and wait for its result; cancel it at its deadline or if the mission is interrupted."""
    mission.spend("skills")
    call_id = mission.next_id("skill")
    mission.begin(call_id, "execute_rskill", rskill=goal.rskill_id, step=goal.prompt)
    if entry.gpu_memory_mb > 0.0:
        mission.residency = mission.residency.reserve_for(call_id)
    mission.emit(SendSkill(call_id=call_id, goal=goal))
    seconds = goal.deadline + mission.settings.deadlines.skill_grace
    mission.emit(SetDeadline(call_id=call_id, seconds=seconds))
    try:
        event = yield from wait_for_end(mission, call_id)
    except (MissionCancelled, BudgetExhausted):
        yield from stop_goal(mission, call_id)
        raise
    if isinstance(event, DeadlinePassed):
        result = late_result(result_of((yield from stop_goal(mission, call_id))))
    else:
        result = result_of(event)
        release_memory(mission, event)
    mission.emit(ClearDeadline(call_id=call_id))
    permitted = result.evidence.get(ConsentOutcome.PERMITTED)
    message = f"{result.message}; permitted by {permitted}" if permitted else result.message
    mission.finish(call_id, result.status.name, message)
    return result


def fact_of(
    entry: SkillEntry, target: MissionObject, result: SkillResult, params: Mapping[str, ParamValue]
) -> Acted:
    """Turn a result into evidence; the skill reports the receiver, the state and whether it is verified."""
    agent, drove = result.evidence.get("agent_id"), result.evidence.get("drove", 0.0)
    receiver = agent if isinstance(agent, str) and entry.verb is Verb.HANDOVER else ""
    moved = isinstance(drove, float) and drove > STOOD
    verified = result.evidence.get("verified") is not False
    power = result.evidence.get("on", params.get("on"))
    state = ("on" if power else "off") if isinstance(power, bool) else ""
    return Acted(entry.verb, target.node(), result.status, receiver, moved, verified, state)


def wait_for_end(mission: Mission, call_id: str) -> Procedure[Event]:
    """Wait for a goal's result, keeping the detectors evicted for it inactive."""
    lent, requested = mission.residency.memory_holder == call_id, set[str]()
    while True:
        event = yield Wait(call_id, palette=lent)
        if isinstance(event, SkillEnded | CallFailed | DeadlinePassed):
            return event
        keep_evicted(mission, requested)


def release_memory(mission: Mission, event: Event) -> None:
    """Release the reserved memory, but only for a result that the skill server reported."""
    if isinstance(event, SkillEnded) and event.call_id == mission.residency.memory_holder:
        mission.residency = mission.residency.reserve_for("")


def stop_goal(mission: Mission, call_id: str) -> Procedure[Event]:
    """Cancel a goal and wait, bounded, for its end, which is returned: it may have succeeded meanwhile."""
    mission.emit(CancelSkill(call_id=call_id))
    mission.emit(SetDeadline(call_id=call_id, seconds=mission.settings.deadlines.cancel))
    event = yield Wait(call_id)
    release_memory(mission, event)
    if isinstance(event, DeadlinePassed):
        mission.calls.unconfirmed_stops.add(call_id)
        mission.decisions.news.append(UNCONFIRMED)
    mission.emit(ClearDeadline(call_id=call_id))
    if mission.calls.records[call_id].status == "pending":
        ended = isinstance(event, SkillEnded) and event.result.status is not SkillStatus.CANCELLED
        status = result_of(event).status.name if ended else "CANCELLED"
        mission.finish(call_id, status, "stopped by the reasoner")
    return event


def result_of(event: Event) -> SkillResult:
    """Turn the end of a goal, of whatever kind, into a result."""
    if isinstance(event, SkillEnded):
        return event.result
    if isinstance(event, CallFailed):
        unknown = event.condition not in NOT_CARRIED_OUT
        return SkillResult(SkillStatus.SKILL_ERROR, event.message, {OUTCOME_UNKNOWN: unknown})
    return SkillResult(SkillStatus.TIMEOUT, TOO_LATE, {OUTCOME_UNKNOWN: True})


def late_result(result: SkillResult) -> SkillResult:
    """Return the result of a goal that was cancelled at its deadline; only what it completed counts."""
    if result.status is not SkillStatus.CANCELLED:
        return result
    return SkillResult(SkillStatus.TIMEOUT, f"{TOO_LATE}: {result.message}", result.evidence)


TOO_LATE = "the skill server did not finish within its deadline"
