"""An active detector: its cameras, and a supervised worker for requests about their latest frames."""

import statistics
import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache, partial
from pathlib import Path

from diagnostic_msgs.msg import DiagnosticStatus
from rclpy.node import Node

from openral_core.rskills import Mode
from openral_core.token_bucket import TokenBucket
from openral_perception_ros.camera_images import (
    ImageCache,
    ImageSet,
    decode_frame,
    subscribe_camera,
)
from openral_perception_ros.detector import CameraSource, Detector
from openral_perception_ros.inference.ipc import Load, Ready
from openral_perception_ros.inference.worker_command import worker_command
from openral_perception_ros.inference.worker_supervisor import NEVER, WorkerEvent, WorkerStatus
from openral_perception_ros.locate_errors import NoFrameAvailable, StaleFrame
from openral_perception_ros.locate_request import LocateQuery
from openral_perception_ros.parameters import DetectorParameters
from openral_perception_ros.publishers import NO_FRAME_AGE, MemoryUsage, process_memory_mb, status_message
from openral_perception_ros.scheduler import DetectionRequest, RequestOutcome
from openral_perception_ros.scheduler_thread import start_supervised_worker
from openral_ros.resources import ResourceScope
from openral_ros.stream_watchdog import StreamWatchdog, SuspensionPolicy

LOOK_CREDIT = 3.0
"""Looks that a camera may save up [count]: jitter and frames that fall between two looks lose none."""


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
        self.supervised = start_supervised_worker(
            command, load, parameters.limits, decode_once, on_event, on_end
        )
        scope.callback(self.supervised.thread.stop)
        self._primary = config.cameras[0].id
        self._looks = (
            TokenBucket(parameters.rate, LOOK_CREDIT) if manifest.mode is Mode.CONTINUOUS else None
        )
        self._on_streamed_outcome = on_streamed_outcome
        self._declared = manifest.memory_mb
        self._clock, self._max_frame_age = node.get_clock(), parameters.max_frame_age
        self.caches = {camera.id: ImageCache(camera.id, manifest.sensors) for camera in config.cameras}
        watchdog = StreamWatchdog(scope, node, SuspensionPolicy())
        for camera in config.cameras:
            on_image_set = self._detect_stream if camera.id == self._primary else None
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
        image_set = self.caches[self._primary].latest()
        return status_message(
            name,
            self.worker_status,
            MemoryUsage(self.memory, self._declared),
            self.age(image_set) if image_set else NO_FRAME_AGE,
            self.supervised.queue,
        )

    def _detect_stream(self) -> None:
        if self._looks is not None and self._looks.take(time.monotonic()):
            get_frame = partial(self.latest_frame, self._primary)
            request = DetectionRequest(get_frame, None, time.monotonic(), NEVER, self._on_streamed_outcome)
            self.supervised.thread.submit(request)
