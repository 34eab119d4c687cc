"""Where frames of the robot are now."""

import math
import time

from openral_core.geometry import InvalidGeometry, Pose
from openral_core.geometry.transform_tree import StaleTransform, UnknownFrame
from openral_ros.transforms import TransformBuffer
from openral_world_state.homes import is_on_map

SILENCE = 10.0
"""For how long the last transform says where a frame is now, when no newer one comes [s]."""


class FramePoses:
    """Poses in map at the newest transforms; unknown once these stopped coming, or never came."""

    def __init__(self, transforms: TransformBuffer, map_frame: str) -> None:
        self._transforms, self._map = transforms, map_frame
        self._newest: dict[str, tuple[float, float]] = {}

    def pose(self, frame: str) -> Pose | None:
        """Where a frame is, None when that is not known."""
        try:
            stamp = self._transforms.newest(self._map, frame)
            pose = Pose.from_matrix(self._transforms.lookup(self._map, frame, stamp))
        except (UnknownFrame, StaleTransform, InvalidGeometry):
            return None
        if not is_on_map(pose.position):
            return None
        now = time.monotonic()
        last, since = self._newest.get(frame, (stamp, now))
        if stamp != last:
            since = now
        self._newest[frame] = stamp, since
        return pose if math.isinf(stamp) or now - since <= SILENCE else None
