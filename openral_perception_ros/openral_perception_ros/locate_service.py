"""Services whose answers take time, answered beside their node's other work."""
# MERGED Requests of `locate_in_view`, from receipt to response.
# MERGED One span per request, open from its receipt to its answer.

import logging
import time
from collections.abc import Callable
from concurrent.futures import Future
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from threading import Thread

import rclpy
from opentelemetry.trace import Span
from rclpy.callback_groups import ReentrantCallbackGroup
from rclpy.executors import ExternalShutdownException
from rclpy.node import Node
from rclpy.qos import QoSProfile

from openral_core.detectors import LocateResult
from openral_msgs.srv import LocateInView
from openral_perception_ros.active_detector import ActiveDetector, LocateAnswer
from openral_perception_ros.locate.errors import DetectorFailed, LocateError, NotActive
from openral_perception_ros.locate.request import RequestValidator
from openral_perception_ros.publishers import make_header
from openral_ros.callback_guard import describe_error, guard_of
from openral_ros.conversions.detections import fill_locate_response
from openral_ros.executor import GuardedExecutor
from openral_ros.rclpy_internals import SendResponse, intercept_responses
from openral_ros.resources import ResourceScope
from openral_ros.service_guard import failure_responder, guard_service
from openral_ros.tracing import start_span

REQUESTS = QoSProfile(depth=256)
"""Kept until they are read; the usual ten would lose the eleventh of a burst without a word."""
Callback = Callable[[object, object], "Future[object]"]
CLOSING = 5.0


class DeferredServiceServer:
    """Services of a node on a thread of their own, under the names the node would give them.

    Before every callback an executor goes through all it waits for; a detector's node has more than thirty
    such things, this door its services alone. It is a hidden node, since rclpy divides executors by node.
    """

    def __init__(self, scope: ResourceScope, node: Node) -> None:
        self._owner = node
        self._node = rclpy.create_node(
            f"_{node.get_name()}_door",
            context=node.context,
            namespace=node.get_namespace(),
            use_global_arguments=False,
            start_parameter_services=False,
            enable_rosout=False,
        )
        self._executor = GuardedExecutor(context=node.context)
        self._executor.add_node(self._node)
        self._thread = Thread(target=self._spin, name=f"door of {node.get_name()}", daemon=True)
        scope.callback(self._close)

    def serve(self, service_type: type, name: str, callback: Callback) -> None:
        """Answer with what ``callback`` promises; it must return at once.

        The response is sent by the thread that keeps the promise. One that comes after the door was closed
        is dropped. A callback or a promise that breaks is answered with a typed failure.
        """
        resolved = self._owner.resolve_service_name(name)
        group = ReentrantCallbackGroup()
        service = self._node.create_service(
            service_type, resolved, callback, qos_profile=REQUESTS, callback_group=group
        )
        guard, source, failure = guard_of(self._owner), f"service {resolved}", failure_responder(service_type)
        guard_service(guard, source, service, failure)

        def deferred(send: SendResponse) -> SendResponse:
            def send_result(header: object, done: "Future[object]") -> None:
                error = done.exception()
                if error is not None:
                    guard.record(source, error)
                send(done.result() if error is None else failure(None, describe_error(error)), header)

            def send_when_done(response: "Future[object] | object", header: object) -> None:
                if isinstance(response, Future):
                    response.add_done_callback(partial(send_result, header))
                else:
                    send(response, header)

            return send_when_done

        intercept_responses(service, deferred)

    def open(self) -> None:
        """Begin to answer."""
        self._thread.start()

    def _spin(self) -> None:
        with suppress(ExternalShutdownException):
            self._executor.spin()

    def _close(self) -> None:
        self._executor.shutdown(timeout_sec=CLOSING)
        if self._thread.is_alive():
            self._thread.join(CLOSING)
        self._node.destroy_node()


def start_locate_span(request: LocateInView.Request) -> Span:
    """A span below the request's; never the current one, since requests overlap."""
    return start_span(
        "locate_in_view", request.traceparent, {"query": request.query, "camera": request.camera}
    )


def end_locate_span(span: Span, result: LocateResult) -> None:
    """What the request ended in."""
    span.set_attribute("status", result.status.name)
    span.end()


_log = logging.getLogger(__name__)


@dataclass(slots=True)
class LocateServiceHandler:
    """Any thread may call it; ``session`` gives the active one, ``query`` is what an empty one means.

    ``on_answer`` is told every answer on whichever thread has it.
    """

    rskill_id: str
    reception: RequestValidator
    session: Callable[[], ActiveDetector | None]
    on_answer: Callable[[LocateAnswer], None]
    query: str = ""

    def receive(
        self, request: LocateInView.Request, response: LocateInView.Response
    ) -> "Future[LocateInView.Response]":
        """Promise the response to a request."""
        promise: Future[LocateInView.Response] = Future()
        self._ask(request, partial(self._keep, promise, response, start_locate_span(request)))
        return promise

    def _ask(self, request: LocateInView.Request, on_done: Callable[[LocateAnswer], None]) -> None:
        query, camera = request.query or self.query, request.camera
        try:
            question = self.reception.question(query, camera, request.detector, request.deadline)
            session = self.session()
            if session is None:
                raise NotActive(self.rskill_id)
            session.desk.ask(question, time.monotonic(), on_done)
        except LocateError as refused:
            on_done(LocateAnswer(self.reception.refusal(query, camera, refused)))

    def _keep(
        self,
        promise: "Future[LocateInView.Response]",
        response: LocateInView.Response,
        span: Span,
        answer: LocateAnswer,
    ) -> None:
        end_locate_span(span, answer.result)
        try:
            filled = fill_locate_response(response, answer.result, make_header(answer.shot))
        except Exception:  # who asks is always answered, also when a model's words are no text
            _log.exception("an answer cannot be told")
            unsaid = DetectorFailed("the model's answer is no text")
            broken = self.reception.refusal("", answer.result.camera, unsaid)
            filled = fill_locate_response(LocateInView.Response(), broken, make_header(None))
        promise.set_result(filled)
        self.on_answer(answer)
