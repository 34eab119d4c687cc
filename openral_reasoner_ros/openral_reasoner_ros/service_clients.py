"""Clients of memory, detectors and lifecycle peers: requests out, responses in as events."""

from collections import OrderedDict
from collections.abc import Callable

from lifecycle_msgs.msg import Transition
from lifecycle_msgs.srv import ChangeState
from rclpy.node import Node
from std_msgs.msg import String
from vision_msgs.msg import Detection2DArray

from openral_core.detectors import UnplacedDetection
from openral_core.errors import OpenRALError
from openral_core.geometry import Pose
from openral_core.spatial_memory import SceneGraph
from openral_msgs.msg import SceneGraph as SceneGraphMsg
from openral_msgs.msg import WorldState
from openral_msgs.srv import EditMemory, LocateInView, ObserveDetections, RecallObject, ResolvePlace
from openral_reasoner.commands import CallEdit, CallLocate, CallObserve, CallRecall, CallResolve, ReadScene
from openral_reasoner.commands import ChangeState as ChangeStateCommand
from openral_reasoner.events import (
    CallFailed,
    Edited,
    Event,
    Located,
    Observed,
    Recalled,
    Resolved,
    SceneRead,
    StateChanged,
)
from openral_reasoner_ros.detector_registry import DetectorRegistry
from openral_reasoner_ros.dispatcher import Post
from openral_reasoner_ros.liveness import ServiceMonitor
from openral_reasoner_ros.telemetry import Traces
from openral_reasoner_ros.topics import (
    EDIT,
    IN_VIEW,
    LOOK_FIRST,
    OBSERVE,
    RECALL,
    RESOLVE,
    SCENE_GRAPH,
    WORLD_STATE,
)
from openral_ros.conversions.detections import locate_result_from_response, unplaced_from_message
from openral_ros.conversions.geometry import pose_from_message
from openral_ros.conversions.spatial_memory import (
    edit_request,
    edit_result_from_response,
    observe_result_from_response,
    recall_request,
    recall_result_from_response,
    resolve_request,
    resolve_result_from_response,
    scene_graph_from_message,
)
from openral_ros.qos import LATCHED, RELIABLE
from openral_ros.resources import ResourceScope
from openral_ros.service_client import AsyncServiceClient, CallError, ServiceTimedOut, ServiceUnavailable


def call_failed(call_id: str, error: Exception) -> CallFailed:
    """Return the event of a call to an unreachable, crashed or misbehaving peer."""
    if isinstance(error, ServiceUnavailable):
        condition = "UNAVAILABLE"
    elif isinstance(error, ServiceTimedOut):
        condition = "TIMEOUT"
    elif isinstance(error, CallError):
        condition = "BROKEN_OFF"
    else:
        condition = "BAD_ANSWER"
    return CallFailed(call_id=call_id, condition=condition, message=str(error))


BAD_ANSWERS = (OpenRALError, ArithmeticError, AttributeError, LookupError, TypeError, ValueError)
"""Exceptions that the conversion of an invalid message can raise."""


def answered(call_id: str, convert: Callable[..., Event], post: Post) -> Callable[[object], None]:
    """Return a callback that posts the converted response, or the reason why there is none."""

    def on_done(outcome: object) -> None:
        if isinstance(outcome, CallError):
            post(call_failed(call_id, outcome))
            return
        try:
            event = convert(outcome)
        except BAD_ANSWERS as error:
            event = call_failed(call_id, error)
        post(event)

    return on_done


DEADLINE_MARGIN = 0.5
"""Wait beyond the detector's own deadline, so that its typed answer arrives [s]."""
MAX_KEPT_RESPONSES = 16
"""Responses whose boxes are kept; `observe` follows its `locate_in_view` at once."""


class LocateClient:
    """Client of the locate_in_view services of all detectors.

    Tells continuous detectors through which camera the mission looks, so that they look through it first.
    """

    def __init__(self, scope: ResourceScope, detectors: DetectorRegistry, post: Post, traces: Traces) -> None:
        self._detectors, self._post, self._traces = detectors, post, traces
        self._look_first = scope.publisher(String, LOOK_FIRST, RELIABLE)
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
            self._look_first.publish(String(data=result.camera))
            self._boxes[command.call_id] = response.detections
            while len(self._boxes) > MAX_KEPT_RESPONSES:
                self._boxes.popitem(last=False)
            return Located(call_id=command.call_id, result=result)

        deadline = command.deadline + DEADLINE_MARGIN
        caller.call(request, deadline, answered(command.call_id, convert, self._post))

    def detections_of(self, call_id: str) -> Detection2DArray | None:
        """Return the boxes that a call returned, if they are still kept."""
        return self._boxes.get(call_id)


class MemoryClient:
    """Client of the memory services.

    Args:
        scope: Owner of the service clients.
        node: The reasoner's node.
        post: Receives the events.
        traces: Provides the traceparent of a request.
        locate: Holds the boxes that `observe` passes on.
        deadline: Of every call [s].
        timeout: Silence after which memory counts as unavailable [s].
    """

    def __init__(
        self,
        scope: ResourceScope,
        node: Node,
        post: Post,
        traces: Traces,
        locate: LocateClient,
        deadline: float,
        timeout: float,
    ) -> None:
        self._recall = AsyncServiceClient[RecallObject.Response](scope, node, RecallObject, RECALL)
        self._resolve = AsyncServiceClient[ResolvePlace.Response](scope, node, ResolvePlace, RESOLVE)
        self._edit = AsyncServiceClient[EditMemory.Response](scope, node, EditMemory, EDIT)
        self._observe = AsyncServiceClient[ObserveDetections.Response](
            scope, node, ObserveDetections, OBSERVE
        )
        self._post, self._traces, self._locate, self._deadline = post, traces, locate, deadline
        self._server = ServiceMonitor(scope, node, RECALL, timeout)

    @property
    def alive(self) -> bool:
        """True while memory is active and answers."""
        return self._recall.ready and self._server.available

    def poll(self) -> None:
        """Probe the server."""
        self._server.poll()

    def recall(self, command: CallRecall) -> None:
        """Request what memory knows of an object."""
        request = recall_request(command.query, self._traces.traceparent(command.call_id))

        def convert(response: RecallObject.Response) -> Event:
            return Recalled(call_id=command.call_id, result=recall_result_from_response(response))

        self._recall.call(request, self._deadline, answered(command.call_id, convert, self._post))

    def resolve(self, command: CallResolve) -> None:
        """Request the pose of a place, room, person or object."""
        request = resolve_request(command.query, self._traces.traceparent(command.call_id))

        def convert(response: ResolvePlace.Response) -> Event:
            return Resolved(call_id=command.call_id, result=resolve_result_from_response(response))

        self._resolve.call(request, self._deadline, answered(command.call_id, convert, self._post))

    def observe(self, command: CallObserve) -> None:
        """Have memory integrate the boxes of a locate_in_view call."""
        boxes = self._locate.detections_of(command.located)
        if boxes is None:
            message = "the boxes of that detection are no longer kept"
            self._post(CallFailed(call_id=command.call_id, condition="BAD_ANSWER", message=message))
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

    def edit(self, command: CallEdit) -> None:
        """Have memory note what is known of an object."""
        request = edit_request(command.edit, self._traces.traceparent(command.call_id))

        def convert(response: EditMemory.Response) -> Event:
            return Edited(call_id=command.call_id, result=edit_result_from_response(response))

        self._edit.call(request, self._deadline, answered(command.call_id, convert, self._post))


class SceneClient:
    """Latest scene graph and robot pose; a graph is converted only when it is read."""

    def __init__(self, scope: ResourceScope, node: Node, post: Post) -> None:
        self._post, self._node = post, node
        self._message: SceneGraphMsg | None = None
        self._graph, self._last_error = SceneGraph(), ""
        self._robot: Pose | None = None
        self._in_view = Detection2DArray()
        scope.subscription(SceneGraphMsg, SCENE_GRAPH, self._on_graph, LATCHED)
        scope.subscription(Detection2DArray, IN_VIEW, self._on_in_view, RELIABLE)
        scope.subscription(WorldState, WORLD_STATE, self._on_state, RELIABLE)

    def read(self, command: ReadScene) -> None:
        """Post the latest graph."""
        self._post(
            SceneRead(
                call_id=command.call_id,
                graph=self.graph,
                robot=self._robot,
                now=self._now,
                in_view=self.in_view,
            )
        )

    @property
    def _now(self) -> float:
        return self._node.get_clock().now().nanoseconds / 1e9

    @property
    def in_view(self) -> tuple[UnplacedDetection, ...]:
        """Detections of current images that have no place in the map."""
        return tuple(unplaced_from_message(self._in_view, self._now))

    @property
    def graph(self) -> SceneGraph:
        """Latest valid graph."""
        message, self._message = self._message, None
        if message is not None:
            try:
                self._graph = scene_graph_from_message(message)
            except BAD_ANSWERS as error:
                if str(error) != self._last_error:
                    self._node.get_logger().warning(f"Ignoring an invalid scene graph: {error}")
                self._last_error = str(error)
        return self._graph

    def _on_in_view(self, message: Detection2DArray) -> None:
        self._in_view = message

    def _on_graph(self, message: SceneGraphMsg) -> None:
        self._message = message

    def _on_state(self, message: WorldState) -> None:
        try:
            self._robot = pose_from_message(message.robot_pose) if message.robot_pose_known else None
        except OpenRALError as error:
            self._node.get_logger().warning(f"Ignoring an invalid robot pose: {error}")


_IDS = {"activate": Transition.TRANSITION_ACTIVATE, "deactivate": Transition.TRANSITION_DEACTIVATE}


class LifecycleClient:
    """Client of the change_state services of lifecycle peers, by peer id."""

    def __init__(self, scope: ResourceScope, node: Node, post: Post, deadline: float) -> None:
        self._scope, self._node, self._post, self._deadline = scope, node, post, deadline
        self._callers: dict[str, AsyncServiceClient[ChangeState.Response]] = {}

    def register(self, peer: str, node_name: str) -> bool:
        """Create the client of a peer on first use; return True if its service is ready."""
        if peer not in self._callers:
            service = f"{node_name}/change_state"
            self._callers[peer] = AsyncServiceClient[ChangeState.Response](
                self._scope, self._node, ChangeState, service
            )
        return self._callers[peer].ready

    def change(self, command: ChangeStateCommand) -> None:
        """Request one transition."""
        caller = self._callers.get(command.peer)
        if caller is None:
            message = f"{command.peer} is not a lifecycle peer"
            self._post(CallFailed(call_id=command.call_id, condition="UNAVAILABLE", message=message))
            return
        request = ChangeState.Request(transition=Transition(id=_IDS[command.transition]))

        def convert(response: ChangeState.Response) -> Event:
            message = "done" if response.success else f"{command.peer} rejected the transition"
            return StateChanged(call_id=command.call_id, success=bool(response.success), message=message)

        caller.call(request, self._deadline, answered(command.call_id, convert, self._post))
