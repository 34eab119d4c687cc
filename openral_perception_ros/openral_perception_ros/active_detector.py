"""An active detector: supervised worker, cameras, and dispatch of requests with the latest frame."""

import logging
import os
import statistics
import time
from collections.abc import Callable, Mapping
from concurrent.futures import Future
from contextlib import suppress
from dataclasses import dataclass
from functools import lru_cache, partial
from multiprocessing.connection import wait
from pathlib import Path
from queue import SimpleQueue
from threading import Lock, Thread

from diagnostic_msgs.msg import DiagnosticStatus
from rclpy.node import Node

from openral_core.detectors import LocateResult
from openral_core.errors import OpenRALError
from openral_core.rskills import Mode
from openral_perception_ros.camera_images import (
    ImageCache,
    ImageSet,
    RateLimiter,
    decode_frame,
    make_image_cache,
    subscribe_camera,
)
from openral_perception_ros.detector import CameraSource, Detector
from openral_perception_ros.inference.ipc import Load, Ready
from openral_perception_ros.inference.worker_manager import (
    WorkerEvent,
    WorkerLimits,
    WorkerManager,
    WorkerStatus,
)
from openral_perception_ros.inference.worker_process import (
    InferenceWorkerProcess,
    WorkerCommand,
    worker_command,
)
from openral_perception_ros.locate_errors import LocateError, NoFrameAvailable, StaleFrame
from openral_perception_ros.locate_request import LocateQuery, RequestValidator
from openral_perception_ros.parameters import DetectorParameters
from openral_perception_ros.publishers import NO_FRAME_AGE, MemoryUsage, process_memory_mb, status_message
from openral_perception_ros.scheduler import (
    Decode,
    DetectionRequest,
    RequestOutcome,
    RequestQueue,
    RequestScheduler,
)
from openral_ros.resources import ResourceScope
from openral_ros.stream_watchdog import StreamWatchdog, SuspensionPolicy

_log = logging.getLogger(__name__)
STOP_TIMEOUT = 10.0
"""Longest wait for the thread to end [s]: twice what a killed worker takes to be gone at worst."""
MAX_WAIT = 3600.0
"""Longest single wait [s]: poll(2) takes no infinite time in [ms]."""


class WorkerSupervisor:
    """Thread that runs a `RequestScheduler` until stopped; all methods are thread-safe.

    The kernel kills the worker together with the thread that started it, so that thread must outlive it.
    ``on_end`` is called if the thread ends without having been stopped.
    """

    def __init__(self, scheduler: RequestScheduler, name: str, on_end: Callable[[Exception], None]) -> None:
        self._scheduler, self._on_end = scheduler, on_end
        self._commands: SimpleQueue[Callable[[], None]] = SimpleQueue()
        self._wake = os.eventfd(0, os.EFD_NONBLOCK | os.EFD_CLOEXEC)
        self._lock = Lock()
        self._open = True
        self._thread = Thread(target=self._run, name=f"worker of {name}", daemon=True)
        self._thread.start()

    def submit(self, request: DetectionRequest) -> None:
        """Submit a request; answered immediately if supervision has ended."""
        if not self._post(partial(self._scheduler.submit, request)):
            self._scheduler.submit(request)

    def set_latest_frame(self, request: DetectionRequest) -> None:
        """Replace the frame of continuous detection."""
        self._post(partial(self._scheduler.set_latest_frame, request))

    def stop(self) -> None:
        """Stop the worker, answer waiting requests `NotActive` and wait for the thread, not for ever."""
        self._close()
        self._thread.join(STOP_TIMEOUT)
        if self._thread.is_alive():
            _log.error("%s has not ended within %.0f s and is left behind", self._thread.name, STOP_TIMEOUT)

    def _post(self, command: Callable[[], None]) -> bool:
        with self._lock:
            if self._open:
                self._commands.put(command)
                os.eventfd_write(self._wake, 1)
            return self._open

    def _close(self) -> None:
        with self._lock:
            if self._open:
                self._open = False
                os.eventfd_write(self._wake, 1)

    def _run(self) -> None:
        try:
            while self._open:
                self._run_once()
        except Exception as error:
            _log.exception("worker supervision ended")
            self._on_end(error)
        finally:
            self._close()
            self._scheduler.stop()
            self._run_commands()
            os.close(self._wake)

    def _run_once(self) -> None:
        try:
            until = self._scheduler.step(time.monotonic())
            connection = self._scheduler.manager.connection
            descriptors = [self._wake] if connection is None else [self._wake, connection.fileno()]
            wait(descriptors, min(max(until - time.monotonic(), 0.0), MAX_WAIT))
            with suppress(BlockingIOError):
                os.eventfd_read(self._wake)
            self._run_commands()
        except Exception as error:
            _log.exception("worker supervision failed")
            self._scheduler.on_defect(error, time.monotonic())

    def _run_commands(self) -> None:
        while not self._commands.empty():
            self._commands.get_nowait()()


@dataclass(frozen=True, slots=True, eq=False)
class SupervisedWorker:
    """A worker under supervision; ``ready`` completes when the model is loaded or loading failed."""

    supervisor: WorkerSupervisor
    ready: "Future[Ready]"
    status: WorkerStatus
    queue: RequestQueue


def start_supervised_worker(
    command: WorkerCommand,
    load: Load,
    limits: WorkerLimits,
    decode: Decode,
    on_event: Callable[[WorkerEvent], None],
    on_end: Callable[[Exception], None] = lambda error: None,
) -> SupervisedWorker:
    """Start a worker under supervision.

    Both callbacks run on the supervising thread: ``on_event`` for worker events, ``on_end`` if supervision
    ends without having been stopped.
    """
    ready: Future[Ready] = Future()

    def resolve(outcome: Ready | OpenRALError) -> None:
        if isinstance(outcome, Ready):
            ready.set_result(outcome)
        else:
            ready.set_exception(outcome)

    open_worker = partial(InferenceWorkerProcess, command.line, command.variables)
    manager = WorkerManager(open_worker, load, limits, resolve, on_event)
    queue = RequestQueue(limits.capacity)
    rskill_id = load.manifest.id
    scheduler = RequestScheduler(manager, queue, decode, rskill_id)
    supervisor = WorkerSupervisor(scheduler, rskill_id, on_end)
    return SupervisedWorker(supervisor, ready, manager.status, queue)


NO_DEADLINE = float("inf")
"""Deadline of streamed frames [s]: a newer frame replaces one that waits."""


@dataclass(frozen=True, slots=True, eq=False)
class LocateAnswer:
    """The result of one request, and the image set it was computed from, if any."""

    result: LocateResult
    image_set: ImageSet | None = None


@dataclass(frozen=True, slots=True, eq=False)
class RequestDispatcher:
    """Dispatch detection requests to the worker with the latest frame of their camera.

    ``ros_now`` returns ROS time [ns]; frames older than ``max_frame_age`` [s] are rejected.
    """

    validator: RequestValidator
    supervisor: WorkerSupervisor
    caches: Mapping[str, ImageCache]
    ros_now: Callable[[], int]
    max_frame_age: float

    def locate(
        self, locate_query: LocateQuery, received: float, on_done: Callable[[LocateAnswer], None]
    ) -> None:
        """Submit a query; ``on_done`` is called once, on any thread."""
        terms = locate_query.phrases if locate_query.labels is None else None
        get_frame = partial(self.latest_frame, locate_query.camera)
        answer = partial(self._answer, locate_query, on_done)
        self.supervisor.submit(DetectionRequest(get_frame, terms, received, locate_query.deadline, answer))

    def detect_stream(self, camera: str, received: float, on_done: Callable[[RequestOutcome], None]) -> None:
        """Run detection on the latest frame of a camera once no request waits."""
        self.supervisor.set_latest_frame(
            DetectionRequest(partial(self.latest_frame, camera), None, received, NO_DEADLINE, on_done)
        )

    def latest_frame(self, camera: str) -> ImageSet:
        """Return the latest image set of a camera.

        Raises:
            NoFrameAvailable: If the camera has delivered none yet.
            StaleFrame: If it is older than ``max_frame_age``.
        """
        image_set = self.caches[camera].latest()
        if image_set is None:
            raise NoFrameAvailable(camera, self.caches[camera].missing_topics())
        age = self.age(image_set)
        if age > self.max_frame_age:
            raise StaleFrame(camera, age, self.max_frame_age)
        return image_set

    def age(self, image_set: ImageSet) -> float:
        """Return the current age of an image set [s]."""
        return image_set.age(self.ros_now(), time.monotonic())

    def _answer(
        self, locate_query: LocateQuery, on_done: Callable[[LocateAnswer], None], outcome: RequestOutcome
    ) -> None:
        if isinstance(outcome, LocateError):
            on_done(
                LocateAnswer(self.validator.build_error(locate_query.query, locate_query.camera, outcome))
            )
        else:
            result = self.validator.build_response(locate_query, outcome, self.age(outcome.image_set))
            on_done(LocateAnswer(result, outcome.image_set))


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
            {camera.id: make_image_cache(camera, manifest.sensors) for camera in config.cameras},
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
