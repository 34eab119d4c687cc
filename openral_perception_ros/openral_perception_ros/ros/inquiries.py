"""Requests of `locate_in_view`, from receipt to response."""

import logging
import time
from collections.abc import Callable
from concurrent.futures import Future
from dataclasses import dataclass
from functools import partial

from opentelemetry.trace import Span

from openral_msgs.srv import LocateInView
from openral_perception_ros.looks import DetectorFailed, LookRefused, NotActive
from openral_perception_ros.looks.desk import Answer
from openral_perception_ros.looks.reception import Reception
from openral_perception_ros.ros.announcements import header_of
from openral_perception_ros.ros.look_spans import end_look, look_span
from openral_perception_ros.ros.session import Session
from openral_ros.conversions.detectors import fill_locate_response

_log = logging.getLogger(__name__)


@dataclass(slots=True)
class Inquiries:
    """Any thread may call it; ``session`` gives the active one, ``query`` is what an empty one means.

    ``on_answer`` is told every answer on whichever thread has it.
    """

    rskill_id: str
    reception: Reception
    session: Callable[[], Session | None]
    on_answer: Callable[[Answer], None]
    query: str = ""

    def receive(
        self, request: LocateInView.Request, response: LocateInView.Response
    ) -> "Future[LocateInView.Response]":
        """Promise the response to a request."""
        promise: Future[LocateInView.Response] = Future()
        self._ask(request, partial(self._keep, promise, response, look_span(request)))
        return promise

    def _ask(self, request: LocateInView.Request, on_done: Callable[[Answer], None]) -> None:
        query, camera = request.query or self.query, request.camera
        try:
            question = self.reception.question(query, camera, request.detector, request.deadline)
            session = self.session()
            if session is None:
                raise NotActive(self.rskill_id)
            session.desk.ask(question, time.monotonic(), on_done)
        except LookRefused as refused:
            on_done(Answer(self.reception.refusal(query, camera, refused)))

    def _keep(
        self,
        promise: "Future[LocateInView.Response]",
        response: LocateInView.Response,
        span: Span,
        answer: Answer,
    ) -> None:
        end_look(span, answer.result)
        try:
            filled = fill_locate_response(response, answer.result, header_of(answer.shot))
        except Exception:  # who asks is always answered, also when a model's words are no text
            _log.exception("an answer cannot be told")
            unsaid = DetectorFailed("the model's answer is no text")
            broken = self.reception.refusal("", answer.result.camera, unsaid)
            filled = fill_locate_response(LocateInView.Response(), broken, header_of(None))
        promise.set_result(filled)
        self.on_answer(answer)
