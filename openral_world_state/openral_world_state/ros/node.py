"""The world_state node: remembers what detectors see and answers where things are.

Subscribes: <camera>/depth, <camera>/camera_info, tf, tf_static, and below openral/: perception/*/objects,
perception/*/info, skills, openings, prompt.
Publishes, below openral/: scene_graph (latched), world_state, world_state/objects, world_state/markers
(latched), failure/world_state; and /diagnostics.
Serves, below openral/: recall_object, resolve_place, observe, edit_memory, save_scene_graph; while not active
they answer INACTIVE.
"""

from dataclasses import replace
from pathlib import Path

from openral_core.errors import OpenRALError
from openral_core.memory_queries import (
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
from openral_ros.conversions.memory_queries import (
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
from openral_ros.run_node import run
from openral_ros.tracing import span, start_tracing
from openral_world_state.ros.active_world import ActiveWorld
from openral_world_state.ros.parameters import WorldStateParameters
from openral_world_state.scene_graph.json_io import path_to_save, write_graph

_INACTIVE = "world_state is not active"


class WorldStateNode(LifecycleNodeBase):
    """See the module's docstring."""

    def __init__(self, **options: object) -> None:
        super().__init__("world_state", **options)
        self._told: WorldStateParameters | None = None
        self._session: ActiveWorld | None = None

    def configure(self, scope: ResourceScope) -> None:
        """Serve, if only to say that memory is not active yet."""
        first, self._told = self._told is None, declare(self, WorldStateParameters)
        if first:
            start_tracing("world_state", Path(self._told.record) if self._told.record else None)
        self._failures = FailureReporter(scope, self, "openral/failure/world_state", "world_state")
        scope.service(RecallObject, "openral/recall_object", self._on_recall)
        scope.service(ResolvePlace, "openral/resolve_place", self._on_resolve)
        scope.service(ObserveDetections, "openral/observe", self._on_observe)
        scope.service(EditMemory, "openral/edit_memory", self._on_edit)
        scope.service(SaveSceneGraph, "openral/save_scene_graph", self._on_save)

    def activate(self, scope: ResourceScope) -> None:
        """Open memory and listen."""
        told = self._told or declare(self, WorldStateParameters)
        self._session = ActiveWorld(scope, self, told, self._failures)
        scope.callback(setattr, self, "_session", None)

    def on_fatal(self, reason: FatalNodeError) -> None:
        """Others are told too."""
        super().on_fatal(reason)
        self._failures.report_fatal(reason)

    async def _on_recall(
        self, request: RecallObject.Request, response: RecallObject.Response
    ) -> RecallObject.Response:
        with span("recall_object", request.traceparent, {"query": request.query[:200]}) as opened:
            result = RecallResult(RecallStatus.INACTIVE, _INACTIVE)
            if self._session is not None:
                result = await self._session.recall(recall_query_from_request(request), self._now())
            opened.set_attribute("status", result.status.name)
            return fill_recall_response(response, result)

    def _on_resolve(
        self, request: ResolvePlace.Request, response: ResolvePlace.Response
    ) -> ResolvePlace.Response:
        with span("resolve_place", request.traceparent, {"reference": request.reference[:200]}) as opened:
            result = ResolveResult(ResolveStatus.INACTIVE, _INACTIVE)
            if self._session is not None:
                query = resolve_query_from_request(request)
                robot = self._session.robot
                start = query.start or (robot.position if robot else None)
                result = self._session.world.resolve(replace(query, start=start))
            opened.set_attribute("status", result.status.name)
            return fill_resolve_response(response, result)

    def _on_observe(
        self, request: ObserveDetections.Request, response: ObserveDetections.Response
    ) -> ObserveDetections.Response:
        with span("observe", request.traceparent, {"detector": request.detector[:200]}) as opened:
            result = ObserveResult(ObserveStatus.INACTIVE, _INACTIVE)
            if self._session is not None:
                result = self._session.observe(request.camera, request.detector, request.detections)
            opened.set_attribute("status", result.status.name)
            return fill_observe_response(response, result)

    def _on_edit(self, request: EditMemory.Request, response: EditMemory.Response) -> EditMemory.Response:
        with span("edit_memory", request.traceparent, {"node_id": request.node_id[:200]}) as opened:
            result = EditResult(EditStatus.INACTIVE, _INACTIVE)
            if self._session is not None:
                result = self._session.world.edit(edit_from_request(request))
            opened.set_attribute("status", result.status.name)
            return fill_edit_response(response, result)

    def _on_save(
        self, request: SaveSceneGraph.Request, response: SaveSceneGraph.Response
    ) -> SaveSceneGraph.Response:
        response.path = request.path
        if self._session is None or self._told is None:
            response.message = _INACTIVE
            return response
        graph = self._session.world.graph()
        try:
            path = path_to_save(request.path, self._told.save_folder, self._told.spatial_memory_path)
            write_graph(graph, path)
        except (OSError, OpenRALError) as error:
            response.message = f"{type(error).__name__}: {error}"
            return response
        response.path = str(path)
        response.success, response.message = True, f"wrote {len(graph.nodes)} nodes"
        response.revision, response.nodes, response.edges = graph.revision, len(graph.nodes), len(graph.edges)
        return response

    def _now(self) -> float:
        return float(self.get_clock().now().nanoseconds) * 1e-9


def main() -> int:
    """Run the node as a process."""
    return run(WorldStateNode)
