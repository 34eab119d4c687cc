"""Where someone stood when they spoke to the robot."""

from pydantic import BaseModel, ConfigDict, FiniteFloat, TypeAdapter

from openral_core.geometry import Pose
from openral_core.scene_graph import NodeKind, SceneNode
from openral_world_state.home.model import StaticMap
from openral_world_state.spatial_memory.memory import SpatialMemory

_STOOD = "stood"
_MOST_PEOPLE = 32
_LONGEST_NAME = 200


class AgentPose(BaseModel):
    """Where someone stood, in map [m]; ``person``: whether the place is theirs or the robot's."""

    model_config = ConfigDict(frozen=True)

    position: tuple[FiniteFloat, FiniteFloat, FiniteFloat]
    orientation: tuple[FiniteFloat, FiniteFloat, FiniteFloat, FiniteFloat]
    person: bool
    map_epoch: int = 0


_STANDS = TypeAdapter(dict[str, AgentPose])


class AgentPoseMemory:
    """Keeps, for each person, where they were at their last words; it outlives the process with memory.

    Only the 32 who spoke last are kept. Of somebody whose own place is unknown, the robot's place is
    kept: they spoke where it stood. What was kept in another map is not where it says.
    """

    def __init__(self, memory: SpatialMemory, home: StaticMap, map_epoch: int = 0) -> None:
        self._memory, self._home, self._map_epoch = memory, home, map_epoch
        self._told = memory.fact(_STOOD, _STANDS, {})

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
        told = AgentPose(
            position=pose.position, orientation=pose.orientation, person=is_known, map_epoch=self._map_epoch
        )
        others = {who: where for who, where in self._told.items() if who != agent}
        self._told = dict([*others.items(), (agent, told)][-_MOST_PEOPLE:])
        self._memory.put_fact(_STOOD, _STANDS.dump_json(self._told).decode())

    def of(self, agent: str) -> SceneNode | None:
        """As a node, an agent where a person stood, a place where the robot did; None when unknown."""
        told = self._told.get(agent)
        if told is None or told.map_epoch != self._map_epoch:
            return None
        pose = Pose(told.position, told.orientation)
        kind, who = (NodeKind.AGENT, agent) if told.person else (NodeKind.PLACE, "the robot")
        return SceneNode(id=agent or "operator", kind=kind, label=f"where {who} stood", pose=pose)
