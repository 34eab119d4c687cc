"""The detector under test, under the same supervision as in its node."""

import time
from concurrent.futures import Future
from dataclasses import dataclass
from pathlib import Path
from queue import Queue

import psutil

from openral_core.detections import Detection
from openral_core.errors import OpenRALError
from openral_perception_ros.conformance.scenes import GOLDENS, golden
from openral_perception_ros.detector import Detector
from openral_perception_ros.engines import Frame, LoadOptions
from openral_perception_ros.frames import Shot
from openral_perception_ros.looks import Look, LookOutcome, LookRefused
from openral_perception_ros.ros.decoding import decode
from openral_perception_ros.supervision import Limits, RestartPolicy, Supervised, WorkerEvent, supervise
from openral_perception_ros.workers.commands import WORKER_MODULE, worker_command
from openral_perception_ros.workers.messages import Load

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


class Subject:
    """Loads the detector when first asked, and again after `close`."""

    def __init__(self, detector: Detector, setting: Setting) -> None:
        self.detector, self.setting = detector, setting
        self._supervised: Supervised | None = None
        self.events: Queue[WorkerEvent] = Queue()

    @property
    def words(self) -> tuple[str, ...] | None:
        """What to ask it for; None for its own vocabulary."""
        return None if self.detector.labels else OPEN_WORDS

    @property
    def supervised(self) -> Supervised:
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

    def _supervise(self) -> Supervised:
        manifest, setting = self.detector.manifest, self.setting
        load = Load(manifest, str(self.detector.folder), setting.options)
        command = worker_command(manifest, setting.environments, setting.module)
        restarts = RestartPolicy(limit=10, first_delay=0.1)
        limits = Limits(load=LOAD, inference=setting.patience, capacity=1000, restarts=restarts)
        return supervise(command, load, limits, _decoded, self.events.put)

    @property
    def worker(self) -> psutil.Process:
        """The worker's process."""
        return psutil.Process(self.supervised.vitals.pid)

    def begin(self, frame: Frame, terms: tuple[str, ...] | None) -> "Future[LookOutcome]":
        """Ask for one look."""
        return self._ask(Shot(frame.camera, frame.stamp, "", 0.0, {"frame": frame}), terms)

    def outcome(self, frame: Frame, terms: tuple[str, ...] | None) -> LookOutcome:
        """What one look ends in."""
        return self.begin(frame, terms).result(LOOK)

    def outcome_of(self, shot: Shot, terms: tuple[str, ...] | None) -> LookOutcome:
        """What a look at images ends in, as they arrive from a camera."""
        return self._ask(shot, terms).result(LOOK)

    def _ask(self, shot: Shot, terms: tuple[str, ...] | None) -> "Future[LookOutcome]":
        answered: Future[LookOutcome] = Future()
        look = Look(lambda: shot, terms, time.monotonic(), LOOK, answered.set_result)
        self.supervised.supervisor.submit(look)
        return answered

    def look(self, frame: Frame, terms: tuple[str, ...] | None) -> tuple[Detection, ...]:
        """What it sees; fails the test if it refuses."""
        outcome = self.outcome(frame, terms)
        if isinstance(outcome, LookRefused):
            raise outcome
        return outcome.detections

    def picture(self, name: str = GOLDENS[0], camera: str = "head", stamp: int = 0) -> Frame:
        """A picture with the planes its manifest asks for."""
        return golden(name, self.detector.manifest.sensors, camera, stamp)

    def close(self) -> None:
        """End the worker."""
        if self._supervised is not None:
            self._supervised.supervisor.stop()
        self._supervised = None


def _decoded(shot: Shot) -> Frame:
    frame = shot.images.get("frame")
    return frame if isinstance(frame, Frame) else decode(shot)
