"""Where someone stood when they spoke to the robot."""

import json
from typing import TypedDict

from openral_core.geometry import Pose
from openral_core.scene_graph import NodeKind, SceneNode
from openral_world_state.homes import Home
from openral_world_state.memories import Memory

_STOOD = "stood"
_MOST_PEOPLE = 32
_LONGEST_NAME = 200


class Stood(TypedDict):
    """Where someone stood, in map [m]; ``person``: whether the place is theirs or the robot's."""

    position: tuple[float, float, float]
    orientation: tuple[float, float, float, float]
    person: bool


class Standing:
    """Keeps, for each person, where they were at their last words; it outlives the process with memory.

    Only the 32 who spoke last are kept. Of somebody whose own place is unknown, the robot's place is
    kept: they spoke where it stood.
    """

    def __init__(self, memory: Memory, home: Home) -> None:
        self._memory, self._home = memory, home

    def heard(self, agent: str, robot: Pose | None) -> None:
        """Someone spoke just now.

        Args:
            agent: Who, "" when nobody in particular.
            robot: Where the robot stands in map, None when unknown.
        """
        known = self._home.nodes.get(agent)
        is_known = known is not None and known.kind is NodeKind.AGENT
        pose = known.pose if known is not None and is_known else robot
        if pose is None or len(agent) > _LONGEST_NAME:
            return
        told = Stood(position=pose.position, orientation=pose.orientation, person=is_known)
        others = {who: where for who, where in self._told().items() if who != agent}
        newest = [*others.items(), (agent, told)][-_MOST_PEOPLE:]
        self._memory.put_fact(_STOOD, json.dumps(dict(newest)))

    def of(self, agent: str) -> SceneNode | None:
        """As a node, an agent where a person stood, a place where the robot did; None when unknown."""
        told = self._told().get(agent)
        if told is None:
            return None
        (x, y, z), (qx, qy, qz, qw) = told["position"], told["orientation"]
        pose = Pose((x, y, z), (qx, qy, qz, qw))
        kind, who = (NodeKind.AGENT, agent) if told["person"] else (NodeKind.PLACE, "the robot")
        return SceneNode(id=agent or "operator", kind=kind, label=f"where {who} stood", pose=pose)

    def _told(self) -> dict[str, Stood]:
        """By agent, who spoke last at the end."""
        told: dict[str, Stood] = json.loads(self._memory.facts.get(_STOOD, "{}"))
        return told
