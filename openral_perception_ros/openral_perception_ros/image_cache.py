"""The newest complete shot of each camera."""
# MERGED One moment of one camera, undecoded.
# MERGED How often the continuous leg looks.

from collections import OrderedDict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from threading import Lock
from typing import Self


@dataclass(frozen=True, slots=True, eq=False)
class ImageSet:
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


KEPT_STAMPS = 8


class ImageCache:
    """Pairs one camera's images by stamp; safe to use from several threads."""

    def __init__(self, camera: str, sensors: Sequence[str], needs_labels: bool) -> None:
        self._camera = camera
        self.sensors = tuple(sensors)
        self._needs_labels = needs_labels
        self._lock = Lock()
        self._partial: OrderedDict[int, dict[str, object]] = OrderedDict()
        self._labels: Mapping[int, str] = {}
        self._newest: ImageSet | None = None
        self._seen: set[str] = set()

    def put(self, sensor: str, image: object, stamp: int, frame_id: str, received: float) -> bool:
        """Keep one image; True if it completes a shot, which drops older incomplete ones."""
        with self._lock:
            self._seen.add(sensor)
            images = self._partial.setdefault(stamp, {})
            images[sensor] = image
            while len(self._partial) > KEPT_STAMPS:
                self._partial.popitem(last=False)
            if len(images) < len(self.sensors):
                return False
            for old in [each for each in self._partial if each <= stamp]:
                del self._partial[old]
            self._newest = ImageSet(self._camera, stamp, frame_id, received, images, self._labels)
            return True

    def put_labels(self, labels: Mapping[int, str]) -> None:
        """What instance ids are called from now on."""
        with self._lock:
            self._labels = dict(labels)
            if self._newest is not None:
                self._newest = replace(self._newest, labels=self._labels)

    def newest(self) -> ImageSet | None:
        """The newest complete shot, with the labels known now; None before the first."""
        with self._lock:
            return None if self._needs_labels and not self._labels else self._newest

    def missing(self) -> tuple[str, ...]:
        """What has never arrived, for a message to people."""
        with self._lock:
            absent = [sensor for sensor in self.sensors if sensor not in self._seen]
            if self._needs_labels and not self._labels:
                absent.append("labels")
            return tuple(absent) or ("images of one stamp",)


FORGIVEN = 0.25
"""Part of a period a frame may come early, so that a camera of exactly this rate loses none to jitter."""


@dataclass(frozen=True, slots=True)
class RateLimiter:
    """At most ``rate`` looks per second [Hz], on average."""

    rate: float
    not_before: float = float("-inf")

    def at(self, now: float) -> tuple[bool, Self]:
        """Whether to look at a frame that arrives at ``now`` [s], and the cadence after it."""
        period = 1.0 / self.rate
        if now < self.not_before - FORGIVEN * period:
            return False, self
        return True, replace(self, not_before=max(now, self.not_before) + period)
