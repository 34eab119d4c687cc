"""Client of locate_in_view; keeps the returned boxes so that memory can integrate them."""

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

DEADLINE_MARGIN = 0.5
"""Wait beyond the detector's own deadline, so that its typed answer arrives [s]."""
MAX_KEPT_RESPONSES = 16
"""Responses whose boxes are kept; `observe` follows its `locate_in_view` at once."""


class LocateClient:
    """Client of the locate_in_view services of all detectors."""

    def __init__(self, detectors: DetectorRegistry, post: Post, traces: Traces) -> None:
        self._detectors, self._post, self._traces = detectors, post, traces
        self._boxes: OrderedDict[str, Detection2DArray] = OrderedDict()

    def locate(self, command: CallLocate) -> None:
        """Request a detection from the detector that the command names."""
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
            self._boxes[command.call_id] = response.detections
            while len(self._boxes) > MAX_KEPT_RESPONSES:
                self._boxes.popitem(last=False)
            return Located(call_id=command.call_id, result=result)

        deadline = command.deadline + DEADLINE_MARGIN
        caller.call(request, deadline, answered(command.call_id, convert, self._post))

    def detections_of(self, call_id: str) -> Detection2DArray | None:
        """Return the boxes that a call returned, if they are still kept."""
        return self._boxes.get(call_id)
