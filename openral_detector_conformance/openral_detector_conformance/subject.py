"""The detector under test, under the same supervision as in its node."""

import time
from concurrent.futures import Future
from dataclasses import dataclass
from pathlib import Path
from queue import Queue

import psutil

from openral_core.detections import Detection
from openral_core.errors import OpenRALError
from openral_detector_conformance.scenes import GOLDENS, golden
from openral_perception_ros.detector import Detector
from openral_perception_ros.engines import EngineFrame, LoadOptions
from openral_perception_ros.image_cache import ImageSet
from openral_perception_ros.image_subscriptions import decode_frame
from openral_perception_ros.inference.protocol import Load
from openral_perception_ros.inference.restart_policy import CircuitBreaker, WorkerLimits
from openral_perception_ros.inference.status import WorkerEvent
from openral_perception_ros.inference.supervisor import SupervisedWorker, start_supervised_worker
from openral_perception_ros.inference.worker_process import WORKER_MODULE, worker_command
from openral_perception_ros.locate.errors import LocateError
from openral_perception_ros.locate.queue import DetectionRequest, RequestOutcome

LOAD = 300.0
LOOK = 120.0
OPEN_WORDS = ("red mug", "baguette")


@dataclass(frozen=True, slots=True)
class Setting:
    """Where a detector's parts lie; ``patience`` [s] is how long one look may take, ``module`` its worker."""

    environments: Path
    options: LoadOptions
    patience: float = LOOK
    module: str = WORKER_MODULE


class DetectorUnderTest:
    """Loads the detector when first asked, and again after `close`."""

    def __init__(self, detector: Detector, setting: Setting) -> None:
        self.detector, self.setting = detector, setting
        self._supervised: SupervisedWorker | None = None
        self.events: Queue[WorkerEvent] = Queue()

    @property
    def words(self) -> tuple[str, ...] | None:
        """What to ask it for; None for its own vocabulary."""
        return None if self.detector.labels else OPEN_WORDS

    @property
    def supervised(self) -> SupervisedWorker:
        """The running worker; its model is loaded.

        Raises:
            OpenRALError: Why it cannot be loaded.
        """
        if self._supervised is None:
            loading = self._supervise()
            try:
                loading.ready.result(LOAD)
            except OpenRALError:
                loading.supervisor.stop()
                raise
            self._supervised = loading
        return self._supervised

    def _supervise(self) -> SupervisedWorker:
        manifest, setting = self.detector.manifest, self.setting
        load = Load(manifest, str(self.detector.folder), setting.options)
        command = worker_command(manifest, setting.environments, setting.module)
        restarts = CircuitBreaker(limit=10, first_delay=0.1)
        limits = WorkerLimits(load=LOAD, inference=setting.patience, capacity=1000, restarts=restarts)
        return start_supervised_worker(command, load, limits, _decoded, self.events.put)

    @property
    def worker(self) -> psutil.Process:
        """The worker's process."""
        return psutil.Process(self.supervised.vitals.pid)

    def begin(self, frame: EngineFrame, terms: tuple[str, ...] | None) -> "Future[RequestOutcome]":
        """Ask for one look."""
        return self._ask(ImageSet(frame.camera, frame.stamp, "", 0.0, {"frame": frame}), terms)

    def outcome(self, frame: EngineFrame, terms: tuple[str, ...] | None) -> RequestOutcome:
        """What one look ends in."""
        return self.begin(frame, terms).result(LOOK)

    def outcome_of(self, shot: ImageSet, terms: tuple[str, ...] | None) -> RequestOutcome:
        """What a look at images ends in, as they arrive from a camera."""
        return self._ask(shot, terms).result(LOOK)

    def _ask(self, shot: ImageSet, terms: tuple[str, ...] | None) -> "Future[RequestOutcome]":
        answered: Future[RequestOutcome] = Future()
        look = DetectionRequest(lambda: shot, terms, time.monotonic(), LOOK, answered.set_result)
        self.supervised.supervisor.submit(look)
        return answered

    def look(self, frame: EngineFrame, terms: tuple[str, ...] | None) -> tuple[Detection, ...]:
        """What it sees; fails the test if it refuses."""
        outcome = self.outcome(frame, terms)
        if isinstance(outcome, LocateError):
            raise outcome
        return outcome.detections

    def picture(self, name: str = GOLDENS[0], camera: str = "head", stamp: int = 0) -> EngineFrame:
        """A picture with the planes its manifest asks for."""
        return golden(name, self.detector.manifest.sensors, camera, stamp)

    def close(self) -> None:
        """End the worker."""
        if self._supervised is not None:
            self._supervised.supervisor.stop()
        self._supervised = None


def _decoded(shot: ImageSet) -> EngineFrame:
    frame = shot.images.get("frame")
    return frame if isinstance(frame, EngineFrame) else decode_frame(shot)
