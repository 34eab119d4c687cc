"""The world_state node: integrates detections into spatial memory, and answers queries about the world.

Subscribes: <camera>/depth, <camera>/camera_info, tf, tf_static, and below openral/: perception/*/objects,
perception/*/info, skills, state_reports, prompt.
Publishes, below openral/: scene_graph (latched), world_state, world_state/objects, world_state/markers
(latched), failure/world_state; and /diagnostics.
Serves, below openral/: recall_object, resolve_place, observe, edit_memory, save_scene_graph; they answer
INACTIVE unless the node is active.
"""

from collections.abc import Callable
from dataclasses import replace
from functools import wraps
from inspect import iscoroutinefunction
from pathlib import Path
from typing import Any, Protocol

from openral_core.errors import OpenRALError
from openral_core.spatial_memory import (
    EditResult,
    EditStatus,
    ObserveResult,
    ObserveStatus,
    RecallResult,
    RecallStatus,
    ResolveResult,
    ResolveStatus,
)
from openral_msgs.srv import EditMemory, ObserveDetections, RecallObject, ResolvePlace, SaveSceneGraph
from openral_ros.callback_guard import FatalNodeError
from openral_ros.conversions.spatial_memory import (
    edit_from_request,
    fill_edit_response,
    fill_observe_response,
    fill_recall_response,
    fill_resolve_response,
    recall_query_from_request,
    resolve_query_from_request,
)
from openral_ros.failure_reporter import FailureReporter
from openral_ros.lifecycle_node import LifecycleNodeBase
from openral_ros.parameters import declare
from openral_ros.resources import ResourceScope
from openral_ros.run_node import run_process
from openral_ros.tracing import span, start_tracing
from openral_world_state.ros.active_world import ActiveWorld
from openral_world_state.ros.parameters import WorldStateParameters
from openral_world_state.scene_graph import path_to_save, write_graph

_INACTIVE = "world_state is not active"
MAX_ATTRIBUTE = 200
"""Length of a request's text in a span [characters]."""


class TracedRequest(Protocol):
    """A request that carries the caller's W3C trace context."""

    traceparent: str


Result = RecallResult | ResolveResult | ObserveResult | EditResult


def traced_service(
    name: str, attribute: str, inactive: Result, fill: Callable[..., object]
) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Decorate a method ``handle(self, active, request)``, which may be a coroutine, as a service callback.

    The callback records a span, returns ``inactive`` unless the node is active, and fills the response.

    Args:
        name: Of the span.
        attribute: Field of the request that the span records.
        inactive: Result while the node is not active.
        fill: Writes a result to the response and returns it.
    """

    def decorate(handle: Callable[..., Any]) -> Callable[..., Any]:
        if iscoroutinefunction(handle):

            @wraps(handle)
            async def answer_later(
                self: "WorldStateNode", request: TracedRequest, response: object
            ) -> object:
                with span(name, *_trace_of(request, attribute)) as opened:
                    active = self._active_world
                    result = inactive if active is None else await handle(self, active, request)
                    opened.set_attribute("status", result.status.name)
                    return fill(response, result)

            return answer_later

        @wraps(handle)
        def answer(self: "WorldStateNode", request: TracedRequest, response: object) -> object:
            with span(name, *_trace_of(request, attribute)) as opened:
                active = self._active_world
                result = inactive if active is None else handle(self, active, request)
                opened.set_attribute("status", result.status.name)
                return fill(response, result)

        return answer

    return decorate


def _trace_of(request: TracedRequest, attribute: str) -> tuple[str, dict[str, str]]:
    """Traceparent and span attributes of a request."""
    text: str = getattr(request, attribute)
    return request.traceparent, {attribute: text[:MAX_ATTRIBUTE]}


class WorldStateNode(LifecycleNodeBase):
    """Lifecycle node of the world model.

    Configured, it serves its interfaces and answers INACTIVE; active, it holds an `ActiveWorld`, which owns
    memory, subscriptions and publishers. Deactivation writes and closes memory.
    """

    def __init__(self, **options: object) -> None:
        super().__init__("world_state", **options)
        self._parameter_values: WorldStateParameters | None = None
        self._active_world: ActiveWorld | None = None

    def configure(self, scope: ResourceScope) -> None:
        """Declare parameters and create the services."""
        is_first = self._parameter_values is None
        self._parameter_values = declare(self, WorldStateParameters)
        if is_first:
            record = self._parameter_values.record
            start_tracing("world_state", Path(record) if record else None)
        self._failures = FailureReporter(scope, self, "openral/failure/world_state", "world_state")
        scope.service(RecallObject, "openral/recall_object", self._on_recall)
        scope.service(ResolvePlace, "openral/resolve_place", self._on_resolve)
        scope.service(ObserveDetections, "openral/observe", self._on_observe)
        scope.service(EditMemory, "openral/edit_memory", self._on_edit)
        scope.service(SaveSceneGraph, "openral/save_scene_graph", self._on_save)

    def activate(self, scope: ResourceScope) -> None:
        """Open memory and subscribe to the streams."""
        values = self._parameter_values or declare(self, WorldStateParameters)
        self._active_world = ActiveWorld(scope, self, values, self._failures)
        scope.callback(setattr, self, "_active_world", None)

    def on_fatal(self, reason: FatalNodeError) -> None:
        """Log a fatal error, and report it to the graph."""
        super().on_fatal(reason)
        self._failures.report_fatal(reason)

    @traced_service(
        "recall_object", "query", RecallResult(RecallStatus.INACTIVE, _INACTIVE), fill_recall_response
    )
    async def _on_recall(self, active: ActiveWorld, request: RecallObject.Request) -> RecallResult:
        now = float(self.get_clock().now().nanoseconds) * 1e-9
        return await active.recall(recall_query_from_request(request), now)

    @traced_service(
        "resolve_place", "reference", ResolveResult(ResolveStatus.INACTIVE, _INACTIVE), fill_resolve_response
    )
    def _on_resolve(self, active: ActiveWorld, request: ResolvePlace.Request) -> ResolveResult:
        query, robot = resolve_query_from_request(request), active.inputs.robot
        start = query.start or (robot.position if robot else None)
        return active.world.resolve(replace(query, start=start))

    @traced_service(
        "observe", "detector", ObserveResult(ObserveStatus.INACTIVE, _INACTIVE), fill_observe_response
    )
    def _on_observe(self, active: ActiveWorld, request: ObserveDetections.Request) -> ObserveResult:
        return active.observe(request.camera, request.detector, request.detections)

    @traced_service("edit_memory", "node_id", EditResult(EditStatus.INACTIVE, _INACTIVE), fill_edit_response)
    def _on_edit(self, active: ActiveWorld, request: EditMemory.Request) -> EditResult:
        return active.world.edit(edit_from_request(request))

    def _on_save(
        self, request: SaveSceneGraph.Request, response: SaveSceneGraph.Response
    ) -> SaveSceneGraph.Response:
        response.path = request.path
        values = self._parameter_values
        if self._active_world is None or values is None:
            response.message = _INACTIVE
            return response
        graph = self._active_world.world.graph()
        try:
            path = path_to_save(request.path, values.save_folder, values.spatial_memory_path)
            write_graph(graph, path)
        except (OSError, OpenRALError) as error:
            response.message = f"{type(error).__name__}: {error}"
            return response
        response.path = str(path)
        response.success, response.message = True, f"wrote {len(graph.nodes)} nodes"
        response.revision, response.nodes, response.edges = graph.revision, len(graph.nodes), len(graph.edges)
        return response


def main() -> None:
    """Run the node as a process."""
    run_process(WorldStateNode)
