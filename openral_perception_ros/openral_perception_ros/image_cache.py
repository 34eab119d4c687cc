"""Latest complete image set of each camera, and the rate limit of continuous detection."""

from collections import OrderedDict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from threading import Lock
from typing import Self


@dataclass(frozen=True, slots=True, eq=False)
class ImageSet:
    """Undecoded images of one camera with the same stamp, by sensor.

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
        """Return the age [s]: the larger of both clocks, since either may stop or jump."""
        return max((ros_now - self.stamp) / 1e9, steady_now - self.received, 0.0)


MAX_PARTIAL_STAMPS = 8
"""Incomplete stamps kept per camera [count]: sensors of one stamp arrive within a few frames."""


class ImageCache:
    """Match one camera's images by stamp; thread-safe."""

    def __init__(self, camera: str, sensors: Sequence[str], needs_labels: bool) -> None:
        self._camera = camera
        self.sensors = tuple(sensors)
        self._needs_labels = needs_labels
        self._lock = Lock()
        self._partial: OrderedDict[int, dict[str, object]] = OrderedDict()
        self._labels: Mapping[int, str] = {}
        self._latest: ImageSet | None = None
        self._received: set[str] = set()

    def put(self, sensor: str, image: object, stamp: int, frame_id: str, received: float) -> bool:
        """Store one image; True if it completes an image set, which drops older incomplete ones."""
        with self._lock:
            self._received.add(sensor)
            images = self._partial.setdefault(stamp, {})
            images[sensor] = image
            while len(self._partial) > MAX_PARTIAL_STAMPS:
                self._partial.popitem(last=False)
            if len(images) < len(self.sensors):
                return False
            for old in [partial_stamp for partial_stamp in self._partial if partial_stamp <= stamp]:
                del self._partial[old]
            self._latest = ImageSet(self._camera, stamp, frame_id, received, images, self._labels)
            return True

    def put_labels(self, labels: Mapping[int, str]) -> None:
        """Set the names of instance ids."""
        with self._lock:
            self._labels = dict(labels)
            if self._latest is not None:
                self._latest = replace(self._latest, labels=self._labels)

    def latest(self) -> ImageSet | None:
        """Return the latest complete image set with the current labels; None before the first."""
        with self._lock:
            return None if self._needs_labels and not self._labels else self._latest

    def missing_topics(self) -> tuple[str, ...]:
        """Return the inputs that have never arrived, for an error message."""
        with self._lock:
            absent = [sensor for sensor in self.sensors if sensor not in self._received]
            if self._needs_labels and not self._labels:
                absent.append("labels")
            return tuple(absent) or ("images of one stamp",)


EARLY_TOLERANCE = 0.25
"""Fraction of a period a frame may come early: a camera of exactly this rate loses none to jitter."""


@dataclass(frozen=True, slots=True)
class RateLimiter:
    """Allow at most ``rate`` frames per second [Hz], on average."""

    rate: float
    not_before: float = float("-inf")

    def allow(self, now: float) -> tuple[bool, Self]:
        """Decide on a frame that arrives at ``now`` [s]; returns the decision and the next limiter."""
        period = 1.0 / self.rate
        if now < self.not_before - EARLY_TOLERANCE * period:
            return False, self
        return True, replace(self, not_before=max(now, self.not_before) + period)
