"""Tracking of the held object: it moves with the gripper until it is released."""

from dataclasses import replace

from openral_core.geometry import Pose
from openral_core.spatial_memory import Presence
from openral_world_state.spatial_memory.memory import SpatialMemory
from openral_world_state.spatial_memory.record import ObjectRecord

MAX_GRASP_DISTANCE = 1.2
"""Distance from the gripper to the remembered object taken to be in it [m]: an arm's reach, because the
remembered position may be old or imprecise."""


class HeldObjectTracker:
    """At most one object is held; after the release it stays at the gripper's last pose until seen again."""

    def __init__(self, memory: SpatialMemory, map_epoch: int = 0) -> None:
        self._memory, self._map_epoch = memory, map_epoch
        self._id = next((record.id for record in memory if record.carried), "")

    @property
    def held(self) -> str:
        """Id of the held object, "" if none is known; an operator's edit may have released it."""
        if self._id and not (self._id in self._memory and self._memory.get(self._id).carried):
            self._id = ""
        return self._id

    def grasp(self, label: str, gripper: Pose) -> ObjectRecord | None:
        """Hold the nearest object of a label; None if none is within reach.

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
        nearest = min(near, key=lambda found: found[:2], default=None)
        if nearest is None or nearest[0] > MAX_GRASP_DISTANCE:
            return None
        _, self._id, record = nearest
        record.carried = True
        self.move(gripper)
        return record

    def move(self, gripper: Pose) -> None:
        """Move the held object to the gripper."""
        if self.held:
            record = self._memory.get(self._id)
            record.pose = replace(record.pose, position=gripper.position)
            record.map_epoch = self._map_epoch
            self._memory.touch(record)

    def release(self, gripper: Pose | None, stamp: float) -> None:
        """Leave the held object where the gripper opened at ``stamp`` [s]."""
        if not self.held:
            return
        record = self._memory.get(self._id)
        if gripper is not None:
            self.move(gripper)
        record.carried, self._id = False, ""
        record.last_seen = max(record.last_seen, stamp)
        self._memory.touch(record)
