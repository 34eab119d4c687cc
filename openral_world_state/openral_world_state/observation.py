"""Observations: detections of one image lifted to the map, and the time base of their stamps."""

from dataclasses import dataclass, field

from openral_core.geometry import Pose
from openral_world_state.spatial_memory.memory import SpatialMemory

RESTART_MARGIN = 1.0
"""Time before a restarted clock's first image at which older memories are dated [s]."""


@dataclass(frozen=True, slots=True)
class Observation:
    """One object in one image of one detector, in map.

    Args:
        label: Detector's label.
        score: In [0, 1].
        pose: In map [m].
        size: Along the pose's axes [m].
        covariance: Of the position [m^2], row-major (9,).
        stamp: Of the image [s].
        source: Detector.
        truncated: The image's border cuts the object.
        from_query: The detector was asked for this label, which weighs more.
        track: Detector's track id, a hint.
    """

    label: str
    score: float
    pose: Pose
    size: tuple[float, float, float]
    covariance: tuple[float, ...]
    stamp: float
    source: str
    truncated: bool = False
    from_query: bool = False
    track: str = ""


@dataclass(frozen=True, slots=True)
class ObservationFrame:
    """All observations of one detector in one image, and the reasons why other boxes were refused."""

    stamp: float
    source: str
    observations: tuple[Observation, ...] = ()
    refused: tuple[str, ...] = field(default=())


class ImageClock:
    """Keep the times in memory comparable with the stamps of images.

    A simulation that restarts, alone or with the whole graph, stamps its images from zero. Records "newer"
    than such an image are older in truth; they are dated before it, or no miss would count until the clock
    has passed the old time.

    Args:
        memory: Records keep their times in ROS time [s].
        lateness: Age relative to the newest image up to which an image is only late [s].
    """

    def __init__(self, memory: SpatialMemory, lateness: float) -> None:
        self._memory, self._lateness = memory, lateness
        self._newest: float | None = None

    def advance(self, stamp: float) -> None:
        """Take in the stamp of an image [s]; the first of a process is later than all memories."""
        if self._newest is None or stamp < self._newest - self._lateness:
            self._restart(stamp)
        self._newest = max(stamp, self._newest or stamp)

    def _restart(self, stamp: float) -> None:
        self._newest = stamp
        latest = stamp - RESTART_MARGIN
        for record in self._memory:
            if max(record.first_seen, record.last_seen, record.last_checked) > stamp:
                record.first_seen = min(record.first_seen, latest)
                record.last_seen = min(record.last_seen, latest)
                record.last_checked = min(record.last_checked, latest)
                self._memory.touch(record)
