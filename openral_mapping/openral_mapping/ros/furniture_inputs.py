"""Furniture for the mapper: detections with their depth, and the home built of them."""

import math
from collections.abc import Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from rclpy.node import Node
from std_msgs.msg import String
from vision_msgs.msg import Detection2DArray

from openral_core.detectors import Detection
from openral_core.home_map import HomeMap
from openral_mapping.floor.depth_mapper import DepthMapper
from openral_mapping.floor.recent_people import RecentPeople
from openral_mapping.furniture.file import load_furniture, save_furniture
from openral_mapping.furniture.tracks import FurnitureMapper
from openral_mapping.home.edits import edits_path, with_edits
from openral_mapping.home.from_images import HomeSnapshot, furniture_view, people_in_view
from openral_mapping.ros.home_edits import HomeEditing
from openral_ros.conversions.stamps import seconds
from openral_ros.qos import LATCHED
from openral_ros.resources import ResourceScope
from openral_ros.stream_watchdog import StreamWatchdog
from openral_world_state.depth_camera import DepthView, Intrinsics
from openral_world_state.ros.subscriptions import (
    HOME_MAP,
    DetectionBuffer,
    DetectorSubscriptions,
    ViewAt,
)

PATIENCE = 1.5
"""Time that detections wait for depth and transforms [s]; depth images are kept a little longer."""
MOST_DETECTIONS = 100
"""Detections used of one image [1]."""
MOST_BYTES = 2_000_000
"""Size above which a message of detections is refused [bytes]."""
INTAKE_PERIOD = 0.1
"""Time between two attempts to use the detections that wait [s]."""


@dataclass(frozen=True)
class _Camera:
    """A camera with the rays of its depth pixels, shape (H, W, 3)."""

    intrinsics: Intrinsics
    rays: np.ndarray


class FurnitureInputs:
    """Furniture from the detectors of the graph; publishes the home with it.

    Args:
        scope: Owns subscriptions, publisher and timers.
        node: Its namespace is searched for detectors.
        watchdog: Watches the detectors.
        view_at: Depth view of a camera at a stamp [s].
        mapper: Its floor.
        path: File of the furniture and the home, read now if it exists, with the edits of people beside it;
            None to keep neither.
        rate: Images used of each detector [Hz].
        period: Shortest time between two homes [s].
        people: Where the people of the images are told.
    """

    def __init__(
        self,
        scope: ResourceScope,
        node: Node,
        watchdog: StreamWatchdog,
        view_at: ViewAt,
        mapper: DepthMapper,
        path: Path | None,
        rate: float,
        period: float,
        *,
        people: RecentPeople,
    ) -> None:
        self._mapper, self._path, self._people = mapper, path, people
        self.furniture, self._home = (
            load_furniture(path) if path is not None and path.exists() else (FurnitureMapper(), None)
        )
        self._interval, self._used = 1.0 / rate, dict[str, float]()
        self._buffer = DetectionBuffer(view_at, self._integrate, PATIENCE, MOST_DETECTIONS)
        self._cameras: dict[str, _Camera] = {}
        self._changes = self._published = 0
        self._building: Future[HomeMap | None] | None = None
        self._builder = ThreadPoolExecutor(1, "build_home")
        scope.callback(self._builder.shutdown)
        self._publisher = scope.publisher(String, HOME_MAP, LATCHED)
        edits = edits_path(path) if path is not None else None
        self._editing = HomeEditing(scope, node, edits, lambda: self._shown, self._show)
        self._show()
        DetectorSubscriptions(
            scope, node, watchdog, (), MOST_BYTES, self._add, lambda slug, info: None, self._refuse
        )
        scope.timer(INTAKE_PERIOD, self._buffer.process)
        scope.timer(period, self.publish)

    @property
    def _shown(self) -> HomeMap | None:
        """The home with the edits of people."""
        return None if self._home is None else with_edits(self._home, self._editing.edits)

    def _show(self) -> None:
        home = self._shown
        if home is not None:
            self._publisher.publish(String(data=home.model_dump_json()))

    @property
    def refused(self) -> dict[str, int]:
        """Number of messages that were not used, by reason."""
        return dict(self._buffer.refused)

    def _add(self, source: str, message: Detection2DArray) -> None:
        """Use a detector's images at the rate alone: one takes some 50 ms."""
        stamp = seconds(message.header.stamp)
        if 0.0 <= stamp - self._used.get(source, -math.inf) < self._interval:
            return
        self._used[source] = stamp
        self._buffer.add(source, message)

    def _refuse(self, reason: str) -> None:
        self._buffer.refused[reason] += 1

    def _integrate(self, view: DepthView, detections: Sequence[Detection], source: str) -> None:
        """Use the furniture of one image; every image counts, because one without any is evidence too."""
        rays = self._camera(view).rays
        self._people.see(people_in_view(view, rays, detections), view.stamp)
        self.furniture.update(furniture_view(view, rays, detections))
        self._changes += 1

    def _camera(self, view: DepthView) -> _Camera:
        camera, intrinsics = self._cameras.get(view.camera), view.depth_intrinsics
        if camera is None or not camera.intrinsics.matches(intrinsics):
            camera = self._cameras[view.camera] = _Camera(intrinsics, intrinsics.image_rays())
        return camera

    def save(self) -> None:
        """Write furniture and home to their file, if there is one.

        Raises:
            OSError: If the disk refuses.
        """
        if self._path is not None:
            save_furniture(self._path, self.furniture, self._home)

    def publish(self) -> None:
        """Publish the home that was built since, and build the next one if anything was seen.

        Rooms take up to a second of a thread of their own: images come in meanwhile.
        """
        if self._building is not None and self._building.done():
            home, self._building = self._building.result(), None
            if home is not None and home != self._home:
                self._home = home
                self._show()
        if self._changes != self._published and self._building is None:
            self._published = self._changes
            snapshot = HomeSnapshot.of(self._mapper, self.furniture)
            self._building = self._builder.submit(snapshot.build, self._home)
