"""The newest complete shot of each camera."""

from collections import OrderedDict
from collections.abc import Mapping, Sequence
from dataclasses import replace
from threading import Lock

from openral_perception_ros.frames.shot import Shot

KEPT_STAMPS = 8


class CameraCache:
    """Pairs one camera's images by stamp; safe to use from several threads."""

    def __init__(self, camera: str, sensors: Sequence[str], needs_labels: bool) -> None:
        self._camera = camera
        self.sensors = tuple(sensors)
        self._needs_labels = needs_labels
        self._lock = Lock()
        self._partial: OrderedDict[int, dict[str, object]] = OrderedDict()
        self._labels: Mapping[int, str] = {}
        self._newest: Shot | None = None
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
            self._newest = Shot(self._camera, stamp, frame_id, received, images, self._labels)
            return True

    def put_labels(self, labels: Mapping[int, str]) -> None:
        """What instance ids are called from now on."""
        with self._lock:
            self._labels = dict(labels)
            if self._newest is not None:
                self._newest = replace(self._newest, labels=self._labels)

    def newest(self) -> Shot | None:
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
