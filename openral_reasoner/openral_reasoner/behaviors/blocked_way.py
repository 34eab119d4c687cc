"""Advice to the model about what blocks a way; names stand in the skill's own, fenced words."""

from collections.abc import Mapping

from openral_core.obstructions import ObstacleKind
from openral_reasoner.mission import Mission

ADVICE: Mapping[ObstacleKind, str] = {
    ObstacleKind.PERSON: "a person stands in the way and did not leave: do another part first, or ask_human",
    ObstacleKind.SHUT_DOOR: "a door between rooms is shut and no skill opens it: ask_human to open it",
    ObstacleKind.FURNITURE: "furniture stands in the way and no skill moves it: ask_human to move it",
    ObstacleKind.NO_GO_ZONE: "a no-go zone covers the only way: ask_human",
    ObstacleKind.UNKNOWN_FLOOR: "the way leads over floor that was not seen yet",
    ObstacleKind.UNKNOWN: "an unknown obstacle stands in the way: ask_human to clear it",
}


def way_advice(mission: Mission, target: str) -> str:
    """Return what blocks the way to a target and what helps, to follow a text; "" if nothing is known."""
    found = mission.blocked.get(target)
    return f": {ADVICE[found.kind]}" if found is not None else ""
