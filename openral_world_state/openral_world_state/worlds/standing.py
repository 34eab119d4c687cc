"""Where someone stood when they spoke to the robot."""

import json

from openral_core.geometry import Pose
from openral_core.scene_graph import NodeKind, SceneNode
from openral_world_state.homes import Home
from openral_world_state.memories import Memory

_STOOD = "stood"


class Standing:
    """Keeps, for each person, where they were at their last words; it outlives the process with memory.

    Of somebody whose own place is unknown, the robot's place is kept: they spoke where it stood.
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
        if pose is not None:
            told = {"position": pose.position, "orientation": pose.orientation, "person": is_known}
            self._memory.put_fact(f"{_STOOD} {agent}", json.dumps(told))

    def of(self, agent: str) -> SceneNode | None:
        """As a node, an agent where a person stood, a place where the robot did; None when unknown."""
        text = self._memory.facts.get(f"{_STOOD} {agent}")
        if text is None:
            return None
        told = json.loads(text)
        pose = Pose(tuple(told["position"]), tuple(told["orientation"]))
        kind, who = (NodeKind.AGENT, agent) if told["person"] else (NodeKind.PLACE, "the robot")
        return SceneNode(id=agent or "operator", kind=kind, label=f"where {who} stood", pose=pose)
