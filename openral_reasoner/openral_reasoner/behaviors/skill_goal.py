"""Send one goal to the skill server, the only behavior that moves the robot.

Its parameters are bound, and its target and the hand are checked, before anything moves.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from math import isfinite

from openral_core.consent.decisions import ConsentOutcome
from openral_core.errors import OpenRALError, format_choices
from openral_core.rskills import ParameterSpec, ParameterType
from openral_core.skills import OUTCOME_UNKNOWN, ParamValue, SkillGoal, SkillResult, SkillStatus, Verb
from openral_core.spatial_memory import NodeKind
from openral_core.text.terms import normalize_term
from openral_reasoner.behaviors.constraints import forbidden_by, refusal
from openral_reasoner.behaviors.human import consent_to
from openral_reasoner.behaviors.requests import SKILLS, MissionCancelled, wait_for
from openral_reasoner.behaviors.residency import free_memory_for_skill, keep_evicted, restore_pending
from openral_reasoner.budget import BudgetExhausted
from openral_reasoner.commands import CancelSkill, ClearDeadline, SendSkill, SetDeadline
from openral_reasoner.context import ToolResult, plain
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


def execute_skill(
    mission: Mission,
    entry: SkillEntry,
    target: MissionObject,
    words: str,
    params: Mapping[str, ParamValue],
    deadline: float = 0.0,
) -> Procedure[SkillResult]:
    """Send one goal once its memory is free, and wait for its result.

    A goal that misses its ``deadline`` [s], by default its manifest's, or is no longer wanted is cancelled.
    Detectors evicted for it are restored afterwards.

    Raises:
        MissionCancelled: If the operator, or another client of the robot, cancelled it.
    """
    rule = forbidden_by(mission, entry.verb, target)
    if rule is not None:
        return SkillResult(SkillStatus.BAD_REQUEST, refusal(rule))
    yield from wait_for(mission, SKILLS)
    refused = yield from free_memory_for_skill(mission, entry)
    if refused is not None:
        return refused
    if entry not in mission.palette.skills:
        return SkillResult(SkillStatus.UNSUPPORTED, f"{entry.id} is no longer offered")
    mission.evidence = mission.evidence.begun(mission.palette.holding)
    result = yield from send_goal(mission, entry, words, params, deadline)
    for _ in range(MAX_QUESTIONS):
        if not (yield from consent_to(mission, result)):
            break
        result = yield from send_goal(mission, entry, words, params, deadline)
    mission.note(fact_of(entry, target, result, params))
    mission.blocked_ways = mission.blocked_ways.after(target.id, result, drove=entry.verb is Verb.NAVIGATE)
    if result.status is SkillStatus.CANCELLED:
        raise MissionCancelled(f"{entry.id} was cancelled, not by this mission: {plain(result.message, 300)}")
    yield from restore_pending(mission)
    return result


def send_goal(
    mission: Mission, entry: SkillEntry, words: str, params: Mapping[str, ParamValue], deadline: float
) -> Procedure[SkillResult]:
    """Send a goal and wait for its result; cancel it at its deadline or if the mission is interrupted."""
    mission.spend("skills")
    call_id = mission.next_id("skill")
    mission.begin(call_id, "execute_rskill", rskill=entry.id, step=words)
    if entry.gpu_memory_mb > 0.0:
        mission.residency = mission.residency.reserve_for(call_id)
    deadline = deadline or entry.deadline
    goal = SkillGoal(entry.id, words, params, deadline)
    mission.emit(SendSkill(call_id=call_id, goal=goal))
    seconds = deadline + mission.settings.deadlines.skill_grace
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


Extra = str | int | float | bool
_Source = Callable[[MissionObject], Extra]

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

    def __init__(self, skill: str, parameter: str, arguments: Mapping[str, Extra]) -> None:
        super().__init__(f"{skill} requires parameter {parameter!r}; given: {format_choices(arguments)}")


def bind(entry: SkillEntry, target: MissionObject, extras: Mapping[str, Extra]) -> dict[str, ParamValue]:
    """Fill in every parameter of the manifest that is known.

    Raises:
        MissingParameter: If a required parameter is unknown.
    """
    params: dict[str, ParamValue] = {}
    for spec in entry.parameters:
        value = value_of(spec, entry.verb, target, extras)
        if value is not None:
            params[spec.name] = value
        elif spec.required:
            raise MissingParameter(entry.id, spec.name, extras)
    return params


def not_filled_in(entry: SkillEntry) -> tuple[ParameterSpec, ...]:
    """Return the parameters that only the caller can provide."""
    return tuple(
        spec
        for spec in entry.parameters
        if not (spec.type is ParameterType.POSE or spec.name in _KNOWN or _is_id(spec))
    )


def _is_id(spec: ParameterSpec) -> bool:
    return spec.type is ParameterType.STRING and (spec.name == "id" or spec.name.endswith("_id"))


def value_of(
    spec: ParameterSpec, verb: Verb, target: MissionObject, extras: Mapping[str, Extra]
) -> ParamValue | None:
    """Return the value of a parameter: from the target, else from the model; None if unknown."""
    if spec.type is ParameterType.POSE:
        return target.standing if verb is Verb.NAVIGATE else target.pose
    if spec.name in _KNOWN:
        return typed(spec, _KNOWN[spec.name](target))
    if _is_id(spec):
        return target.id
    return typed(spec, extras.get(spec.name))


def typed(spec: ParameterSpec, value: Extra | None) -> ParamValue | None:
    """Convert a value to the parameter's type; None if it has another type."""
    if value is None or isinstance(value, bool) is not (spec.type is ParameterType.BOOL):
        return None
    if not isinstance(value, _PYTHON[spec.type]):
        return None
    if isinstance(value, int | float) and not (isfinite(value) and abs(value) < 2**63):
        return None  # no message can hold it
    return float(value) if spec.type is ParameterType.FLOAT else value


HAND_FULL = "HAND_FULL"
_OBJECT, _PLACE, _ROOM, _AGENT = (
    kind.value for kind in (NodeKind.OBJECT, NodeKind.PLACE, NodeKind.ROOM, NodeKind.AGENT)
)
CONTROL = "control"
"""Kind of a switch, button or knob."""
_KINDS: Mapping[Verb, tuple[frozenset[str], str]] = {
    Verb.GRASP: (frozenset({_OBJECT}), "an object found in this mission"),
    Verb.POUR: (frozenset({_OBJECT}), "a vessel found in this mission"),
    Verb.OPEN: (frozenset({_PLACE, _OBJECT}), "a container: a place or an object"),
    Verb.CLOSE: (frozenset({_PLACE, _OBJECT}), "a container: a place or an object"),
    Verb.PLACE: (frozenset({_PLACE, _OBJECT}), "a surface: a place or an object"),
    Verb.HANDOVER: (frozenset({_AGENT}), "a person"),
    Verb.SWITCH: (frozenset({CONTROL}), "a listed control"),
    Verb.PRESS: (frozenset({CONTROL}), "a listed control"),
}
"""Kinds of nodes that a verb accepts, with a description; a verb not listed accepts any."""
_LETS_GO = (Verb.PLACE, Verb.HANDOVER, Verb.POUR)
_NEEDS_EMPTY_HAND = (Verb.GRASP, Verb.OPEN, Verb.CLOSE, Verb.SWITCH, Verb.PRESS)
_OTHERWISE: Mapping[tuple[Verb, str], str] = {
    (Verb.PLACE, _AGENT): "use HANDOVER for a person",
    (Verb.PLACE, _ROOM): "name one of its places",
    (Verb.HANDOVER, _PLACE): "use PLACE for a surface",
    (Verb.HANDOVER, _OBJECT): "use PLACE for a surface",
}


@dataclass(frozen=True, slots=True)
class Misfit:
    """Mismatch of verb and target, with the targets that the verb accepts."""

    advice: str
    valid: tuple[str, ...]


def misfit(mission: Mission, verb: Verb, target: str) -> Misfit | None:
    """Check a target's kind against a verb; None if it fits or its kind is unknown."""
    kind = kind_of_target(mission, target)
    place = mission.palette.place(target)
    if verb is Verb.PLACE and place is not None and place.on_floor:
        advice = f"{verb.value} needs {_KINDS[verb][1]}; the target is a spot on the floor, without a surface"
        return Misfit(advice, fitting_targets(mission, verb, place.room))
    if verb not in _KINDS or not kind or kind in _KINDS[verb][0]:
        return None
    hint = _OTHERWISE.get((verb, kind), "")
    article = "an" if kind[0] in "aeio" else "a"
    advice = f"{verb.value} needs {_KINDS[verb][1]}; the target is {article} {kind}{hint and f': {hint}'}"
    return Misfit(
        advice, fitting_targets(mission, verb, target if (verb, kind) == (Verb.PLACE, _ROOM) else "")
    )


def hand_refusal(mission: Mission, verb: Verb, target: str) -> ToolResult | None:
    """Reject a verb that the state of the hand does not allow; None if it does, or that is unknown."""
    hand, reported, known_object = mission.hand, mission.palette.holding, mission.objects.get(target)
    if verb in _LETS_GO and not hand.object_id and not reported:
        text = f"{verb.value} needs an object in the hand, but the hand is empty: GRASP it first"
        return ToolResult(status="NOTHING_HELD", text=text)
    held = mission.objects.get(hand.object_id)
    label = held.label if held is not None else reported
    # The server's word may be older than what this mission let go.
    full = bool(hand.object_id or (reported and not hand.has_released))
    same = (
        verb is Verb.GRASP and known_object is not None and may_be_held(known_object, hand.object_id, label)
    )
    if verb in _NEEDS_EMPTY_HAND and full and not same:
        text = f"{verb.value} needs an empty hand: PLACE or HANDOVER the held object first"
        return ToolResult(status=HAND_FULL, text=text, peer_words=(f"the hand holds {label}",))
    return None


def may_be_held(known_object: MissionObject, held: str, label: str) -> bool:
    """Return True if an object may be the held one; their labels may differ in detail."""
    own_words, held_words = (set(normalize_term(each).split()) for each in (known_object.label, label))
    return known_object.id == held or own_words <= held_words or held_words <= own_words


def kind_of_target(mission: Mission, target: str) -> str:
    """Return the target's kind, "" if unknown."""
    if mission.palette.control(target) is not None:
        return CONTROL
    known_object = mission.objects.get(target)
    if known_object is not None and known_object.kind:
        return known_object.kind
    place = mission.palette.place(target)
    if place is not None:
        return place.kind.value
    return _AGENT if target in ("me", mission.requester) else ""


def fitting_targets(mission: Mission, verb: Verb, room: str) -> tuple[str, ...]:
    """Return the known targets that a verb accepts, in this room if one is named."""
    kinds, _ = _KINDS[verb]
    if CONTROL in kinds:
        return tuple(control.id for control in mission.palette.worked)
    objects = [t.id for t in mission.objects.values() if t.kind in kinds and not (t.hint or t.disproved)]
    places = [
        place.id
        for place in mission.palette.places
        if place.kind.value in kinds
        and (not room or place.room == room)
        and not (verb is Verb.PLACE and place.on_floor)
    ]
    me = ["me"] if _AGENT in kinds else []
    return tuple(dict.fromkeys((*me, *(() if room else objects), *places)))
