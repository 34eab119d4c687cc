"""An active detector: supervised worker, cameras, and the dispatcher between them."""

import statistics
import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from diagnostic_msgs.msg import DiagnosticStatus
from rclpy.node import Node

from openral_core.rskills import Mode
from openral_perception_ros.camera_images import ImageCache, RateLimiter, decode_frame, subscribe_camera
from openral_perception_ros.detector import CameraSource, Detector
from openral_perception_ros.inference.ipc import Load, Ready
from openral_perception_ros.inference.worker_manager import WorkerEvent, WorkerStatus
from openral_perception_ros.inference.worker_process import worker_command
from openral_perception_ros.locate_request import RequestValidator
from openral_perception_ros.parameters import DetectorParameters
from openral_perception_ros.publishers import NO_FRAME_AGE, MemoryUsage, process_memory_mb, status_message
from openral_perception_ros.request_dispatcher import RequestDispatcher
from openral_perception_ros.scheduler import RequestOutcome
from openral_perception_ros.worker_supervisor import start_supervised_worker
from openral_ros.resources import ResourceScope
from openral_ros.stream_watchdog import StreamWatchdog, SuspensionPolicy


@dataclass(frozen=True, slots=True)
class DetectorConfig:
    """Configuration of a detector node, complete before activation."""

    parameters: DetectorParameters
    detector: Detector
    cameras: tuple[CameraSource, ...]
    validator: RequestValidator
    worker_module: str


class ActiveDetector:
    """A supervised worker and its camera subscriptions; released with their scope."""

    def __init__(
        self,
        scope: ResourceScope,
        node: Node,
        config: DetectorConfig,
        on_event: Callable[[WorkerEvent], None],
        on_seen: Callable[[RequestOutcome], None],
        on_end: Callable[[Exception], None],
    ) -> None:
        parameters, manifest = config.parameters, config.detector.manifest
        load = Load(manifest, str(config.detector.folder), parameters.load_options)
        command = worker_command(manifest, Path(parameters.environments), config.worker_module)
        decode_once = lru_cache(maxsize=len(config.cameras))(decode_frame)
        self.supervised = start_supervised_worker(
            command, load, parameters.limits, decode_once, on_event, on_end
        )
        scope.callback(self.supervised.supervisor.stop)
        self._primary = config.cameras[0].id
        self._rate_limiter = RateLimiter(parameters.rate) if manifest.mode is Mode.CONTINUOUS else None
        self._on_seen = on_seen
        self._declared = manifest.memory_mb
        self.dispatcher = RequestDispatcher(
            config.validator,
            self.supervised.supervisor,
            {camera.id: ImageCache(camera.id, manifest.sensors) for camera in config.cameras},
            lambda: node.get_clock().now().nanoseconds,
            parameters.max_frame_age,
        )
        watchdog = StreamWatchdog(scope, node, SuspensionPolicy())
        for camera in config.cameras:
            on_image_set = self._detect_stream if camera.id == self._primary else None
            cache = self.dispatcher.caches[camera.id]
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

    def diagnostics(self, name: str) -> DiagnosticStatus:
        """Return the node's diagnostic status."""
        image_set = self.dispatcher.caches[self._primary].latest()
        return status_message(
            name,
            self.worker_status,
            MemoryUsage(self.memory, self._declared),
            self.dispatcher.age(image_set) if image_set else NO_FRAME_AGE,
            self.supervised.queue,
        )

    def _detect_stream(self) -> None:
        if self._rate_limiter is None:
            return
        allowed, self._rate_limiter = self._rate_limiter.allow(time.monotonic())
        if allowed:
            self.dispatcher.detect_stream(self._primary, time.monotonic(), self._on_seen)
