"""Poses of the people who spoke to the robot, at the moment of their last message."""

from pydantic import BaseModel, ConfigDict, FiniteFloat, TypeAdapter

from openral_core.geometry import Pose
from openral_core.spatial_memory import NodeKind, SceneNode
from openral_world_state.spatial_memory.memory import SpatialMemory
from openral_world_state.static_map import StaticMap

_FACT = "stood"
MAX_AGENTS = 32
"""Agents kept, the latest speakers [1]: more than live in a home, and a bound on what a client can store."""
MAX_NAME = 200
"""Length of an agent's id [characters]; the bound that documents put on ids."""


class AgentPose(BaseModel):
    """Pose in map [m] where an agent spoke; ``person`` if it is their own, False if it is the robot's."""

    model_config = ConfigDict(frozen=True)

    position: tuple[FiniteFloat, FiniteFloat, FiniteFloat]
    orientation: tuple[FiniteFloat, FiniteFloat, FiniteFloat, FiniteFloat]
    person: bool
    map_epoch: int = 0


_POSES = TypeAdapter(dict[str, AgentPose])


class AgentPoseMemory:
    """Last pose of each agent at the time of their message, kept with memory.

    If an agent's own pose is unknown, the robot's is kept: they spoke to it there. Only the last
    `MAX_AGENTS` speakers are kept, and a pose of another map epoch is not returned.
    """

    def __init__(self, memory: SpatialMemory, home: StaticMap, map_epoch: int = 0) -> None:
        self._memory, self._home, self._map_epoch = memory, home, map_epoch
        self._poses = memory.fact(_FACT, _POSES, {})

    def record_message(self, agent: str, robot: Pose | None) -> None:
        """Keep the pose of an agent who spoke just now.

        Args:
            agent: Id of the speaker, "" if unknown.
            robot: Pose of the robot in map, None if unknown.
        """
        node = self._home.nodes.get(agent)
        is_person = node is not None and node.kind is NodeKind.AGENT
        pose = node.pose if node is not None and is_person else robot
        if pose is None or len(agent) > MAX_NAME:
            return
        latest = AgentPose(
            position=pose.position, orientation=pose.orientation, person=is_person, map_epoch=self._map_epoch
        )
        others = {name: earlier for name, earlier in self._poses.items() if name != agent}
        self._poses = dict([*others.items(), (agent, latest)][-MAX_AGENTS:])
        self._memory.put_fact(_FACT, _POSES.dump_json(self._poses).decode())

    def last_pose_of(self, agent: str) -> SceneNode | None:
        """Last pose as a node of kind agent, or place if it is the robot's; None if unknown."""
        latest = self._poses.get(agent)
        if latest is None or latest.map_epoch != self._map_epoch:
            return None
        pose = Pose(latest.position, latest.orientation)
        kind, name = (NodeKind.AGENT, agent) if latest.person else (NodeKind.PLACE, "the robot")
        return SceneNode(id=agent or "operator", kind=kind, label=f"where {name} stood", pose=pose)
