"""Answer to "what can you do?": the verbs that the robot has now, with examples that its home allows."""

from collections.abc import Iterator

from openral_core.missions import MissionState
from openral_core.skills import Verb
from openral_core.spatial_memory import CONFIRMED, NodeKind, Presence
from openral_reasoner.behaviors.requests import read_scene
from openral_reasoner.likely_places.immovable import may_be_carried
from openral_reasoner.mission import Ending, Mission, Procedure
from openral_reasoner.palette.entries import ToolPalette

_SEPARATE = {Verb.OPEN: "open", Verb.CLOSE: "close", Verb.POUR: "pour", Verb.SWITCH: "switch on and off"}


def say_abilities(mission: Mission) -> Procedure[Ending]:
    """End a mission that only asks what the robot can do, and tell the operator."""
    palette = mission.palette
    graph, _ = yield from read_scene(mission)
    objects = filter(may_be_carried, graph.of_kind(NodeKind.OBJECT))
    sure = (each for each in objects if each.presence is Presence.PRESENT and each.confidence >= CONFIRMED)
    goals = examples(palette, next((each.label for each in sure), ""))
    able = ", ".join(_able(palette)) or "do nothing now: no skill server, detector or memory is available"
    quoted = ", ".join(f'"{each}"' for each in goals)
    text = f"I can {able}. For example: {quoted}."
    mission.tell(text)
    offered = ", ".join(sorted(skill.id for skill in palette.skills)) or "none"
    return Ending(MissionState.SUCCEEDED, text, (f"skills offered now: {offered}",))


def _able(palette: ToolPalette) -> Iterator[str]:
    can = palette.with_verb
    if palette.detector_available or palette.spatial_memory_available:
        yield "say where things are"
    if can(Verb.NAVIGATE):
        yield "go to a place"
    if can(Verb.GRASP) and (can(Verb.HANDOVER) or can(Verb.PLACE)):
        yield "fetch things and put them somewhere"
    yield from (words for verb, words in _SEPARATE.items() if can(verb))
    if can(Verb.EXPLORE):
        yield "explore the home"


def examples(palette: ToolPalette, thing: str = "") -> Iterator[str]:
    """Yield goals that the robot can pursue here and now."""
    can = palette.with_verb
    rooms = [place for place in palette.places if place.kind is NodeKind.ROOM]
    closed = [place for place in palette.places if "closed" in place.states]
    if thing and can(Verb.GRASP) and can(Verb.HANDOVER):
        yield f"bring me the {thing}"
    yield f"where is the {thing}" if thing else "what do you see"
    if rooms and can(Verb.NAVIGATE):
        yield f"go to the {rooms[0].label}"
    if closed and can(Verb.OPEN):
        yield f"open the {closed[0].label}"
    if palette.controls and can(Verb.SWITCH):
        yield f"turn on the {palette.controls[0].label}"


def ask_where(palette: ToolPalette) -> str:
    """Return the question after a search without a hit; a robot without skills has looked where it can."""
    return "Where should I look?" if palette.skills else "I can't look anywhere else. What should I do?"
