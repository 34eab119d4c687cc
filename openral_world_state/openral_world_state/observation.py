"""One look's worth of things, lifted to the map."""
# MERGED The time of images, which begins anew with every simulation.

from dataclasses import dataclass, field

from openral_core.geometry import Pose
from openral_world_state.spatial_memory.memory import SpatialMemory


@dataclass(frozen=True, slots=True)
class Observation:
    """One thing as one detector saw it.

    ``size`` [m]; ``covariance`` of the position [m^2], row-major (9,); ``stamp`` [s]; ``track`` is the
    detector's hint; ``asked`` when these very words were asked for, which counts more.
    """

    label: str
    score: float
    pose: Pose
    size: tuple[float, float, float]
    covariance: tuple[float, ...]
    stamp: float
    source: str
    truncated: bool = False
    asked: bool = False
    track: str = ""


@dataclass(frozen=True, slots=True)
class ObservationFrame:
    """Everything one detector saw in one image."""

    stamp: float
    source: str
    observations: tuple[Observation, ...] = ()
    refused: tuple[str, ...] = field(default=())


_BEFORE = 1.0
"""How long before time began anew everything counts as seen that was seen later than that [s]."""


class ImageTime:
    """Keeps the times of memory comparable with the stamps of images.

    A simulation that starts again, alone or with the whole graph, stamps its images from zero. What was
    seen "later" than such an image was seen before it; otherwise no look at it would count until the clock
    has passed the old time.

    Args:
        memory: Records keep their times in ROS time [s].
        lateness: How much older than the newest an image of the same time may be [s].
    """

    def __init__(self, memory: SpatialMemory, lateness: float) -> None:
        self._memory, self._lateness = memory, lateness
        self._newest: float | None = None

    def advance(self, stamp: float) -> None:
        """An image of ``stamp`` [s] came; the first of a process is later than all that memory holds."""
        if self._newest is None or stamp < self._newest - self._lateness:
            self._begin_anew(stamp)
        self._newest = max(stamp, self._newest or stamp)

    def _begin_anew(self, stamp: float) -> None:
        self._newest = stamp
        for record in self._memory:
            if max(record.first_seen, record.last_seen, record.looked) > stamp:
                latest = stamp - _BEFORE
                record.first_seen = min(record.first_seen, latest)
                record.last_seen = min(record.last_seen, latest)
                record.looked = min(record.looked, latest)
                self._memory.touch(record)
