"""The ``locate_in_view`` service: deferred responses on a thread of their own, one trace span per request."""

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

from openral_core.detectors import Detection, LocateResult
from openral_msgs.srv import LocateInView
from openral_perception_ros.active_detector import ActiveDetector
from openral_perception_ros.camera_images import ImageSet
from openral_perception_ros.locate_errors import DetectorError, LocateError, NotActive
from openral_perception_ros.locate_request import RequestValidator
from openral_perception_ros.publishers import make_header
from openral_perception_ros.scheduler import RequestOutcome
from openral_ros.callback_guard import describe_error, failure_responder, guard_of, guard_service
from openral_ros.conversions.detections import fill_locate_response
from openral_ros.executor import GuardedExecutor
from openral_ros.rclpy_internals import SendResponse, intercept_responses
from openral_ros.resources import ResourceScope
from openral_ros.tracing import start_span

_log = logging.getLogger(__name__)
REQUEST_QOS = QoSProfile(depth=256)
"""Requests of a burst are kept until read; the default depth of 10 silently drops the eleventh."""
Callback = Callable[[object, object], "Future[object]"]
SHUTDOWN_TIMEOUT = 5.0
"""Longest wait for a running callback when the server closes [s]."""


class DeferredServiceServer:
    """Services of a node, served by a hidden node on a thread of its own under the node's names.

    An executor polls all its entities before every callback; a detector node has more than thirty, the hidden
    node only its services. rclpy assigns executors per node, hence a second node.
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
        self._thread = Thread(target=self._spin, name=f"services of {node.get_name()}", daemon=True)
        scope.callback(self._close)

    def add_service(self, service_type: type, name: str, callback: Callback) -> None:
        """Add a service whose ``callback`` returns immediately, with a response or a future of one.

        The thread that completes the future sends the response; after closing it is dropped. If the callback
        or its future raises, a typed failure is sent.
        """
        resolved = self._owner.resolve_service_name(name)
        group = ReentrantCallbackGroup()
        service = self._node.create_service(
            service_type, resolved, callback, qos_profile=REQUEST_QOS, callback_group=group
        )
        guard, source, failure = guard_of(self._owner), f"service {resolved}", failure_responder(service_type)
        guard_service(guard, source, service, failure)

        def deferred(send: SendResponse) -> SendResponse:
            def send_result(header: object, future: "Future[object]") -> None:
                error = future.exception()
                if error is not None:
                    guard.record(source, error)
                send(future.result() if error is None else failure(None, describe_error(error)), header)

            def send_when_done(response: "Future[object] | object", header: object) -> None:
                if isinstance(response, Future):
                    response.add_done_callback(partial(send_result, header))
                else:
                    send(response, header)

            return send_when_done

        intercept_responses(service, deferred)

    def start(self) -> None:
        """Start serving."""
        self._thread.start()

    def _spin(self) -> None:
        with suppress(ExternalShutdownException):
            self._executor.spin()

    def _close(self) -> None:
        self._executor.shutdown(timeout_sec=SHUTDOWN_TIMEOUT)
        if self._thread.is_alive():
            self._thread.join(SHUTDOWN_TIMEOUT)
        self._node.destroy_node()


@dataclass(slots=True)
class LocateServiceHandler:
    """Handle ``locate_in_view`` requests, on any thread.

    ``active_detector`` returns the active detector or None; ``query`` replaces an empty query.
    ``on_detections`` is called with every image set that was searched, on the thread that completes the
    request.
    """

    rskill_id: str
    validator: RequestValidator
    active_detector: Callable[[], ActiveDetector | None]
    on_detections: Callable[[ImageSet, tuple[Detection, ...]], None]
    query: str = ""

    def handle(
        self, request: LocateInView.Request, response: LocateInView.Response
    ) -> "Future[LocateInView.Response]":
        """Return a future of the response."""
        future: Future[LocateInView.Response] = Future()
        words = {"query": request.query, "camera": request.camera}
        # A child of the request's span and never the current one, since requests overlap.
        span = start_span("locate_in_view", request.traceparent, words)
        respond = partial(self._respond, future, response, span)
        query, camera = request.query or self.query, request.camera
        try:
            locate_query = self.validator.parse(query, camera, request.detector, request.deadline)
            active_detector = self.active_detector()
            if active_detector is None:
                raise NotActive(self.rskill_id)
        except LocateError as error:
            respond(self.validator.build_error(query, camera, error))
            return future

        def complete(outcome: RequestOutcome) -> None:
            if isinstance(outcome, LocateError):
                respond(self.validator.build_error(query, locate_query.camera, outcome))
            else:
                image_set = outcome.image_set
                age = active_detector.age(image_set)
                respond(self.validator.build_response(locate_query, outcome, age), image_set)

        active_detector.locate(locate_query, time.monotonic(), complete)
        return future

    def _respond(
        self,
        future: "Future[LocateInView.Response]",
        response: LocateInView.Response,
        span: Span,
        result: LocateResult,
        image_set: ImageSet | None = None,
    ) -> None:
        span.set_attribute("status", result.status.name)
        span.end()
        try:
            filled = fill_locate_response(response, result, make_header(image_set))
        except Exception:  # a label that is no valid text must not leave the caller without a response
            _log.exception("the locate_in_view response could not be built")
            unsaid = DetectorError("the model returned a label that is not valid text")
            broken = self.validator.build_error("", result.camera, unsaid)
            filled = fill_locate_response(LocateInView.Response(), broken, make_header(None))
        future.set_result(filled)
        if image_set is not None:
            self.on_detections(image_set, result.detections)
