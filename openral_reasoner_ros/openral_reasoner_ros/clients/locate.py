"""locate_in_view: a look by one detector node; its boxes are kept for memory to take in."""

from collections import OrderedDict

from vision_msgs.msg import Detection2DArray

from openral_msgs.srv import LocateInView
from openral_reasoner.commands import CallLocate
from openral_reasoner.events import CallFailed, Event, Located
from openral_reasoner_ros.clients.base import answered
from openral_reasoner_ros.detector_registry import DetectorRegistry
from openral_reasoner_ros.dispatcher import Post
from openral_reasoner_ros.tracing import Traces
from openral_ros.conversions.detections import locate_result_from_response

SLACK = 0.5
"""Beyond the detector's own deadline, so that its typed answer arrives [s]."""
KEPT = 16
"""Looks whose boxes are held."""


class LocateClient:
    """Asks the detector that a command names."""

    def __init__(self, detectors: DetectorRegistry, post: Post, traces: Traces) -> None:
        self._detectors, self._post, self._traces = detectors, post, traces
        self._boxes: OrderedDict[str, Detection2DArray] = OrderedDict()

    def locate(self, command: CallLocate) -> None:
        """Have a detector look."""
        caller = self._detectors.caller(command.detector)
        if caller is None:
            message = f"detector {command.detector} is not in the graph"
            self._post(CallFailed(call_id=command.call_id, condition="UNAVAILABLE", message=message))
            return
        request = LocateInView.Request(
            query=command.query,
            camera=command.camera,
            detector=command.detector,
            deadline=command.deadline,
            traceparent=self._traces.traceparent(command.call_id),
        )

        def convert(response: LocateInView.Response) -> Event:
            result = locate_result_from_response(response, command.query)
            self._keep(command.call_id, response.detections)
            return Located(call_id=command.call_id, result=result)

        caller.call(request, command.deadline + SLACK, answered(command.call_id, convert, self._post))

    def taken(self, call_id: str) -> Detection2DArray | None:
        """The boxes of that look, as they came."""
        return self._boxes.get(call_id)

    def _keep(self, call_id: str, boxes: Detection2DArray) -> None:
        self._boxes[call_id] = boxes
        while len(self._boxes) > KEPT:
            self._boxes.popitem(last=False)
