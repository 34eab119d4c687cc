"""What a searcher may name in a symbolic home."""

from openral_core.rskills import ParameterSpec, ParameterType
from openral_core.scene_graph import NodeKind
from openral_core.skills import Verb
from openral_reasoner.homes import Home
from openral_reasoner.palettes import LocatorEntry, PlaceEntry, SkillEntry, ToolPalette

_POSES = {Verb.NAVIGATE: "goal", Verb.HANDOVER: "agent"}


def search_palette(home: Home) -> ToolPalette:
    """Memory, one locator, and every skill."""
    places = [
        PlaceEntry(id=p.id, label=p.label, kind=NodeKind.PLACE, room=p.room) for p in home.places.values()
    ]
    rooms = [PlaceEntry(id=node, label=label, kind=NodeKind.ROOM) for node, label in home.rooms.items()]
    return ToolPalette(
        detector_available=True,
        spatial_memory_available=True,
        locators=(LocatorEntry(id="locator", description="any words", latency=0.1, cameras=("head",)),),
        cameras=("head",),
        skills=tuple(_skill(verb) for verb in Verb),
        places=(*places, *rooms),
    )


def _skill(verb: Verb) -> SkillEntry:
    name = _POSES.get(verb, "target")
    pose = ParameterSpec(name=name, type=ParameterType.POSE, description="in map")
    skill = verb.value.lower().replace("_", "-")
    return SkillEntry(id=skill, verb=verb, description=verb.value, parameters=(pose,), deadline=60.0)
