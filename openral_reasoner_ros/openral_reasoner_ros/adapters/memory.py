"""recall_object, resolve_place and observe: questions to world state."""

from rclpy.node import Node

from openral_msgs.srv import ObserveDetections, RecallObject, ResolvePlace
from openral_reasoner.exchanges.commands import CallObserve, CallRecall, CallResolve
from openral_reasoner.exchanges.events import CallFailed, Event, Observed, Recalled, Resolved
from openral_reasoner_ros.adapters.answers import answered
from openral_reasoner_ros.adapters.locate import LocateAdapter
from openral_reasoner_ros.carrier import Post
from openral_reasoner_ros.names import OBSERVE, RECALL, RESOLVE
from openral_reasoner_ros.servers import Server
from openral_reasoner_ros.traces import Traces
from openral_ros.calls import ServiceCaller
from openral_ros.conversions.queries import (
    observe_result_from_response,
    recall_request,
    recall_result_from_response,
    resolve_request,
    resolve_result_from_response,
)
from openral_ros.scopes import Scope


class MemoryAdapter:
    """Asks world state; ``deadline`` [s] of every call, ``timeout`` [s] of silence after which it is gone."""

    def __init__(
        self,
        scope: Scope,
        node: Node,
        post: Post,
        traces: Traces,
        looks: LocateAdapter,
        deadline: float,
        timeout: float,
    ) -> None:
        self._recall = ServiceCaller[RecallObject.Response](scope, node, RecallObject, RECALL)
        self._resolve = ServiceCaller[ResolvePlace.Response](scope, node, ResolvePlace, RESOLVE)
        self._observe = ServiceCaller[ObserveDetections.Response](scope, node, ObserveDetections, OBSERVE)
        self._post, self._traces, self._looks, self._deadline = post, traces, looks, deadline
        self._server = Server(scope, node, RECALL, timeout)

    @property
    def alive(self) -> bool:
        """Whether memory is active and answers."""
        return self._recall.ready and self._server.serves

    def poll(self) -> None:
        """Ask whether it lives."""
        self._server.poll()

    def recall(self, command: CallRecall) -> None:
        """Ask what memory knows."""
        request = recall_request(command.query, self._traces.traceparent(command.call_id))

        def convert(response: RecallObject.Response) -> Event:
            return Recalled(call_id=command.call_id, result=recall_result_from_response(response))

        self._recall.call(request, self._deadline, answered(command.call_id, convert, self._post))

    def resolve(self, command: CallResolve) -> None:
        """Ask where something is."""
        request = resolve_request(command.query, self._traces.traceparent(command.call_id))

        def convert(response: ResolvePlace.Response) -> Event:
            return Resolved(call_id=command.call_id, result=resolve_result_from_response(response))

        self._resolve.call(request, self._deadline, answered(command.call_id, convert, self._post))

    def observe(self, command: CallObserve) -> None:
        """Have memory take in what a look found."""
        boxes = self._looks.taken(command.located)
        if boxes is None:
            self._post(
                CallFailed(call_id=command.call_id, condition="BAD_ANSWER", message="no boxes to take in")
            )
            return
        request = ObserveDetections.Request(
            detections=boxes,
            camera=command.camera,
            detector=command.detector,
            traceparent=self._traces.traceparent(command.call_id),
        )

        def convert(response: ObserveDetections.Response) -> Event:
            return Observed(call_id=command.call_id, result=observe_result_from_response(response))

        self._observe.call(request, self._deadline, answered(command.call_id, convert, self._post))
