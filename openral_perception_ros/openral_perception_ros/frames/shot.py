"""One moment of one camera, undecoded."""

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True, eq=False)
class Shot:
    """Images of one stamp by sensor, as they arrived.

    ``stamp`` is ROS time [ns]; ``received`` is steady time [s] of the last of them;
    ``labels`` names instance ids.
    """

    camera: str
    stamp: int
    frame_id: str
    received: float
    images: Mapping[str, object]
    labels: Mapping[int, str] = field(default_factory=dict)

    def age(self, ros_now: int, steady_now: float) -> float:
        """Age [s], the greater of both clocks: one that stopped or jumped makes nothing new."""
        return max((ros_now - self.stamp) / 1e9, steady_now - self.received, 0.0)
