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
from openral_perception_ros.cameras import parse_cameras
from openral_perception_ros.detector import load_detector, rskill_folders
from openral_perception_ros.frames import Shot
from openral_perception_ros.looks.desk import Answer
from openral_perception_ros.looks.look import LookOutcome, Seen
from openral_perception_ros.looks.reception import Reception
from openral_perception_ros.parameters import DetectorParameters
from openral_perception_ros.ros.announcements import Announcer, memory_of
from openral_perception_ros.ros.diagnostics import inactive_status
from openral_perception_ros.ros.inquiries import Inquiries
from openral_perception_ros.ros.relatives import above, robot_of
from openral_perception_ros.ros.services import FrontDoor
from openral_perception_ros.ros.session import Plan, Session
from openral_perception_ros.supervision import WorkerEvent
from openral_perception_ros.workers.commands import WORKER_MODULE
from openral_ros.callback_guard import CannotGoOn
from openral_ros.managed_node import ManagedNode
from openral_ros.parameters import declare
from openral_ros.qos import RELIABLE
from openral_ros.running import run
from openral_ros.scopes import Scope
from openral_ros.tracing import start_tracing

DIAGNOSTICS_PERIOD, HEARTBEAT = 1.0, 0.5


class SupervisionEnded(CannotGoOn):
    """Nobody watches the worker any more: a node that went on would be blind and call itself healthy."""

    kind = "supervision_ended"

    def __init__(self, error: Exception) -> None:
        super().__init__(f"supervision of the worker ended ({error}): this process ends, to be started again")


class DetectorNode(ManagedNode):
    """See the module."""

    worker_module: ClassVar[str] = WORKER_MODULE
    _session: Session | None = None
    _measured = (0.0, 0.0)
    _worker_pid = 0

    def __init__(self, name: str, **options: object) -> None:
        super().__init__(name, **options)
        name = self.get_fully_qualified_name()
        self.get_logger().info(f"waiting for configure, as by `ros2 lifecycle set {name} configure`")

    def configure(self, scope: Scope) -> None:
        """Check the manifest and make every interface; while inactive, requests are answered INACTIVE."""
        p = declare(self, DetectorParameters)
        slug = self.get_namespace().rsplit("/", 1)[-1]
        start_tracing(slug or self.get_name(), Path(p.record) if p.record else None)
        cameras = parse_cameras(p.cameras, robot_of(self))
        detector = load_detector(
            p.rskill, rskill_folders(p.rskill_folders), tuple(each.id for each in cameras), p.default
        )
        self._plan = Plan(p, detector, cameras, Reception(detector, p.deadline), self.worker_module)
        self._scope = scope
        self._announcer = Announcer(scope, self, detector)
        self._inquiries = Inquiries(
            detector.manifest.id, self._plan.reception, lambda: self._session, self._answered
        )
        door = FrontDoor(scope, self)
        for level in (0, 1) if p.default else (0,):
            door.serve(LocateInView, above(self, level, "locate_in_view"), self._inquiries.receive)
        door.open()
        if detector.manifest.mode is Mode.ON_DEMAND:
            scope.subscription(String, "detector_query", self._retarget, RELIABLE)
        scope.timer(DIAGNOSTICS_PERIOD, self._report)
        scope.timer(HEARTBEAT, self._announcer.repeat)
        scope.callback(self._inform, LifecycleState.UNCONFIGURED)
        self._inform(LifecycleState.INACTIVE)

    def activate(self, scope: Scope) -> None:
        """Start the worker; returns when one inference has succeeded."""
        scope.callback(self._leave)
        self._session = Session(scope, self, self._plan, self._on_event, self._on_seen, self._on_end)
        self._session.wait_until_ready()
        self._inform(LifecycleState.ACTIVE)

    def last_words(self, reason: CannotGoOn) -> None:
        """Others are told too."""
        super().last_words(reason)
        self._announcer.failures.tell_last(reason)

    def _leave(self) -> None:
        self._session = None
        self._inform(LifecycleState.INACTIVE)

    def _answered(self, answer: Answer) -> None:
        if answer.shot is not None:
            self._annotate(answer.shot, answer.result.detections)

    def _annotate(self, shot: Shot, detections: tuple[Detection, ...]) -> None:
        if self._announcer.watched:
            self._at_home(self._announcer.annotated, shot, detections)

    def _at_home(self, work: Callable[..., object], *arguments: object) -> None:
        """Run on the executor what another thread learnt, as long as there is anything to tell it with."""
        if self.executor is not None:
            guarded = self._scope.guarded(f"executor inbox, {work.__name__}", work)
            self.executor.create_task(guarded, *arguments)

    def _on_seen(self, outcome: LookOutcome) -> None:
        if isinstance(outcome, Seen):
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
        held = memory_of(self._worker_pid)
        self._announcer.info(self._plan.detector.info(state, *self._measured, held, *health))


def main() -> None:
    """Run one detector node."""
    sys.exit(run(lambda: DetectorNode("detector"), transitions_apart=True))
