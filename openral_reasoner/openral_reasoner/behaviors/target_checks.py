"""Checks of a skill's target and of the hand, before anything moves."""

from collections.abc import Mapping
from dataclasses import dataclass

from openral_core.skills import Verb
from openral_core.spatial_memory import NodeKind
from openral_reasoner.behaviors.targets import KnownObject
from openral_reasoner.context import ToolResult
from openral_reasoner.mission import Mission
from openral_reasoner.search.progress import normalize_term

HAND_FULL = "HAND_FULL"
_OBJECT, _PLACE, _ROOM, _AGENT = (
    kind.value for kind in (NodeKind.OBJECT, NodeKind.PLACE, NodeKind.ROOM, NodeKind.AGENT)
)
_KINDS: Mapping[Verb, tuple[frozenset[str], str]] = {
    Verb.GRASP: (frozenset({_OBJECT}), "an object found in this mission"),
    Verb.POUR: (frozenset({_OBJECT}), "a vessel found in this mission"),
    Verb.OPEN: (frozenset({_PLACE, _OBJECT}), "a container: a place or an object"),
    Verb.CLOSE: (frozenset({_PLACE, _OBJECT}), "a container: a place or an object"),
    Verb.PLACE: (frozenset({_PLACE, _OBJECT}), "a surface: a place or an object"),
    Verb.HANDOVER: (frozenset({_AGENT}), "a person"),
}
"""Kinds of nodes that a verb accepts, with a description; a verb not listed accepts any."""
_LETS_GO = (Verb.PLACE, Verb.HANDOVER, Verb.POUR)
_NEEDS_EMPTY_HAND = (Verb.GRASP, Verb.OPEN, Verb.CLOSE)
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
    kind = _kind(mission, target)
    if verb not in _KINDS or not kind or kind in _KINDS[verb][0]:
        return None
    hint = _OTHERWISE.get((verb, kind), "")
    article = "an" if kind[0] in "aeio" else "a"
    advice = f"{verb.value} needs {_KINDS[verb][1]}; the target is {article} {kind}{hint and f': {hint}'}"
    return Misfit(advice, _fitting(mission, verb, target if (verb, kind) == (Verb.PLACE, _ROOM) else ""))


def hand_refusal(mission: Mission, verb: Verb, target: str) -> ToolResult | None:
    """Reject a verb that the state of the hand does not allow; None if it does, or that is unknown."""
    reported, known_object = mission.palette.holding, mission.objects.get(target)
    if verb in _LETS_GO and not mission.holding and not reported:
        text = f"{verb.value} needs an object in the hand, but the hand is empty: GRASP it first"
        return ToolResult(status="NOTHING_HELD", text=text)
    held = mission.objects.get(mission.holding)
    label = held.label if held is not None else reported
    # The server's word may be older than what this mission let go.
    full = bool(mission.holding or (reported and not mission.let_go))
    same = verb is Verb.GRASP and known_object is not None and _may_be(known_object, mission.holding, label)
    if verb in _NEEDS_EMPTY_HAND and full and not same:
        text = f"{verb.value} needs an empty hand: PLACE or HANDOVER the held object first"
        return ToolResult(status=HAND_FULL, text=text, peer_words=(f"the hand holds {label}",))
    return None


def _may_be(known_object: KnownObject, held: str, label: str) -> bool:
    """Return True if an object may be the held one; their labels may differ in detail."""
    known, reported = set(normalize_term(known_object.label).split()), set(normalize_term(label).split())
    return known_object.id == held or known <= reported or reported <= known


def _kind(mission: Mission, target: str) -> str:
    """Return the target's kind, "" if unknown."""
    known_object = mission.objects.get(target)
    if known_object is not None and known_object.kind:
        return known_object.kind
    place = mission.palette.place(target)
    if place is not None:
        return place.kind.value
    return _AGENT if target in ("me", mission.requester) else ""


def _fitting(mission: Mission, verb: Verb, room: str) -> tuple[str, ...]:
    kinds, _ = _KINDS[verb]
    objects = [t.id for t in mission.objects.values() if t.kind in kinds and not (t.hint or t.disproved)]
    places = [p.id for p in mission.palette.places if p.kind.value in kinds and (not room or p.room == room)]
    me = ["me"] if _AGENT in kinds else []
    return tuple(dict.fromkeys((*me, *(() if room else objects), *places)))
