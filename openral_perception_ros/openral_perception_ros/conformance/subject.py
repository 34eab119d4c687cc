"""The detector under test, under the same supervision as in its node."""

import time
from concurrent.futures import Future
from pathlib import Path
from queue import Queue

import psutil

from openral_core.detections import Detection
from openral_core.errors import OpenRALError
from openral_perception_ros.conformance.scenes import scene
from openral_perception_ros.detector import Detector
from openral_perception_ros.engines import Frame, LoadOptions
from openral_perception_ros.frames import Shot
from openral_perception_ros.looks import Look, LookOutcome, LookRefused
from openral_perception_ros.supervision import Limits, Supervised, WorkerEvent, supervise
from openral_perception_ros.workers.commands import worker_command
from openral_perception_ros.workers.messages import Load

LOAD = 300.0
LOOK = 120.0
OPEN_WORDS = ("red mug", "baguette")


class Subject:
    """Loads the detector when first asked, and again after `close`."""

    def __init__(self, detector: Detector, environments: Path, options: LoadOptions) -> None:
        self.detector = detector
        self._environments, self._options = environments, options
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
        manifest = self.detector.manifest
        load = Load(manifest, str(self.detector.folder), self._options)
        command = worker_command(manifest, self._environments)
        return supervise(
            command, load, Limits(load=LOAD, inference=LOOK, capacity=1000), _decoded, self.events.put
        )

    @property
    def worker(self) -> psutil.Process:
        """The worker's process."""
        return psutil.Process(self.supervised.vitals.pid)

    def begin(self, frame: Frame, terms: tuple[str, ...] | None) -> "Future[LookOutcome]":
        """Ask for one look."""
        answered: Future[LookOutcome] = Future()
        shot = Shot(frame.camera, frame.stamp, "", 0.0, {"frame": frame})
        look = Look(lambda: shot, terms, time.monotonic(), LOOK, answered.set_result)
        self.supervised.supervisor.submit(look)
        return answered

    def look(self, frame: Frame, terms: tuple[str, ...] | None) -> tuple[Detection, ...]:
        """What it sees; fails the test if it refuses."""
        outcome = self.begin(frame, terms).result(LOOK)
        if isinstance(outcome, LookRefused):
            raise outcome
        return outcome.detections

    def picture(self, size: tuple[int, int] = (640, 480), camera: str = "head", stamp: int = 0) -> Frame:
        """A scene with the planes its manifest asks for."""
        return scene(self.detector.manifest.sensors, size, camera, stamp)

    def close(self) -> None:
        """End the worker."""
        if self._supervised is not None:
            self._supervised.supervisor.stop()
        self._supervised = None


def _decoded(shot: Shot) -> Frame:
    frame = shot.images["frame"]
    if not isinstance(frame, Frame):
        raise TypeError(type(frame))
    return frame
