"""Detector node: one rSkill, run by a worker process while active.

Subscribes each camera's images, and ``detector_query`` (std_msgs/String) when on demand.
Publishes ``info`` (latched), ``annotated`` while subscribed, ``/diagnostics``, ``objects`` when continuous,
and ``<robot>/openral/failure/<slug>``.
Serves ``locate_in_view``; the default locator also ``../locate_in_view``.
"""

import sys
from collections.abc import Callable
from pathlib import Path
from typing import ClassVar

from std_msgs.msg import String

from openral_core.detections import Detection
from openral_core.detectors import Health, LifecycleState, Mode
from openral_msgs.srv import LocateInView
from openral_perception_ros.active_detector import ActiveDetector, DetectorConfig, LocateAnswer
from openral_perception_ros.detector import (
    load_detector,
    parent_name,
    parse_cameras,
    robot_of,
    rskill_folders,
)
from openral_perception_ros.image_cache import ImageSet
from openral_perception_ros.inference.status import WorkerEvent
from openral_perception_ros.inference.worker_process import WORKER_MODULE
from openral_perception_ros.locate.queue import DetectionResult, RequestOutcome
from openral_perception_ros.locate.request import RequestValidator
from openral_perception_ros.locate_service import DeferredServiceServer, LocateServiceHandler
from openral_perception_ros.parameters import DetectorParameters
from openral_perception_ros.publishers import DetectorPublishers, inactive_status, process_memory_mb
from openral_ros.callback_guard import FatalNodeError
from openral_ros.lifecycle_node import LifecycleNodeBase
from openral_ros.parameters import declare
from openral_ros.qos import RELIABLE
from openral_ros.resources import ResourceScope
from openral_ros.run_node import run
from openral_ros.tracing import start_tracing

DIAGNOSTICS_PERIOD, HEARTBEAT = 1.0, 0.5


class SupervisionEnded(FatalNodeError):
    """Nobody watches the worker any more: a node that went on would be blind and call itself healthy."""

    kind = "supervision_ended"

    def __init__(self, error: Exception) -> None:
        super().__init__(f"supervision of the worker ended ({error}): this process ends, to be started again")


class DetectorNode(LifecycleNodeBase):
    """See the module."""

    worker_module: ClassVar[str] = WORKER_MODULE
    _session: ActiveDetector | None = None
    _measured = (0.0, 0.0)
    _worker_pid = 0

    def __init__(self, name: str, **options: object) -> None:
        super().__init__(name, **options)
        name = self.get_fully_qualified_name()
        self.get_logger().info(f"waiting for configure, as by `ros2 lifecycle set {name} configure`")

    def configure(self, scope: ResourceScope) -> None:
        """Check the manifest and make every interface; while inactive, requests are answered INACTIVE."""
        p = declare(self, DetectorParameters)
        slug = self.get_namespace().rsplit("/", 1)[-1]
        start_tracing(slug or self.get_name(), Path(p.record) if p.record else None)
        cameras = parse_cameras(p.cameras, robot_of(self))
        detector = load_detector(
            p.rskill, rskill_folders(p.rskill_folders), tuple(each.id for each in cameras), p.default
        )
        self._plan = DetectorConfig(
            p, detector, cameras, RequestValidator(detector, p.deadline), self.worker_module
        )
        self._scope = scope
        self._announcer = DetectorPublishers(scope, self, detector)
        self._inquiries = LocateServiceHandler(
            detector.manifest.id, self._plan.reception, lambda: self._session, self._answered
        )
        door = DeferredServiceServer(scope, self)
        for level in (0, 1) if p.default else (0,):
            door.serve(LocateInView, parent_name(self, level, "locate_in_view"), self._inquiries.receive)
        door.open()
        if detector.manifest.mode is Mode.ON_DEMAND:
            scope.subscription(String, "detector_query", self._retarget, RELIABLE)
        scope.timer(DIAGNOSTICS_PERIOD, self._report)
        scope.timer(HEARTBEAT, self._announcer.repeat)
        scope.callback(self._inform, LifecycleState.UNCONFIGURED)
        self._inform(LifecycleState.INACTIVE)

    def activate(self, scope: ResourceScope) -> None:
        """Start the worker; returns when one inference has succeeded."""
        scope.callback(self._leave)
        self._session = ActiveDetector(scope, self, self._plan, self._on_event, self._on_seen, self._on_end)
        self._session.wait_until_ready()
        self._inform(LifecycleState.ACTIVE)

    def on_fatal(self, reason: FatalNodeError) -> None:
        """Others are told too."""
        super().on_fatal(reason)
        self._announcer.failures.report_fatal(reason)

    def _leave(self) -> None:
        self._session = None
        self._inform(LifecycleState.INACTIVE)

    def _answered(self, answer: LocateAnswer) -> None:
        if answer.shot is not None:
            self._annotate(answer.shot, answer.result.detections)

    def _annotate(self, shot: ImageSet, detections: tuple[Detection, ...]) -> None:
        if self._announcer.watched:
            self._at_home(self._announcer.annotated, shot, detections)

    def _at_home(self, work: Callable[..., object], *arguments: object) -> None:
        """Run on the executor what another thread learnt, as long as there is anything to tell it with."""
        if self.executor is not None:
            guarded = self._scope.guarded(f"executor inbox, {work.__name__}", work)
            self.executor.create_task(guarded, *arguments)

    def _on_seen(self, outcome: RequestOutcome) -> None:
        if isinstance(outcome, DetectionResult):
            self._announcer.objects(outcome.shot, outcome.detections)
            self._annotate(outcome.shot, outcome.detections)

    def _on_event(self, event: WorkerEvent) -> None:
        self.get_logger().warning(event.message)
        self._at_home(self._tell, event)

    def _on_end(self, error: Exception) -> None:
        self._at_home(self._give_up, error)

    def _give_up(self, error: Exception) -> None:
        raise SupervisionEnded(error)

    def _tell(self, event: WorkerEvent) -> None:
        self._announcer.event(event)
        if self._session is not None and self._session.loaded:
            self._inform(LifecycleState.ACTIVE)

    def _retarget(self, message: String) -> None:
        self._inquiries.query = message.data

    def _report(self) -> None:
        name = self.get_fully_qualified_name()
        self._announcer.diagnostics(self._session.status(name) if self._session else inactive_status(name))

    def _inform(self, state: LifecycleState) -> None:
        """Announce what this detector is; what was measured of a worker outlives it."""
        session, health = self._session, (Health.OK, "")
        if session is not None:
            self._measured = session.memory or self._measured[0], session.latency
            self._worker_pid = session.vitals.pid
            health = session.vitals.health, session.vitals.trouble
        held = process_memory_mb(self._worker_pid)
        self._announcer.info(self._plan.detector.info(state, *self._measured, held, *health))


def main() -> None:
    """Run one detector node."""
    sys.exit(run(lambda: DetectorNode("detector"), transitions_apart=True))
