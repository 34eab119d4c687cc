"""Clients of world state: recall_object, resolve_place, observe, the scene graph and the robot's pose."""

from rclpy.node import Node

from openral_core.errors import OpenRALError
from openral_core.geometry import Pose
from openral_core.spatial_memory import SceneGraph
from openral_msgs.msg import SceneGraph as SceneGraphMsg
from openral_msgs.msg import WorldState
from openral_msgs.srv import ObserveDetections, RecallObject, ResolvePlace
from openral_reasoner.commands import CallObserve, CallRecall, CallResolve, ReadScene
from openral_reasoner.events import CallFailed, Event, Observed, Recalled, Resolved, SceneRead
from openral_reasoner_ros.clients.base import BAD_ANSWERS, answered
from openral_reasoner_ros.clients.locate import LocateClient
from openral_reasoner_ros.dispatcher import Post
from openral_reasoner_ros.liveness import ServiceMonitor
from openral_reasoner_ros.topics import OBSERVE, RECALL, RESOLVE, SCENE_GRAPH, WORLD_STATE
from openral_reasoner_ros.tracing import Traces
from openral_ros.conversions.geometry import pose_from_message
from openral_ros.conversions.spatial_memory import (
    observe_result_from_response,
    recall_request,
    recall_result_from_response,
    resolve_request,
    resolve_result_from_response,
    scene_graph_from_message,
)
from openral_ros.qos import LATCHED, RELIABLE
from openral_ros.resources import ResourceScope
from openral_ros.service_client import AsyncServiceClient


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


class SceneClient:
    """Latest scene graph and robot pose; a graph is converted only when it is read."""

    def __init__(self, scope: ResourceScope, node: Node, post: Post) -> None:
        self._post, self._node = post, node
        self._message: SceneGraphMsg | None = None
        self._graph, self._last_error = SceneGraph(), ""
        self._robot: Pose | None = None
        scope.subscription(SceneGraphMsg, SCENE_GRAPH, self._on_graph, LATCHED)
        scope.subscription(WorldState, WORLD_STATE, self._on_state, RELIABLE)

    def read(self, command: ReadScene) -> None:
        """Post the latest graph."""
        self._post(SceneRead(call_id=command.call_id, graph=self.graph, robot=self._robot))

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

    def _on_graph(self, message: SceneGraphMsg) -> None:
        self._message = message

    def _on_state(self, message: WorldState) -> None:
        try:
            self._robot = pose_from_message(message.robot_pose) if message.robot_pose_known else None
        except OpenRALError as error:
            self._node.get_logger().warning(f"Ignoring an invalid robot pose: {error}")
