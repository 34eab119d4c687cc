"""Preconditions of a step, checked before anything moves: kind of the target, the hand, prohibitions."""

from collections.abc import Mapping
from dataclasses import dataclass

from openral_core.skills import Verb
from openral_core.spatial_memory import NodeKind
from openral_core.text.terms import answers, normalize_term
from openral_reasoner.context import ToolResult
from openral_reasoner.mission import Mission
from openral_reasoner.mission_objects import HOME, MissionObject
from openral_reasoner.request.goals import Act, Forbidden, restrictions
from openral_reasoner.request.saying import forbidden_in_words

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
    known_object = mission.objects.get(target)
    if verb in _LETS_GO and not mission.hand.object_id and not mission.palette.holding:
        text = f"{verb.value} needs an object in the hand, but the hand is empty: GRASP it first"
        return ToolResult(status="NOTHING_HELD", text=text)
    label = label_in_hand(mission)
    is_held = verb is Verb.GRASP and known_object is not None and is_in_hand(mission, known_object)
    if verb in _NEEDS_EMPTY_HAND and label and not is_held:
        text = f"{verb.value} needs an empty hand: PLACE or HANDOVER the held object first"
        return ToolResult(status=HAND_FULL, text=text, peer_words=(f"the hand holds {label}",))
    return None


def label_in_hand(mission: Mission) -> str:
    """Return the label of what the hand holds, "" if it is empty or unknown."""
    held, reported = mission.objects.get(mission.hand.object_id), mission.palette.holding
    # The server's word may be older than what this mission let go.
    return held.label if held is not None else "" if mission.hand.has_released else reported


def is_in_hand(mission: Mission, known_object: MissionObject) -> bool:
    """Return True if an object may be what the hand holds."""
    label = label_in_hand(mission)
    return bool(label) and may_be_held(known_object, mission.hand.object_id, label)


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


_ACTS_OF_HAND = frozenset({Verb.OPEN, Verb.CLOSE, Verb.GRASP, Verb.PLACE, Verb.POUR, Verb.SWITCH, Verb.PRESS})
_FORBIDDEN_VERBS = {
    Act.OPEN: frozenset({Verb.OPEN}),
    Act.CLOSE: frozenset({Verb.CLOSE}),
    Act.TAKE: frozenset({Verb.GRASP}),
    Act.ENTER: frozenset({Verb.NAVIGATE, Verb.EXPLORE}),
    Act.TOUCH: _ACTS_OF_HAND,
}


def forbidden_by(mission: Mission, verb: Verb, target: MissionObject) -> Forbidden | None:
    """Return what forbids a step on a target, and note that it is left out; None if nothing does."""
    rule = rule_against(mission, verb, target)
    if rule is not None:
        mission.operator.obeyed_rules.add(forbidden_in_words(rule))
    return rule


def rule_against(mission: Mission, verb: Verb, target: MissionObject) -> Forbidden | None:
    """Return what forbids a step on a target; None if nothing does."""
    concerned = (rule for rule in restrictions(mission.request) if verb in _FORBIDDEN_VERBS[rule.act])
    return next((rule for rule in concerned if _concerns(mission, rule, target)), None)


def refusal(rule: Forbidden) -> str:
    """Return the reason why a step is not sent."""
    return f"the operator said not to {forbidden_in_words(rule)}"


def _concerns(mission: Mission, rule: Forbidden, target: MissionObject) -> bool:
    """Return True if a rule means a target, what it stands or lies in, or the room to be entered."""
    around: tuple[str, ...] = ()
    if rule.act in (Act.TAKE, Act.TOUCH):
        around = (target.place, *target.containers)
    elif rule.act is Act.ENTER:
        if target.id == HOME.id:
            return True  # an exploration of everything enters every room
        entry = mission.palette.place(target.id)
        around = (target.room, entry.room if entry is not None else "")
    entries = (mission.palette.place(each) for each in (target.id, *around) if each)
    names = [name for entry in entries if entry is not None for name in (entry.label, *entry.aliases)]
    names += [each.replace("_", " ") for each in (target.label, target.words, *around) if each]
    return any(answers(rule.what, name) for name in names)
