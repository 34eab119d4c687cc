"""One goal to the skill server: the only procedure that makes anything move."""

from collections.abc import Mapping

from openral_core.skills import ParamValue, SkillGoal, SkillResult, SkillStatus, Verb
from openral_reasoner.budgets import BudgetExhausted
from openral_reasoner.exchanges.commands import CancelSkill, ClearDeadline, SendSkill, SetDeadline
from openral_reasoner.exchanges.events import CallFailed, DeadlinePassed, Event, SkillEnded
from openral_reasoner.palettes import SkillEntry
from openral_reasoner.procedures.interrupts import MissionCancelled
from openral_reasoner.procedures.mission import Mission, Procedure, Wait
from openral_reasoner.procedures.residencies import keep_out, room_for_skill, tidy
from openral_reasoner.procedures.things import Thing
from openral_reasoner.procedures.waits import SKILLS, wait_for
from openral_reasoner.success import Acted

STOOD = 0.05
"""How far a robot that stays where it is may be from there afterwards [m]."""

UNCONFIRMED = "the skill server did not confirm that the cancelled skill has stopped"


def act(
    mission: Mission, entry: SkillEntry, thing: Thing, words: str, params: Mapping[str, ParamValue]
) -> Procedure[SkillResult]:
    """Send one goal when its memory is free, and wait for its end.

    A goal that is late or no longer wanted is cancelled. Who had to go for it comes back when it ended.
    """
    yield from wait_for(mission, SKILLS)
    refused = yield from room_for_skill(mission, entry)
    if refused is not None:
        return refused
    if entry not in mission.palette.skills:
        return SkillResult(SkillStatus.UNSUPPORTED, f"{entry.id} is no longer offered")
    mission.evidence = mission.evidence.begun(mission.palette.holding)
    result = yield from _goal(mission, entry, words, params)
    mission.note(_fact(entry, thing, result))
    yield from tidy(mission)
    return result


def _goal(
    mission: Mission, entry: SkillEntry, words: str, params: Mapping[str, ParamValue]
) -> Procedure[SkillResult]:
    mission.spend("skills")
    call_id = mission.next_id("skill")
    mission.begin(call_id, "execute_rskill", rskill=entry.id, step=words)
    if entry.gpu_memory_mb > 0.0:
        mission.chronicle = mission.chronicle.lent_to(call_id)
    goal = SkillGoal(entry.id, words, params, entry.deadline)
    mission.emit(SendSkill(call_id=call_id, goal=goal))
    seconds = entry.deadline + mission.settings.deadlines.skill_grace
    mission.emit(SetDeadline(call_id=call_id, seconds=seconds))
    try:
        event = yield from _ended(mission, call_id)
    except (MissionCancelled, BudgetExhausted):
        yield from _stop(mission, call_id)
        raise
    result = _result(event)
    if isinstance(event, DeadlinePassed):
        yield from _stop(mission, call_id)
    else:
        _give_back(mission, event)
    mission.emit(ClearDeadline(call_id=call_id))
    mission.finish(call_id, result.status.name, result.message)
    return result


def _fact(entry: SkillEntry, thing: Thing, result: SkillResult) -> Acted:
    """The result as evidence; who took what was handed over is the skill's word, not the caller's."""
    agent, drove = result.evidence.get("agent_id"), result.evidence.get("drove", 0.0)
    receiver = agent if isinstance(agent, str) and entry.verb is Verb.HANDOVER else ""
    moved = isinstance(drove, float) and drove > STOOD
    return Acted(entry.verb, thing.node(), result.status, receiver, moved)


def _ended(mission: Mission, call_id: str) -> Procedure[Event]:
    """Wait for a goal's end; meanwhile nobody takes back the memory that is lent to it."""
    lent, told = mission.chronicle.borrower == call_id, set[str]()
    while True:
        event = yield Wait(call_id, palette=lent)
        if isinstance(event, SkillEnded | CallFailed | DeadlinePassed):
            return event
        keep_out(mission, told)


def _give_back(mission: Mission, event: Event) -> None:
    """Only an end that the skill server told frees its memory for others."""
    if isinstance(event, SkillEnded) and event.call_id == mission.chronicle.borrower:
        mission.chronicle = mission.chronicle.lent_to("")


def _stop(mission: Mission, call_id: str) -> Procedure[None]:
    """Cancel a goal and see it end, for a bounded time."""
    mission.emit(CancelSkill(call_id=call_id))
    mission.emit(SetDeadline(call_id=call_id, seconds=mission.settings.deadlines.cancel))
    event = yield Wait(call_id)
    _give_back(mission, event)
    if isinstance(event, DeadlinePassed):
        mission.unconfirmed.add(call_id)
        mission.news.append(UNCONFIRMED)
    mission.emit(ClearDeadline(call_id=call_id))
    if mission.records[call_id].status == "pending":
        mission.finish(call_id, "CANCELLED", "stopped by the reasoner")


def _result(event: Event) -> SkillResult:
    if isinstance(event, SkillEnded):
        return event.result
    if isinstance(event, CallFailed):
        return SkillResult(SkillStatus.SKILL_ERROR, event.message)
    return SkillResult(SkillStatus.TIMEOUT, "the skill server did not finish within its deadline")
