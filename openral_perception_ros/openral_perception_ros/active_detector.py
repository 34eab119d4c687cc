"""An active detector: its cameras, and a supervised worker for requests about their latest frames."""

import statistics
import time
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache, partial
from pathlib import Path

from diagnostic_msgs.msg import DiagnosticStatus
from rclpy.node import Node

from openral_core.rskills import Mode
from openral_perception_ros.camera_images import (
    ImageCache,
    ImageSet,
    ViewChange,
    decode_frame,
    subscribe_camera,
)
from openral_perception_ros.detector import CameraSource, Detector
from openral_perception_ros.inference.ipc import Load, Ready
from openral_perception_ros.inference.worker_command import worker_command
from openral_perception_ros.inference.worker_supervisor import NEVER, WorkerEvent, WorkerStatus
from openral_perception_ros.locate_errors import NoFrameAvailable, StaleFrame
from openral_perception_ros.locate_request import LocateQuery
from openral_perception_ros.parameters import MOST, DetectorParameters
from openral_perception_ros.publishers import (
    NO_FRAME_AGE,
    CameraUse,
    MemoryUsage,
    process_memory_mb,
    status_message,
)
from openral_perception_ros.scheduler import DetectionRequest, DetectionResult, RequestOutcome
from openral_perception_ros.scheduler_thread import start_supervised_worker
from openral_ros.resources import ResourceScope
from openral_ros.stream_watchdog import StreamWatchdog, SuspensionPolicy

RATE_WINDOW = 5.0
"""Time over which the rate of looks at a camera is told [s]."""
MAX_LOOKS = int(RATE_WINDOW * MOST)
"""Looks at a camera within that time at most [count]."""


@dataclass(frozen=True, slots=True)
class DetectorConfig:
    """Configuration of a detector node, complete before activation."""

    parameters: DetectorParameters
    detector: Detector
    cameras: tuple[CameraSource, ...]
    worker_module: str


class ActiveDetector:
    """A supervised worker and its camera subscriptions; released with their scope."""

    def __init__(
        self,
        scope: ResourceScope,
        node: Node,
        config: DetectorConfig,
        on_event: Callable[[WorkerEvent], None],
        on_streamed_outcome: Callable[[RequestOutcome], None],
        on_end: Callable[[Exception], None],
    ) -> None:
        parameters, manifest = config.parameters, config.detector.manifest
        load = Load(manifest, str(config.detector.folder), parameters.load_options)
        command = worker_command(manifest, Path(parameters.environments), config.worker_module)
        decode_once = lru_cache(maxsize=len(config.cameras))(decode_frame)
        self._streams = parameters.camera_limits if manifest.mode is Mode.CONTINUOUS else {}
        self.supervised = start_supervised_worker(
            command, load, parameters.limits, decode_once, on_event, on_end, self._streams
        )
        scope.callback(self.supervised.thread.stop)
        self._on_streamed_outcome = on_streamed_outcome
        self._declared = manifest.memory_mb
        self._clock, self._max_frame_age = node.get_clock(), parameters.max_frame_age
        self.caches = {camera.id: ImageCache(camera.id, manifest.sensors) for camera in config.cameras}
        self._views = {camera: ViewChange() for camera in self._streams}
        self._looks: dict[str, deque[float]] = {camera: deque(maxlen=MAX_LOOKS) for camera in self._streams}
        watchdog = StreamWatchdog(scope, node, SuspensionPolicy())
        for camera in config.cameras:
            on_image_set = partial(self._detect_stream, camera.id) if camera.id in self._streams else None
            cache = self.caches[camera.id]
            for subscription in subscribe_camera(scope, camera, cache, parameters.compressed, on_image_set):
                watchdog.watch(subscription)

    def wait_until_ready(self) -> Ready:
        """Block until the model is loaded; bounded by the load deadline.

        Raises:
            OpenRALError: If loading failed; it is not retried.
        """
        return self.supervised.ready.result()

    @property
    def loaded(self) -> bool:
        """True once the model has been loaded."""
        ready = self.supervised.ready
        return ready.done() and ready.exception() is None

    @property
    def memory(self) -> float:
        """Current memory of the worker and its children, host and device [MB]."""
        reported = self.supervised.ready.result().device_memory_mb if self.loaded else 0.0
        return process_memory_mb(self.worker_status.pid, reported)

    @property
    def worker_status(self) -> WorkerStatus:
        """State of the worker."""
        return self.supervised.status

    @property
    def latency(self) -> float:
        """Median inference time [s]; the warm-up time until the first inference."""
        times = list(self.worker_status.inference_times)
        return statistics.median(times) if times else self.supervised.ready.result().warm_up

    def locate(
        self, locate_query: LocateQuery, received: float, on_done: Callable[[RequestOutcome], None]
    ) -> None:
        """Submit a query; ``on_done`` is called once, on any thread."""
        terms = locate_query.phrases if locate_query.labels is None else None
        get_frame = partial(self.latest_frame, locate_query.camera)
        request = DetectionRequest(get_frame, terms, received, locate_query.deadline, on_done)
        self.supervised.thread.submit(request)

    def latest_frame(self, camera: str) -> ImageSet:
        """Return the latest image set of a camera.

        Raises:
            NoFrameAvailable: If the camera has delivered none yet.
            StaleFrame: If it is older than the limit.
        """
        image_set = self.caches[camera].latest()
        if image_set is None:
            raise NoFrameAvailable(camera, self.caches[camera].missing_topics())
        age = self.age(image_set)
        if age > self._max_frame_age:
            raise StaleFrame(camera, age, self._max_frame_age)
        return image_set

    def age(self, image_set: ImageSet) -> float:
        """Return the current age of an image set [s]."""
        return image_set.age(self._clock.now().nanoseconds, time.monotonic())

    def diagnostics(self, name: str) -> DiagnosticStatus:
        """Return the node's diagnostic status."""
        now = time.monotonic()
        images = {camera: cache.latest() for camera, cache in self.caches.items()}
        uses = {
            camera: CameraUse(
                self.age(image_set) if image_set else NO_FRAME_AGE,
                looks_per_second(self._looks[camera], now) if camera in self._streams else None,
            )
            for camera, image_set in images.items()
        }
        memory = MemoryUsage(self.memory, self._declared)
        return status_message(name, self.worker_status, memory, uses, self.supervised.queue)

    def look_first(self, camera: str) -> None:
        """Prefer the camera that the mission looks through."""
        self.supervised.thread.look_first(camera)

    def _detect_stream(self, camera: str) -> None:
        image_set = self.caches[camera].latest()
        if image_set is not None:
            get_frame, is_moving = partial(self.latest_frame, camera), self._views[camera].differs(image_set)
            request = DetectionRequest(
                get_frame, None, time.monotonic(), NEVER, self._on_look, camera, is_moving
            )
            self.supervised.thread.submit(request)

    def _on_look(self, outcome: RequestOutcome) -> None:
        if isinstance(outcome, DetectionResult):
            image_set = outcome.image_set
            self._looks[image_set.camera].append(time.monotonic())
            self._views[image_set.camera].looked_at(image_set)
        self._on_streamed_outcome(outcome)


def looks_per_second(looks: deque[float], now: float) -> float:
    """Return the rate of the looks at steady times [s] within `RATE_WINDOW` before ``now`` [Hz]."""
    return sum(now - look <= RATE_WINDOW for look in list(looks)) / RATE_WINDOW
