"""Send one goal to the skill server, the only behavior that moves the robot, and bind its parameters.

Parameters come from the replies of peers; a pose is never taken from the model.
"""

from collections.abc import Callable, Mapping
from math import isfinite

from openral_core.errors import OpenRALError, format_choices
from openral_core.geometry import Pose
from openral_core.rskills import ParameterSpec, ParameterType
from openral_core.skills import ParamValue, SkillGoal, SkillResult, SkillStatus, Verb
from openral_reasoner.behaviors.peers import SKILLS, wait_for
from openral_reasoner.behaviors.requests import MissionCancelled
from openral_reasoner.behaviors.residency import free_memory_for_skill, keep_evicted, restore_pending
from openral_reasoner.behaviors.targets import KnownObject
from openral_reasoner.budget import BudgetExhausted
from openral_reasoner.commands import CancelSkill, ClearDeadline, SendSkill, SetDeadline
from openral_reasoner.events import CallFailed, DeadlinePassed, Event, SkillEnded
from openral_reasoner.mission import Mission, Procedure, Wait
from openral_reasoner.palette.entries import SkillEntry
from openral_reasoner.success.evidence import Acted

STOOD = 0.05
"""Largest displacement of a base that counts as standing still [m]."""

UNCONFIRMED = "the skill server did not confirm that the cancelled skill has stopped"


def execute_skill(
    mission: Mission, entry: SkillEntry, target: KnownObject, words: str, params: Mapping[str, ParamValue]
) -> Procedure[SkillResult]:
    """Send one goal once its memory is free, and wait for its result.

    A goal that misses its deadline or is no longer wanted is cancelled. Detectors evicted for it are restored
    afterwards.
    """
    yield from wait_for(mission, SKILLS)
    refused = yield from free_memory_for_skill(mission, entry)
    if refused is not None:
        return refused
    if entry not in mission.palette.skills:
        return SkillResult(SkillStatus.UNSUPPORTED, f"{entry.id} is no longer offered")
    mission.evidence = mission.evidence.begun(mission.palette.holding)
    result = yield from _goal(mission, entry, words, params)
    mission.note(_fact(entry, target, result))
    yield from restore_pending(mission)
    return result


def _goal(
    mission: Mission, entry: SkillEntry, words: str, params: Mapping[str, ParamValue]
) -> Procedure[SkillResult]:
    mission.spend("skills")
    call_id = mission.next_id("skill")
    mission.begin(call_id, "execute_rskill", rskill=entry.id, step=words)
    if entry.gpu_memory_mb > 0.0:
        mission.residency = mission.residency.reserve_for(call_id)
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


def _fact(entry: SkillEntry, target: KnownObject, result: SkillResult) -> Acted:
    """Turn a result into evidence; the receiver of a hand-over is the one the skill reported."""
    agent, drove = result.evidence.get("agent_id"), result.evidence.get("drove", 0.0)
    receiver = agent if isinstance(agent, str) and entry.verb is Verb.HANDOVER else ""
    moved = isinstance(drove, float) and drove > STOOD
    return Acted(entry.verb, target.node(), result.status, receiver, moved)


def _ended(mission: Mission, call_id: str) -> Procedure[Event]:
    """Wait for a goal's result, keeping the detectors evicted for it inactive."""
    lent, requested = mission.residency.memory_holder == call_id, set[str]()
    while True:
        event = yield Wait(call_id, palette=lent)
        if isinstance(event, SkillEnded | CallFailed | DeadlinePassed):
            return event
        keep_evicted(mission, requested)


def _give_back(mission: Mission, event: Event) -> None:
    """Release the reserved memory, but only for a result that the skill server reported."""
    if isinstance(event, SkillEnded) and event.call_id == mission.residency.memory_holder:
        mission.residency = mission.residency.reserve_for("")


def _stop(mission: Mission, call_id: str) -> Procedure[None]:
    """Cancel a goal and wait, bounded, for its result."""
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


Extra = str | int | float | bool
_Source = Callable[[KnownObject], Extra]

_KNOWN: Mapping[str, _Source] = {
    "label": lambda target: target.label,
    "inside": lambda target: target.containers[0] if target.containers else "",
    "size_x": lambda target: target.size[0],
    "size_y": lambda target: target.size[1],
    "size_z": lambda target: target.size[2],
}
_PYTHON: Mapping[ParameterType, tuple[type, ...]] = {
    ParameterType.STRING: (str,),
    ParameterType.FLOAT: (float, int),
    ParameterType.INT: (int,),
    ParameterType.BOOL: (bool,),
}


class MissingParameter(OpenRALError):
    """A skill requires a parameter that is unknown."""

    def __init__(self, skill: str, parameter: str, given: Mapping[str, Extra]) -> None:
        super().__init__(f"{skill} requires parameter {parameter!r}; given: {format_choices(given)}")


def bind(entry: SkillEntry, target: KnownObject, extras: Mapping[str, Extra]) -> dict[str, ParamValue]:
    """Fill in every parameter of the manifest that is known.

    Raises:
        MissingParameter: If a required parameter is unknown.
    """
    params: dict[str, ParamValue] = {}
    for spec in entry.parameters:
        value = _value(spec, entry.verb, target, extras)
        if value is not None:
            params[spec.name] = value
        elif spec.required:
            raise MissingParameter(entry.id, spec.name, extras)
    return params


def not_filled_in(entry: SkillEntry) -> tuple[ParameterSpec, ...]:
    """Return the parameters that only the caller can provide."""
    return tuple(spec for spec in entry.parameters if not _filled_in(spec))


def _filled_in(spec: ParameterSpec) -> bool:
    return spec.type is ParameterType.POSE or spec.name in _KNOWN or _is_id(spec)


def _is_id(spec: ParameterSpec) -> bool:
    return spec.type is ParameterType.STRING and (spec.name == "id" or spec.name.endswith("_id"))


def _value(
    spec: ParameterSpec, verb: Verb, target: KnownObject, extras: Mapping[str, Extra]
) -> ParamValue | None:
    if spec.type is ParameterType.POSE:
        return _pose(verb, target)
    if spec.name in _KNOWN:
        return typed(spec, _KNOWN[spec.name](target))
    if _is_id(spec):
        return target.id
    return typed(spec, extras.get(spec.name))


def _fits(value: Extra) -> bool:
    """Return True if a message can hold the value."""
    return not isinstance(value, int | float) or (isfinite(value) and abs(value) < 2**63)


def _pose(verb: Verb, target: KnownObject) -> Pose | None:
    return target.standing if verb is Verb.NAVIGATE else target.pose


def typed(spec: ParameterSpec, value: Extra | None) -> ParamValue | None:
    """Convert a value to the parameter's type; None if it has another type."""
    if value is None or isinstance(value, bool) is not (spec.type is ParameterType.BOOL):
        return None
    if not isinstance(value, _PYTHON[spec.type]) or not _fits(value):
        return None
    return float(value) if spec.type is ParameterType.FLOAT else value
