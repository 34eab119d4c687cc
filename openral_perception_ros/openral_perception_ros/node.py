"""Detector node: one rSkill, run by a worker process while active.

Subscribes each camera's images, and ``detector_query`` (std_msgs/String) when on demand.
Publishes ``info`` (latched), ``annotated`` while subscribed, ``/diagnostics``, ``../../failure/<slug>``,
and ``objects`` when continuous. Serves ``locate_in_view``; the default locator also ``../locate_in_view``.
"""

import sys
import time
from collections.abc import Callable
from concurrent.futures import Future
from functools import partial
from pathlib import Path
from typing import ClassVar

from opentelemetry.trace import Span
from std_msgs.msg import String

from openral_core.detectors import LifecycleState, Mode
from openral_msgs.srv import LocateInView
from openral_perception_ros.cameras import parse_cameras
from openral_perception_ros.detector import load_detector
from openral_perception_ros.looks import LookRefused, NotActive
from openral_perception_ros.looks.desk import Answer
from openral_perception_ros.looks.look import LookOutcome, Seen
from openral_perception_ros.looks.reception import Reception
from openral_perception_ros.parameters import DetectorParameters
from openral_perception_ros.ros.announcements import Announcer, header_of, memory_of
from openral_perception_ros.ros.diagnostics import inactive_status
from openral_perception_ros.ros.look_spans import end_look, look_span
from openral_perception_ros.ros.relatives import above
from openral_perception_ros.ros.services import FrontDoor
from openral_perception_ros.ros.session import Plan, Session
from openral_perception_ros.supervision import WorkerEvent
from openral_perception_ros.workers.commands import WORKER_MODULE
from openral_ros.conversions.detectors import fill_locate_response
from openral_ros.managed_node import ManagedNode
from openral_ros.parameters import declare
from openral_ros.qos import RELIABLE
from openral_ros.running import run
from openral_ros.scopes import Scope
from openral_ros.tracing import start_tracing

DIAGNOSTICS_PERIOD, HEARTBEAT = 1.0, 0.5


class DetectorNode(ManagedNode):
    """See the module."""

    worker_module: ClassVar[str] = WORKER_MODULE
    _session: Session | None = None
    _default_query = ""
    _measured = (0.0, 0.0)
    _worker_pid = 0

    def configure(self, scope: Scope) -> None:
        """Check the manifest and make every interface; while inactive, requests are answered INACTIVE."""
        p = declare(self, DetectorParameters)
        slug = self.get_namespace().rsplit("/", 1)[-1]
        start_tracing(slug or self.get_name(), Path(p.record) if p.record else None)
        cameras = parse_cameras(p.cameras)
        folders = [Path(folder) for folder in p.rskill_folders]
        detector = load_detector(p.rskill, folders, tuple(each.id for each in cameras), p.default)
        self._plan = Plan(p, detector, cameras, Reception(detector, p.deadline), self.worker_module)
        self._announcer = Announcer(scope, self, detector)
        door = FrontDoor(scope, self)
        for level in (0, 1) if p.default else (0,):
            door.serve(LocateInView, above(self, level, "locate_in_view"), self._locate)
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
        self._session = Session(scope, self, self._plan, self._on_event, self._on_seen)
        self._session.wait_until_ready()
        self._inform(LifecycleState.ACTIVE)

    def _leave(self) -> None:
        self._session = None
        self._inform(LifecycleState.INACTIVE)

    def _locate(
        self, request: LocateInView.Request, response: LocateInView.Response
    ) -> "Future[LocateInView.Response]":
        promise: Future[LocateInView.Response] = Future()
        self._ask(request, partial(self._keep, promise, response, look_span(request)))
        return promise

    def _keep(
        self, promise: Future, response: LocateInView.Response, span: Span, answer: Answer
    ) -> None:
        """Called on whichever thread has the answer."""
        end_look(span, answer.result)
        promise.set_result(fill_locate_response(response, answer.result, header_of(answer.shot)))
        if answer.shot is not None and self._announcer.watched:
            self._at_home(self._announcer.annotated, answer.shot, answer.result.detections)

    def _ask(self, request: LocateInView.Request, on_done: Callable[[Answer], None]) -> None:
        reception, query, camera = self._plan.reception, request.query or self._default_query, request.camera
        try:
            question = reception.question(query, camera, request.detector, request.deadline)
            session = self._session
            if session is None:
                raise NotActive(self._plan.detector.manifest.id)
            session.desk.ask(question, time.monotonic(), on_done)
        except LookRefused as refused:
            on_done(Answer(reception.refusal(query, camera, refused)))

    def _at_home(self, work: Callable[..., object], *arguments: object) -> None:
        """Run on the executor what another thread learnt."""
        if self.executor is not None:
            self.executor.create_task(work, *arguments)

    def _on_seen(self, outcome: LookOutcome) -> None:
        if isinstance(outcome, Seen):
            self._at_home(self._announcer.seen, outcome.shot, outcome.detections)

    def _on_event(self, event: WorkerEvent) -> None:
        self.get_logger().warning(event.message)
        self._at_home(self._announcer.event, event)

    def _retarget(self, message: String) -> None:
        self._default_query = message.data

    def _report(self) -> None:
        name = self.get_fully_qualified_name()
        self._announcer.diagnostics(self._session.status(name) if self._session else inactive_status(name))

    def _inform(self, state: LifecycleState) -> None:
        session = self._session
        if session is not None:
            self._measured = session.memory, session.latency
            self._worker_pid = session.supervised.vitals.pid
        held = memory_of(self._worker_pid)
        self._announcer.info(self._plan.detector.info(state, *self._measured, held))


def main() -> None:
    """Run one detector node."""
    sys.exit(run(lambda: DetectorNode("detector"), transitions_apart=True))
