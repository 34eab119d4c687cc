"""Memory, locator and skill server of a symbolic home as one node, on real DDS."""

from rclpy.action import ActionServer, CancelResponse
from rclpy.action.server import ServerGoalHandle
from rclpy.context import Context
from rclpy.node import Node
from rclpy.task import Future
from std_msgs.msg import Header

from openral_core.detectors import DetectorInfo
from openral_core.skills import Verb
from openral_msgs.action import ExecuteRskill
from openral_msgs.msg import DetectorInfo as DetectorInfoMsg
from openral_msgs.msg import SceneGraph as SceneGraphMsg
from openral_msgs.msg import SkillCatalogue
from openral_msgs.srv import LocateInView, ObserveDetections, RecallObject, ResolvePlace
from openral_reasoner.commands import CallLocate, CallObserve, SendSkill
from openral_ros.conversions.detections import detector_info_message, fill_locate_response
from openral_ros.conversions.skills import fill_skill_result, skill_goal_from_message
from openral_ros.conversions.spatial_memory import (
    fill_observe_response,
    fill_recall_response,
    fill_resolve_response,
    recall_query_from_request,
    resolve_query_from_request,
    scene_graph_message,
)
from openral_ros.qos import LATCHED
from openral_testing.reasoner.fake_peers import HomePeers
from openral_testing.reasoner.symbolic_home import SymbolicHome

ANNOUNCED = 0.5
"""Time between two announcements [s], as the heartbeat of a detector."""


class FakeGraph(Node):
    """World state, one locator and a skill server; each can fall silent or be taken away."""

    def __init__(self, context: Context, home: SymbolicHome, locator: DetectorInfo) -> None:
        super().__init__("fake_graph", context=context)
        self.home, self.peers, self._locator = home, HomePeers(home), locator
        self.namespace_of_locator = f"/openral/perception/{locator.name.slug}"
        self.goals: list[str] = []
        self.traceparents: list[str] = []
        self.held: Future | None = None
        self.held_goal: ServerGoalHandle | None = None
        self.hold_skills = False
        self.executed: list[str] = []
        self.cancelled = 0
        self.create_service(RecallObject, "/openral/recall_object", self._recall)
        self.create_service(ResolvePlace, "/openral/resolve_place", self._resolve)
        self.create_service(ObserveDetections, "/openral/observe", self._observe)
        self._locate_service = self.create_service(
            LocateInView, f"{self.namespace_of_locator}/locate_in_view", self._locate
        )
        self._info = self.create_publisher(DetectorInfoMsg, f"{self.namespace_of_locator}/info", LATCHED)
        self.announce_locator()
        self._scene = self.create_publisher(SceneGraphMsg, "/openral/scene_graph", LATCHED)
        self._skills = self.create_publisher(SkillCatalogue, "/openral/skills", LATCHED)
        self._announce()
        self.create_timer(ANNOUNCED, self._announce)
        self._server = ActionServer(
            self,
            ExecuteRskill,
            "/openral/execute_rskill",
            self._execute,
            cancel_callback=lambda _: CancelResponse.ACCEPT,
        )

    def destroy_node(self) -> None:
        """Also give the action server back, which rclpy leaves alone."""
        self._server.destroy()
        super().destroy_node()

    def announce_locator(self) -> None:
        """As the heartbeat of a real one does."""
        self._info.publish(detector_info_message(self._locator))

    def _announce(self) -> None:
        """Again and again, as the real ones do: a latched message may be lost while nodes find each other."""
        self._scene.publish(scene_graph_message(self.home.graph(), 1.0))
        self._skills.publish(SkillCatalogue(verbs=[verb.value for verb in Verb]))

    @property
    def cancel_asked(self) -> bool:
        """True once a running skill is asked to stop."""
        return any(handle.is_cancel_requested for handle in self._server._goal_handles.values())

    def remove_locator(self) -> None:
        """As when its node dies."""
        self.destroy_service(self._locate_service)
        self.destroy_publisher(self._info)

    def _recall(
        self, request: RecallObject.Request, response: RecallObject.Response
    ) -> RecallObject.Response:
        self.traceparents.append(request.traceparent)
        return fill_recall_response(response, self.peers.recall(recall_query_from_request(request)))

    def _resolve(
        self, request: ResolvePlace.Request, response: ResolvePlace.Response
    ) -> ResolvePlace.Response:
        return fill_resolve_response(response, self.peers.resolve(resolve_query_from_request(request)))

    def _locate(
        self, request: LocateInView.Request, response: LocateInView.Response
    ) -> LocateInView.Response:
        self.traceparents.append(request.traceparent)
        call = f"look-{len(self.peers.looks)}"
        command = CallLocate(
            call_id=call, query=request.query, camera=request.camera, detector=request.detector, deadline=1.0
        )
        return fill_locate_response(response, self.peers.locate(command), Header(frame_id=call))

    def _observe(
        self, request: ObserveDetections.Request, response: ObserveDetections.Response
    ) -> ObserveDetections.Response:
        located = request.detections.header.frame_id
        command = CallObserve(call_id="x", located=located, camera=request.camera, detector=request.detector)
        return fill_observe_response(response, self.peers.observe(command))

    async def _execute(self, handle: ServerGoalHandle) -> ExecuteRskill.Result:
        self.goals.append(handle.request.rskill_id)
        self.executed.append(bytes(handle.goal_id.uuid).hex())
        if self.hold_skills:
            self.held, self.held_goal = Future(executor=self.executor), handle
            await self.held
        if handle.is_cancel_requested:
            self.cancelled += 1
            handle.canceled()
            return ExecuteRskill.Result(status=ExecuteRskill.Result.CANCELLED)
        goal = SendSkill(call_id="x", goal=skill_goal_from_message(handle.request))
        result = self.peers.send_skill(goal)
        handle.succeed()
        return fill_skill_result(ExecuteRskill.Result(), result)
