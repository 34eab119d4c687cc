"""What a detector node holds while it is active."""
# MERGED Where requests meet frames and the supervised worker.

import statistics
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import lru_cache, partial
from pathlib import Path

from diagnostic_msgs.msg import DiagnosticStatus
from rclpy.node import Node

from openral_core.detectors import LocateResult, Mode
from openral_perception_ros.detector import Camera, Detector
from openral_perception_ros.image_cache import ImageCache, ImageSet, RateLimiter
from openral_perception_ros.image_subscriptions import decode_frame, make_image_cache, subscribe_camera
from openral_perception_ros.inference.protocol import Load, Ready
from openral_perception_ros.inference.status import WorkerEvent, WorkerStatus
from openral_perception_ros.inference.supervisor import WorkerSupervisor, start_supervised_worker
from openral_perception_ros.inference.worker_process import worker_command
from openral_perception_ros.locate.errors import LocateError, NoFrameAvailable, StaleFrame
from openral_perception_ros.locate.queue import DetectionRequest, RequestOutcome
from openral_perception_ros.locate.request import LocateQuery, RequestValidator
from openral_perception_ros.parameters import DetectorParameters
from openral_perception_ros.publishers import NO_FRAME_AGE, MemoryUsage, process_memory_mb, status_message
from openral_ros.resources import ResourceScope
from openral_ros.stream_watchdog import StreamWatchdog, SuspensionPolicy

NO_HURRY = float("inf")


@dataclass(frozen=True, slots=True, eq=False)
class LocateAnswer:
    """The result of one request, with the frame it is about when there was one."""

    result: LocateResult
    shot: ImageSet | None = None


@dataclass(frozen=True, slots=True, eq=False)
class RequestDispatcher:
    """Answers requests while a worker is there.

    ``ros_now`` is ROS time [ns]; frames older than ``max_frame_age`` [s] are refused.
    """

    reception: RequestValidator
    supervisor: WorkerSupervisor
    caches: Mapping[str, ImageCache]
    ros_now: Callable[[], int]
    max_frame_age: float

    def ask(self, question: LocateQuery, received: float, on_done: Callable[[LocateAnswer], None]) -> None:
        """Have a question answered; ``on_done`` is called once, on any thread."""
        terms = question.terms if question.labels is None else None
        take = partial(self.newest, question.camera)
        answer = partial(self._answer, question, on_done)
        self.supervisor.submit(DetectionRequest(take, terms, received, question.deadline, answer))

    def stream(self, camera: str, received: float, on_done: Callable[[RequestOutcome], None]) -> None:
        """Look at a camera's newest frame when no request waits."""
        self.supervisor.offer(
            DetectionRequest(partial(self.newest, camera), None, received, NO_HURRY, on_done)
        )

    def newest(self, camera: str) -> ImageSet:
        """The newest shot of a camera.

        Raises:
            NoFrame: If none came yet.
            StaleFrame: If it is too old to be called the present.
        """
        shot = self.caches[camera].newest()
        if shot is None:
            raise NoFrameAvailable(camera, self.caches[camera].missing())
        age = self.age(shot)
        if age > self.max_frame_age:
            raise StaleFrame(camera, age, self.max_frame_age)
        return shot

    def age(self, shot: ImageSet) -> float:
        """Age of a shot now [s]."""
        return shot.age(self.ros_now(), time.monotonic())

    def _answer(
        self, question: LocateQuery, on_done: Callable[[LocateAnswer], None], outcome: RequestOutcome
    ) -> None:
        if isinstance(outcome, LocateError):
            on_done(LocateAnswer(self.reception.refusal(question.query, question.camera, outcome)))
        else:
            result = self.reception.answer(question, outcome, self.age(outcome.shot))
            on_done(LocateAnswer(result, outcome.shot))


@dataclass(frozen=True, slots=True)
class DetectorConfig:
    """What a configured node knows before it is active."""

    parameters: DetectorParameters
    detector: Detector
    cameras: tuple[Camera, ...]
    reception: RequestValidator
    worker_module: str


class ActiveDetector:
    """A supervised worker with the cameras it looks through; ends with its scope."""

    def __init__(
        self,
        scope: ResourceScope,
        node: Node,
        plan: DetectorConfig,
        on_event: Callable[[WorkerEvent], None],
        on_seen: Callable[[RequestOutcome], None],
        on_end: Callable[[Exception], None],
    ) -> None:
        parameters, manifest = plan.parameters, plan.detector.manifest
        load = Load(manifest, str(plan.detector.folder), parameters.load_options)
        command = worker_command(manifest, Path(parameters.environments), plan.worker_module)
        decode_once = lru_cache(maxsize=len(plan.cameras))(decode_frame)
        self.supervised = start_supervised_worker(
            command, load, parameters.limits, decode_once, on_event, on_end
        )
        scope.callback(self.supervised.supervisor.stop)
        self._primary = plan.cameras[0].id
        self._cadence = RateLimiter(parameters.rate) if manifest.mode is Mode.CONTINUOUS else None
        self._on_seen = on_seen
        self._declared = manifest.memory_mb
        self.desk = RequestDispatcher(
            plan.reception,
            self.supervised.supervisor,
            {camera.id: make_image_cache(camera, manifest.sensors) for camera in plan.cameras},
            lambda: node.get_clock().now().nanoseconds,
            parameters.max_frame_age,
        )
        ears = StreamWatchdog(scope, node, SuspensionPolicy())
        for camera in plan.cameras:
            on_shot = self._stream if camera.id == self._primary else _nothing
            cache = self.desk.caches[camera.id]
            for each in subscribe_camera(scope, camera, cache, parameters.compressed, on_shot):
                ears.watch(each)

    def wait_until_ready(self) -> Ready:
        """Block until the model is loaded; bounded by the load deadline.

        Raises:
            OpenRALError: Why it is not loaded, and will not be.
        """
        return self.supervised.ready.result()

    @property
    def loaded(self) -> bool:
        """Whether its model was ready once."""
        ready = self.supervised.ready
        return ready.done() and ready.exception() is None

    @property
    def memory(self) -> float:
        """Of the worker and its children now, on the host and on its device [MB]."""
        told = self.supervised.ready.result().device_memory_mb if self.loaded else 0.0
        return process_memory_mb(self.vitals.pid, told)

    @property
    def vitals(self) -> WorkerStatus:
        """How the worker is doing."""
        return self.supervised.vitals

    @property
    def latency(self) -> float:
        """Typical time of one look [s]; 0 before the first."""
        times = list(self.vitals.inference_times)
        return statistics.median(times) if times else self.supervised.ready.result().warm_up

    def status(self, name: str) -> DiagnosticStatus:
        """For diagnostics."""
        shot = self.desk.caches[self._primary].newest()
        return status_message(
            name,
            self.vitals,
            MemoryUsage(self.memory, self._declared),
            self.desk.age(shot) if shot else NO_FRAME_AGE,
            self.supervised.line.skipped,
        )

    def _stream(self) -> None:
        if self._cadence is None:
            return
        due, self._cadence = self._cadence.at(time.monotonic())
        if due:
            self.desk.stream(self._primary, time.monotonic(), self._on_seen)


def _nothing() -> None:
    """Other cameras only answer requests."""
