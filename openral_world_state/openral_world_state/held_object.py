"""What the gripper holds goes where the gripper goes."""

from dataclasses import replace

from openral_core.geometry import Pose
from openral_core.scene_graph import Presence
from openral_world_state.spatial_memory.memory import SpatialMemory
from openral_world_state.spatial_memory.record import ObjectRecord

_REACH = 1.2


class HeldObjectTracker:
    """At most one object is carried; where it was let go is where it is, until it is looked at."""

    def __init__(self, memory: SpatialMemory, map_epoch: int = 0) -> None:
        self._memory, self._map_epoch = memory, map_epoch
        self._id = next((record.id for record in memory if record.carried), "")

    @property
    def held(self) -> str:
        """Id of what is carried, "" when nothing known is; an operator may have taken it away."""
        if self._id and not (self._id in self._memory and self._memory.get(self._id).carried):
            self._id = ""
        return self._id

    def take(self, label: str, gripper: Pose) -> ObjectRecord | None:
        """The gripper closed on something called so: the nearest such object is carried from now on.

        Raises:
            UnreadableText: If the label names nothing.
        """
        if self.held:
            self.release(gripper, 0.0)
        near = [
            (record.pose.distance(gripper), record.id, record)
            for record, _ in self._memory.hits(label)
            if record.presence is not Presence.GONE and record.map_epoch == self._map_epoch
        ]
        distance, name, record = min(near, key=lambda each: each[:2], default=(_REACH + 1.0, "", None))
        if record is None or distance > _REACH:
            return None
        record.carried, self._id = True, name
        self.move(gripper)
        return record

    def move(self, gripper: Pose) -> None:
        """The gripper is here now."""
        if self.held:
            record = self._memory.get(self._id)
            record.pose = replace(record.pose, position=gripper.position)
            record.map_epoch = self._map_epoch
            self._memory.touch(record)

    def release(self, gripper: Pose | None, stamp: float) -> None:
        """The gripper opened: the object stays where it was let go."""
        if not self.held:
            return
        record = self._memory.get(self._id)
        if gripper is not None:
            self.move(gripper)
        record.carried, self._id = False, ""
        record.last_seen = max(record.last_seen, stamp)
        self._memory.touch(record)
