"""The detector under test, under the same supervision as in its node."""

import time
from concurrent.futures import Future
from dataclasses import dataclass
from pathlib import Path
from queue import Queue

import psutil

from openral_core.backoff import CircuitBreaker
from openral_core.detectors import Detection
from openral_core.errors import OpenRALError
from openral_perception_ros.camera_images import ImageSet, decode_frame
from openral_perception_ros.detector import Detector
from openral_perception_ros.engines import EngineFrame, LoadOptions
from openral_perception_ros.inference.ipc import Load
from openral_perception_ros.inference.worker_command import WORKER_MODULE, worker_command
from openral_perception_ros.inference.worker_supervisor import WorkerEvent, WorkerLimits
from openral_perception_ros.locate_errors import LocateError
from openral_perception_ros.scheduler import DetectionRequest, RequestOutcome
from openral_perception_ros.scheduler_thread import SupervisedWorker, start_supervised_worker
from openral_testing.detectors.scenes import GOLDENS, golden

LOAD_TIMEOUT = 300.0
"""Longest time to load a model [s]: a large checkpoint from a slow disk."""
INFERENCE_TIMEOUT = 120.0
"""Longest inference [s]: a vision-language model on a CPU."""
OPEN_TERMS = ("red mug", "baguette")


@dataclass(frozen=True, slots=True)
class LoadSetting:
    """Load options of the detector under test.

    ``inference_timeout`` [s] bounds one inference; ``module`` is the worker's.
    """

    environments: Path
    options: LoadOptions
    inference_timeout: float = INFERENCE_TIMEOUT
    module: str = WORKER_MODULE


class DetectorUnderTest:
    """A detector that is loaded on first use, and again after `close`."""

    def __init__(self, detector: Detector, setting: LoadSetting) -> None:
        self.detector, self.setting = detector, setting
        self._supervised: SupervisedWorker | None = None
        self.events: Queue[WorkerEvent] = Queue()

    @property
    def terms(self) -> tuple[str, ...] | None:
        """Terms to request; None for its own vocabulary."""
        return None if self.detector.labels else OPEN_TERMS

    @property
    def supervised(self) -> SupervisedWorker:
        """The running worker with its model loaded.

        Raises:
            OpenRALError: If it cannot be loaded.
        """
        if self._supervised is None:
            loading = self._start_worker()
            try:
                loading.ready.result(LOAD_TIMEOUT)
            except OpenRALError:
                loading.thread.stop()
                raise
            self._supervised = loading
        return self._supervised

    def _start_worker(self) -> SupervisedWorker:
        manifest, setting = self.detector.manifest, self.setting
        load = Load(manifest, str(self.detector.folder), setting.options)
        command = worker_command(manifest, setting.environments, setting.module)
        restarts = CircuitBreaker(limit=10, first_delay=0.02)
        limits = WorkerLimits(
            load=LOAD_TIMEOUT, inference=setting.inference_timeout, capacity=1000, restarts=restarts
        )
        return start_supervised_worker(command, load, limits, _decoded, self.events.put)

    @property
    def worker(self) -> psutil.Process:
        """The worker's process."""
        return psutil.Process(self.supervised.status.pid)

    def begin(self, frame: EngineFrame, terms: tuple[str, ...] | None) -> "Future[RequestOutcome]":
        """Submit one request."""
        return self._ask(ImageSet(frame.camera, frame.stamp, "", 0.0, {"frame": frame}), terms)

    def outcome(self, frame: EngineFrame, terms: tuple[str, ...] | None) -> RequestOutcome:
        """Return the outcome of one request."""
        return self.begin(frame, terms).result(INFERENCE_TIMEOUT)

    def outcome_of(self, image_set: ImageSet, terms: tuple[str, ...] | None) -> RequestOutcome:
        """Return the outcome of a request on raw camera images."""
        return self._ask(image_set, terms).result(INFERENCE_TIMEOUT)

    def _ask(self, image_set: ImageSet, terms: tuple[str, ...] | None) -> "Future[RequestOutcome]":
        answered: Future[RequestOutcome] = Future()
        request = DetectionRequest(
            lambda: image_set, terms, time.monotonic(), INFERENCE_TIMEOUT, answered.set_result
        )
        self.supervised.thread.submit(request)
        return answered

    def detect(self, frame: EngineFrame, terms: tuple[str, ...] | None) -> tuple[Detection, ...]:
        """Return its detections; raises if the request fails."""
        outcome = self.outcome(frame, terms)
        if isinstance(outcome, LocateError):
            raise outcome
        return outcome.detections

    def image(self, name: str = GOLDENS[0], camera: str = "head", stamp: int = 0) -> EngineFrame:
        """Return an image with the planes its manifest requires."""
        return golden(name, self.detector.manifest.sensors, camera, stamp)

    def close(self) -> None:
        """Stop the worker."""
        if self._supervised is not None:
            self._supervised.thread.stop()
        self._supervised = None


def _decoded(image_set: ImageSet) -> EngineFrame:
    frame = image_set.images.get("frame")
    return frame if isinstance(frame, EngineFrame) else decode_frame(image_set)
