"""A graph of small fake peers around a symbolic home, on real DDS."""

from collections.abc import Callable, Iterator
from itertools import count
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("rclpy")
from rclpy.action import ActionServer, CancelResponse
from rclpy.node import Node
from rclpy.parameter import Parameter
from rclpy.task import Future
from std_msgs.msg import Header, String

from openral_core.skills import Verb
from openral_msgs.action import ExecuteRskill
from openral_msgs.msg import DetectorInfo as DetectorInfoMsg
from openral_msgs.msg import Handoff, MissionStatus, PromptReceipt, PromptStamped, SkillCatalogue
from openral_msgs.msg import SceneGraph as SceneGraphMsg
from openral_msgs.srv import LocateInView, ObserveDetections, RecallObject, ResolvePlace
from openral_reasoner.commands import CallLocate, CallObserve, SendSkill
from openral_reasoner_ros.node import ReasonerNode
from openral_reasoner_testing.fake_peers import HomePeers
from openral_reasoner_testing.symbolic_home import HomeObject, HomePlace, SymbolicHome
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
from openral_ros.qos import LATCHED, RELIABLE
from openral_testing.detector_info import make_locator_info

RSKILLS = Path(__file__).parents[2] / "rskills"
DOORS = """kind: skill
id: {id}
verb: {verb}
description: {verb} for the test.
parameters:
  - {{name: target, type: pose, description: "in map"}}
deadline: 20.0
"""
LOCATOR = "/openral/perception/sim_groundtruth_locator"
LOCATOR_INFO = make_locator_info(
    "sim-groundtruth-locator", "sim-locator", memory_declared=80.0, latency=0.02, is_default=True
)
ANNOUNCED = 0.5


def small_home() -> SymbolicHome:
    """Two surfaces, a baguette that memory calls bread, a mug, and a person."""
    places = [
        HomePlace("counter_1", "kitchen counter", "kitchen", 2.0, 0.0),
        HomePlace("table_1", "dining table", "kitchen", 6.0, 0.0),
    ]
    objects = [
        HomeObject("bread_1", "baguette", "table_1", "bread", ("baguette",)),
        HomeObject("mug_1", "red mug", "counter_1", "mug"),
    ]
    return SymbolicHome(
        places={p.id: p for p in places},
        objects={o.id: o for o in objects},
        rooms={"kitchen": "kitchen"},
        agents={"ana": HomePlace("ana", "Ana", "kitchen", 9.0, -2.0)},
    )


def wine_home() -> SymbolicHome:
    """The wine is known to be in the closed fridge; the glass, in the closed cabinet, was never seen."""
    home = small_home()
    home.places["fridge_1"] = HomePlace("fridge_1", "fridge", "kitchen", 2.0, 4.0, occludes=True)
    home.places["cabinet_1"] = HomePlace("cabinet_1", "cabinet", "kitchen", 4.0, 4.0, occludes=True)
    home.objects["wine_1"] = HomeObject("wine_1", "wine bottle", "fridge_1", "wine", synonyms=("wine",))
    home.objects["glass_1"] = HomeObject("glass_1", "wine glass", "cabinet_1")
    return home


class FakeGraph(Node):
    """World state, one locator and a skill server; each can fall silent or be taken away."""

    def __init__(self, context: Any, home: SymbolicHome) -> None:
        super().__init__("fake_graph", context=context)
        self.home, self.peers = home, HomePeers(home)
        self.traceparents: list[str] = []
        self.held: Future | None = None
        self.hold_skills = False
        self.cancelled = 0
        self.create_service(RecallObject, "/openral/recall_object", self._recall)
        self.create_service(ResolvePlace, "/openral/resolve_place", self._resolve)
        self.create_service(ObserveDetections, "/openral/observe", self._observe)
        self._locate_service = self.create_service(LocateInView, f"{LOCATOR}/locate_in_view", self._locate)
        self._info = self.create_publisher(DetectorInfoMsg, f"{LOCATOR}/info", LATCHED)
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
        self._info.publish(detector_info_message(LOCATOR_INFO))

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

    def _recall(self, request: Any, response: Any) -> Any:
        self.traceparents.append(request.traceparent)
        return fill_recall_response(response, self.peers.recall(recall_query_from_request(request)))

    def _resolve(self, request: Any, response: Any) -> Any:
        return fill_resolve_response(response, self.peers.resolve(resolve_query_from_request(request)))

    def _locate(self, request: Any, response: Any) -> Any:
        self.traceparents.append(request.traceparent)
        call = f"look-{len(self.peers.looks)}"
        command = CallLocate(
            call_id=call, query=request.query, camera=request.camera, detector=request.detector, deadline=1.0
        )
        return fill_locate_response(response, self.peers.locate(command), Header(frame_id=call))

    def _observe(self, request: Any, response: Any) -> Any:
        located = request.detections.header.frame_id
        command = CallObserve(call_id="x", located=located, camera=request.camera, detector=request.detector)
        return fill_observe_response(response, self.peers.observe(command))

    async def _execute(self, handle: Any) -> Any:
        if self.hold_skills:
            self.held = Future(executor=self.executor)
            await self.held
        if handle.is_cancel_requested:
            self.cancelled += 1
            handle.canceled()
            return ExecuteRskill.Result(status=ExecuteRskill.Result.CANCELLED)
        goal = SendSkill(call_id="x", goal=skill_goal_from_message(handle.request))
        result = self.peers.send_skill(goal)
        handle.succeed()
        return fill_skill_result(ExecuteRskill.Result(), result)


class Operator(Node):
    """Speaks to the reasoner and reads what it says."""

    def __init__(self, context: Any) -> None:
        super().__init__("operator", context=context)
        self.statuses: list[Any] = []
        self.palettes: list[str] = []
        self.handoffs: list[Any] = []
        self.replies: list[str] = []
        self.receipts: list[Any] = []
        self._count = count(1)
        self.create_subscription(PromptStamped, "/openral/prompt", self._on_prompt, RELIABLE)
        self.create_subscription(MissionStatus, "/openral/mission", self.statuses.append, RELIABLE)
        self.create_subscription(String, "/openral/palette", lambda m: self.palettes.append(m.data), LATCHED)
        self.create_subscription(Handoff, "/openral/handoff", self.handoffs.append, LATCHED)
        self.create_subscription(PromptReceipt, "/openral/prompt_receipt", self.receipts.append, RELIABLE)
        self._prompts = self.create_publisher(PromptStamped, "/openral/prompt", RELIABLE)

    def _on_prompt(self, message: Any) -> None:
        if message.header.frame_id == "reasoner":
            self.replies.append(message.text)

    @property
    def heard(self) -> bool:
        return self._prompts.get_subscription_count() > 1

    def say(self, text: str, source: str = "operator", **fields: str) -> None:
        named = {"id": f"prompt-{next(self._count)}", "text": text, **fields}
        self._prompts.publish(PromptStamped(header=Header(frame_id=source), **named))

    @property
    def ended(self) -> bool:
        return bool(self.statuses) and self.statuses[-1].state >= MissionStatus.STATE_SUCCEEDED


def missing_skills(folder: Path) -> list[str]:
    """A folder with manifests for verbs that the repository has no skill for."""
    for verb in (Verb.OPEN, Verb.CLOSE, Verb.POUR):
        name = verb.value.lower()
        if not (RSKILLS / name).exists():
            (folder / name).mkdir(parents=True)
            (folder / name / "rskill.yaml").write_text(DOORS.format(id=name, verb=verb.value))
    return [str(folder)] if folder.exists() else []


@pytest.fixture
def home(request: pytest.FixtureRequest) -> SymbolicHome:
    return wine_home() if getattr(request, "param", "") == "wine" else small_home()


@pytest.fixture
def graph(ros_context: Any, home: SymbolicHome) -> Iterator[FakeGraph]:
    node = FakeGraph(ros_context, home)
    yield node
    node.destroy_node()


@pytest.fixture
def operator(ros_context: Any) -> Iterator[Operator]:
    node = Operator(ros_context)
    yield node
    node.destroy_node()


@pytest.fixture
def make_reasoner(ros_context: Any, tmp_path: Path) -> Iterator[Callable[..., ReasonerNode]]:
    folders = [str(RSKILLS), *missing_skills(tmp_path / "rskills")]
    made: list[ReasonerNode] = []

    def make(**parameters: Any) -> ReasonerNode:
        values = {"rskill_folders": folders, "requester": "ana", "poll_period": 0.1, **parameters}
        overrides = [Parameter(name, value=value) for name, value in values.items()]
        node = ReasonerNode(context=ros_context, parameter_overrides=overrides)
        made.append(node)
        node.trigger_configure()
        node.trigger_activate()
        return node

    yield make
    for node in made:
        node.close()
        node.destroy_node()
