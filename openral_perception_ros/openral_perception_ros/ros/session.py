"""What a detector node holds while it is active."""

import statistics
import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from diagnostic_msgs.msg import DiagnosticStatus
from rclpy.node import Node

from openral_core.detectors import Mode
from openral_perception_ros.cameras import Camera
from openral_perception_ros.detector import Detector
from openral_perception_ros.frames.cadence import Cadence
from openral_perception_ros.looks.desk import Desk
from openral_perception_ros.looks.look import LookOutcome
from openral_perception_ros.looks.reception import Reception
from openral_perception_ros.parameters import DetectorParameters
from openral_perception_ros.ros.announcements import memory_of
from openral_perception_ros.ros.decoding import decode
from openral_perception_ros.ros.diagnostics import NO_FRAME_AGE, Memory, status_message
from openral_perception_ros.ros.views import cache_for, watch
from openral_perception_ros.supervision import Vitals, WorkerEvent, supervise
from openral_perception_ros.workers.commands import worker_command
from openral_perception_ros.workers.messages import Load, Ready
from openral_ros.ears import Ears
from openral_ros.scopes import Scope
from openral_ros.standstills import Hearing


@dataclass(frozen=True, slots=True)
class Plan:
    """What a configured node knows before it is active."""

    parameters: DetectorParameters
    detector: Detector
    cameras: tuple[Camera, ...]
    reception: Reception
    worker_module: str


class Session:
    """A supervised worker with the cameras it looks through; ends with its scope."""

    def __init__(
        self,
        scope: Scope,
        node: Node,
        plan: Plan,
        on_event: Callable[[WorkerEvent], None],
        on_seen: Callable[[LookOutcome], None],
        on_end: Callable[[Exception], None],
    ) -> None:
        parameters, manifest = plan.parameters, plan.detector.manifest
        load = Load(manifest, str(plan.detector.folder), parameters.load_options)
        command = worker_command(manifest, Path(parameters.environments), plan.worker_module)
        decode_once = lru_cache(maxsize=len(plan.cameras))(decode)
        self.supervised = supervise(command, load, parameters.limits, decode_once, on_event, on_end)
        scope.callback(self.supervised.supervisor.stop)
        self._primary = plan.cameras[0].id
        self._cadence = Cadence(parameters.rate) if manifest.mode is Mode.CONTINUOUS else None
        self._on_seen = on_seen
        self._declared = manifest.memory_mb
        self.desk = Desk(
            plan.reception,
            self.supervised.supervisor,
            {camera.id: cache_for(camera, manifest.sensors) for camera in plan.cameras},
            lambda: node.get_clock().now().nanoseconds,
            parameters.max_frame_age,
        )
        ears = Ears(scope, node, Hearing())
        for camera in plan.cameras:
            on_shot = self._stream if camera.id == self._primary else _nothing
            cache = self.desk.caches[camera.id]
            for each in watch(scope, camera, cache, parameters.compressed, on_shot):
                ears.mind(each)

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
        return memory_of(self.vitals.pid, told)

    @property
    def vitals(self) -> Vitals:
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
            Memory(self.memory, self._declared),
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
