"""The real node on real DDS: from boxes and depth images to answers."""

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from openral_core.detections import Box, Detection

rclpy = pytest.importorskip("rclpy")
from builtin_interfaces.msg import Time
from geometry_msgs.msg import TransformStamped
from rclpy.lifecycle import TransitionCallbackReturn
from rclpy.node import Node
from rclpy.parameter import Parameter
from rclpy.qos import DurabilityPolicy, QoSProfile
from sensor_msgs.msg import CameraInfo, Image
from std_msgs.msg import Header
from tf2_msgs.msg import TFMessage
from vision_msgs.msg import Detection2DArray

from openral_core.geometry import Pose
from openral_core.queries import EditOperation, MemoryEdit
from openral_core.scene_graph import NodeKind
from openral_msgs.msg import DetectorInfo, PromptStamped, SceneGraph, SkillCatalogue
from openral_msgs.srv import EditMemory, ObserveDetections, RecallObject, ResolvePlace, SaveSceneGraph
from openral_ros.conversions.detections import detections_message
from openral_ros.conversions.geometry import transform_message
from openral_ros.conversions.images import image_message
from openral_ros.conversions.times import stamp_of
from openral_ros.qos import LATCHED, RELIABLE, SENSOR
from openral_world_state.ros.live_memory import EditRefused, NoLiveMemory, live_edit, live_graph
from openral_world_state.ros.node import WorldStateNode
from openral_world_state.synthetics import Block, Cylinder, Plane, Shot, looking, shoot

MAP = Path(__file__).parents[3] / "scenes" / "maps" / "home.yaml"
FRAME = "head_camera_optical_frame"
LABELS = {"baguette": "bread", "left": "mug", "right": "mug"}
SpinUntil = Callable[..., None]


def kitchen(stamp: float = 10.0) -> Shot:
    bodies = {
        "baguette": Block((2.3, 4.15, 0.93), (0.5, 0.06, 0.06), 0.2),
        "left": Cylinder((1.6, 4.1, 0.95), 0.04, 0.1, hollow=True),
        "right": Cylinder((1.75, 4.1, 0.95), 0.04, 0.1, hollow=True),
        "_counter": Block((2.0, 4.19, 0.45), (2.6, 0.6, 0.9)),
        "_wall": Plane((0.0, 1.0, 0.0), 4.5),
        "_floor": Plane((0.0, 0.0, 1.0), 0.0),
    }
    return shoot(bodies, looking((2.0, 3.05, 1.35), (2.0, 4.2, 0.9)), stamp=stamp)


class Robot(Node):
    """Camera, transforms, detector and the caller of the services."""

    def __init__(self, context: Any) -> None:
        super().__init__("robot", context=context)
        static = QoSProfile(depth=10, durability=DurabilityPolicy.TRANSIENT_LOCAL)
        self.tf = self.create_publisher(TFMessage, "tf_static", static)
        self.depth = self.create_publisher(Image, "head/depth", SENSOR)
        self.info = self.create_publisher(CameraInfo, "head/camera_info", SENSOR)
        self.objects = self.create_publisher(
            Detection2DArray, "openral/perception/sim_groundtruth/objects", RELIABLE
        )
        self.skills = self.create_publisher(SkillCatalogue, "openral/skills", LATCHED)
        self.told = self.create_publisher(DetectorInfo, "openral/perception/sim_groundtruth/info", LATCHED)
        self.told.publish(DetectorInfo(id="sim-groundtruth", slug="sim_groundtruth", labels=["bread", "mug"]))
        self.prompts = self.create_publisher(PromptStamped, "openral/prompt", RELIABLE)
        self.graphs: list[SceneGraph] = []
        self.create_subscription(SceneGraph, "openral/scene_graph", self.graphs.append, LATCHED)

    def show(self, shot: Shot) -> None:
        view = shot.view
        self._place(view.T_map_camera)
        info = CameraInfo(width=view.intrinsics.width, height=view.intrinsics.height)
        info.k = view.intrinsics.K.ravel().tolist()
        info.header = self.header(view.stamp)
        self.info.publish(info)
        self.depth.publish(image_message(view.depth, "32FC1", view.stamp, FRAME))

    def _place(self, T: np.ndarray) -> None:
        camera = TransformStamped(child_frame_id=FRAME, transform=transform_message(Pose.from_matrix(T)))
        base = TransformStamped(
            child_frame_id="base_link", transform=transform_message(Pose.planar(2.0, 3.0, 1.57))
        )
        for each in (camera, base):
            each.header.frame_id = "map"
        self.tf.publish(TFMessage(transforms=[camera, base]))

    def header(self, stamp: float) -> Header:
        return Header(frame_id=FRAME, stamp=stamp_of(stamp))

    def seen(self, shot: Shot, labels: dict[str, str]) -> Detection2DArray:
        found = [Detection(shot.boxes[name], label, 0.9) for name, label in labels.items()]
        return detections_message(found, self.header(shot.view.stamp))


class Graph:
    """The node under test and the robot around it, with calls that end."""

    def __init__(self, context: Any, spin_until: SpinUntil, parameters: Sequence[Parameter]) -> None:
        self.node = WorldStateNode(context=context, parameter_overrides=list(parameters))
        self.robot = Robot(context)
        self._spin_until = spin_until

    def until(self, condition: Callable[[], bool], timeout: float = 10.0) -> None:
        self._spin_until([self.node, self.robot], condition, timeout)

    def call(self, kind: type, name: str, request: Any) -> Any:
        client = self.robot.create_client(kind, f"openral/{name}")
        self.until(client.service_is_ready)
        future = client.call_async(request)
        self.until(future.done)
        self.robot.destroy_client(client)
        return future.result()

    def activate(self) -> None:
        self.node.trigger_configure()
        self.node.trigger_activate()
        self.until(lambda: self.robot.depth.get_subscription_count() > 0)
        self.until(lambda: self.robot.objects.get_subscription_count() > 0)

    def look(self, shot: Shot, labels: dict[str, str]) -> None:
        """Show a scene and wait until memory has it."""
        before = self.objects()
        self.robot.show(shot)
        self.robot.objects.publish(self.robot.seen(shot, labels))
        self.until(lambda: self.objects() > before)

    def objects(self) -> int:
        return sum(node.observation_count for node in self.robot.graphs[-1].nodes) if self.robot.graphs else 0

    def recall(self, query: str) -> RecallObject.Response:
        return self.call(RecallObject, "recall_object", RecallObject.Request(query=query))

    def close(self) -> None:
        self.node.close()
        self.node.destroy_node()
        self.robot.destroy_node()


@pytest.fixture
def make_graph(ros_context: Any, spin_until: SpinUntil) -> Iterator[Callable[..., Graph]]:
    made: list[Graph] = []

    def make(**parameters: object) -> Graph:
        values = {"map": str(MAP), "cameras": ["head"], "publish_rate": 20.0, **parameters}
        made.append(
            Graph(ros_context, spin_until, [Parameter(name, value=value) for name, value in values.items()])
        )
        return made[-1]

    yield make
    for graph in made:
        graph.close()


def test_tells_the_story_of_the_baguette(make_graph: Callable[..., Graph]) -> None:
    graph, shot = make_graph(), kitchen()
    graph.activate()
    graph.look(shot, LABELS)

    miss = graph.recall("baguette")
    assert miss.status == RecallObject.Response.NOT_IN_MEMORY
    assert not miss.matches
    assert (miss.near_misses[0].label, miss.near_misses[0].place) == ("bread", "kitchen_counter")

    asked = graph.robot.seen(shot, {"baguette": "baguette"})
    request = ObserveDetections.Request(detections=asked, camera="head", detector="sim-groundtruth-locator")
    seen = graph.call(ObserveDetections, "observe", request)
    assert seen.status == ObserveDetections.Response.REMEMBERED

    found = graph.recall("baguette")
    assert found.status == RecallObject.Response.FOUND
    match = found.matches[0]
    assert match.node_id == miss.near_misses[0].node_id
    assert np.allclose(
        (match.pose.position.x, match.pose.position.y, match.pose.position.z), (2.3, 4.15, 0.93), atol=0.02
    )
    assert match.viewpoint_known
    assert match.viewpoint.position.y < 3.6

    mugs = graph.recall("the mug")
    assert mugs.status == RecallObject.Response.AMBIGUOUS
    assert [each.label for each in mugs.matches] == ["mug", "mug"]


def test_resolves_the_requester_from_where_the_robot_stands(make_graph: Callable[..., Graph]) -> None:
    graph = make_graph()
    graph.activate()
    graph.look(kitchen(), LABELS)
    answer = graph.call(ResolvePlace, "resolve_place", ResolvePlace.Request(reference="me"))
    assert answer.status == ResolvePlace.Response.FOUND
    assert (answer.kind, answer.node_id) == ("agent", "requester")
    assert answer.path_length > 3.0


def test_answers_inactive_before_it_is_active(make_graph: Callable[..., Graph]) -> None:
    graph = make_graph()
    graph.node.trigger_configure()
    assert graph.recall("mug").status == RecallObject.Response.INACTIVE


def test_hostile_boxes_are_refused_and_the_node_lives(make_graph: Callable[..., Graph]) -> None:
    graph, shot = make_graph(), kitchen()
    graph.activate()
    graph.look(shot, LABELS)
    message = graph.robot.seen(shot, LABELS)
    message.detections[0].bbox.size_x = float("nan")
    message.detections[1].results[0].hypothesis.class_id = "x" * 10_000
    message.detections[2].bbox.center.position.x = 1e6
    graph.robot.objects.publish(message)
    wrong = Detection2DArray(header=Header(frame_id="nowhere", stamp=Time(sec=10)))
    graph.robot.objects.publish(wrong)
    refused = graph.node._session._intake.refused
    graph.until(
        lambda: {"InvalidDetection", "UnreadableText", "OutsideImage", "UnknownCamera"} <= set(refused)
    )
    assert graph.recall("bread").status == RecallObject.Response.FOUND


@pytest.mark.parametrize(
    ("camera", "stamp", "status", "words"),
    [
        ("tail", 10.0, ObserveDetections.Response.UNKNOWN_CAMERA, "known are 'head'"),
        ("head", 99.0, ObserveDetections.Response.NO_FRAME, "no depth image of camera 'head' at 99.000 s"),
    ],
)
def test_says_why_nothing_could_be_observed(
    make_graph: Callable[..., Graph], camera: str, stamp: float, status: int, words: str
) -> None:
    graph, shot = make_graph(), kitchen()
    graph.activate()
    graph.look(shot, LABELS)
    seen = detections_message([Detection(Box(1, 1, 9, 9), "mug", 0.5)], graph.robot.header(stamp))
    answer = graph.call(
        ObserveDetections, "observe", ObserveDetections.Request(detections=seen, camera=camera)
    )
    assert answer.status == status
    assert words in answer.message


def test_memory_outlives_the_node(make_graph: Callable[..., Graph], tmp_path: Path) -> None:
    path = str(tmp_path / "memory.sqlite")
    first = make_graph(spatial_memory_path=path)
    first.activate()
    first.look(kitchen(), LABELS)
    first.close()
    second = make_graph(spatial_memory_path=path)
    second.activate()
    assert second.recall("bread").status == RecallObject.Response.FOUND


def test_what_the_gripper_holds_goes_with_it(make_graph: Callable[..., Graph]) -> None:
    graph = make_graph(gripper_frame="base_link")
    graph.activate()
    graph.look(kitchen(), LABELS)
    node = graph.recall("bread").matches[0].node_id
    graph.node._session.world.memory.get(node).pose = Pose((2.0, 3.2, 0.9))
    graph.robot.skills.publish(SkillCatalogue(holding="bread"))
    graph.until(lambda: graph.node._session.world.carrying.held == node)
    graph.robot.skills.publish(SkillCatalogue())
    graph.until(lambda: not graph.node._session.world.carrying.held)
    assert np.allclose(graph.node._session.world.memory.get(node).pose.position, (2.0, 3.0, 0.0))


def test_writes_the_graph_as_json(make_graph: Callable[..., Graph], tmp_path: Path) -> None:
    graph = make_graph()
    graph.activate()
    graph.look(kitchen(), LABELS)
    path = tmp_path / "graph.json"
    answer = graph.call(SaveSceneGraph, "save_scene_graph", SaveSceneGraph.Request(path=str(path)))
    assert answer.success
    again = make_graph(map="", spatial_memory_path=str(path))
    again.node.trigger_configure()
    again.node.trigger_activate()
    assert len(again.node._session.world.memory) == 3


def test_an_operator_puts_memory_right_while_the_node_runs(make_graph: Callable[..., Graph]) -> None:
    graph = make_graph()
    graph.activate()
    graph.look(kitchen(), LABELS)
    name = graph.recall("bread").matches[0].node_id
    for request, status in (
        (EditMemory.Request(operation=EditMemory.Request.RENAME, node_id=name, label="baguette"), "EDITED"),
        (EditMemory.Request(operation=EditMemory.Request.FORGET, node_id="bred_99"), "UNKNOWN_OBJECT"),
        (EditMemory.Request(operation=77, node_id=name), "BAD_OPERATION"),
    ):
        answer = graph.call(EditMemory, "edit_memory", request)
        assert answer.status == getattr(EditMemory.Response, status), answer.message
        assert (name in answer.known) == (status == "UNKNOWN_OBJECT")
    assert graph.recall("baguette").status == RecallObject.Response.FOUND


def test_edits_are_refused_while_inactive(make_graph: Callable[..., Graph]) -> None:
    graph = make_graph()
    graph.node.trigger_configure()
    answer = graph.call(EditMemory, "edit_memory", EditMemory.Request(node_id="mug_1"))
    assert answer.status == EditMemory.Response.INACTIVE


def test_the_command_line_speaks_to_the_running_node(make_graph: Callable[..., Graph]) -> None:
    graph = make_graph()
    graph.activate()
    graph.look(kitchen(), LABELS)
    name = graph.recall("bread").matches[0].node_id
    with ThreadPoolExecutor(1) as aside:

        def meanwhile(call: Callable[..., Any], *arguments: object) -> Any:
            future = aside.submit(call, *arguments)
            graph.until(future.done, 20.0)
            return future.result()

        told = meanwhile(live_graph, "/")
        assert name in {node.id for node in told.of_kind(NodeKind.OBJECT)}
        moved = MemoryEdit(EditOperation.MOVE, name, position=(2.0, 4.2, 0.95))
        assert meanwhile(live_edit, "/", moved) == f"{name} is at 2.00, 4.20, 0.95 m"
        with pytest.raises(EditRefused, match="UNKNOWN_OBJECT: memory has no object 'unicorn_1'"):
            meanwhile(live_edit, "/", MemoryEdit(EditOperation.FORGET, "unicorn_1"))
    assert graph.recall("bread").matches[0].pose.position.y == 4.2


def test_without_a_node_the_live_command_says_where_it_looked(ros_domain: int) -> None:
    with pytest.raises(NoLiveMemory, match="nothing on /robot_7/openral/edit_memory"):
        live_edit("/robot_7", MemoryEdit(EditOperation.FORGET, "mug_1"), patience=0.2)


def test_remembers_where_the_operator_stood_at_the_prompt(make_graph: Callable[..., Graph]) -> None:
    graph = make_graph()
    graph.activate()
    graph.look(kitchen(), LABELS)
    graph.until(lambda: graph.robot.prompts.get_subscription_count() > 0)
    standing = graph.node._session.world.standing
    words = {"requester": "visitor", "text": "bring me the mug"}
    graph.robot.prompts.publish(
        PromptStamped(header=Header(frame_id="reasoner"), requester="nobody", text="?")
    )
    graph.robot.prompts.publish(PromptStamped(header=Header(frame_id="operator"), **words))
    graph.until(lambda: standing.of("visitor") is not None)
    assert standing.of("nobody") is None
    request = ResolvePlace.Request(reference="where I was standing", requester="visitor")
    answer = graph.call(ResolvePlace, "resolve_place", request)
    assert answer.status == ResolvePlace.Response.FOUND
    assert np.allclose((answer.goal_pose.position.x, answer.goal_pose.position.y), (2.0, 3.0), atol=1e-6)


def test_lives_through_stamps_from_the_future_and_a_clock_that_jumps_back(
    make_graph: Callable[..., Graph],
) -> None:
    graph = make_graph(patience=0.1)
    graph.activate()
    graph.look(kitchen(100.0), LABELS)
    for stamp in (0.0, 2e9, 99.0):
        seen = detections_message([Detection(Box(1, 1, 9, 9), "mug", 0.5)], graph.robot.header(stamp))
        graph.robot.objects.publish(seen)
    refused = graph.node._session._intake.refused
    graph.until(lambda: refused["NoFrame"] == 3)
    graph.look(kitchen(1.0), LABELS)
    assert len(graph.node._session._cameras[0]._images) == 1
    assert len(graph.node._session.world.memory) == 3
    assert graph.recall("bread").status == RecallObject.Response.FOUND


def test_a_miss_names_what_is_near_in_meaning_and_outlives_the_model(
    make_graph: Callable[..., Graph], toy_model: Path
) -> None:
    graph = make_graph(embeddings=str(toy_model))
    graph.activate()
    graph.look(kitchen(), {"baguette": "zorb", "left": "mug"})
    meanings = graph.node._session._meanings
    graph.until(lambda: len(meanings._meanings) == 2 and not meanings._is_learning)
    miss = graph.recall("red gribble")
    assert miss.status == RecallObject.Response.NOT_IN_MEMORY
    assert [each.label for each in miss.near_misses] == ["zorb"]
    meanings._embedder.close()
    assert not graph.recall("satchel").near_misses
    assert "gave no vectors" in meanings.failure
    assert graph.recall("mug").status == RecallObject.Response.FOUND


def test_an_embedding_model_that_is_not_there_refuses_activation(make_graph: Callable[..., Graph]) -> None:
    graph = make_graph(embeddings="nowhere")
    graph.node.trigger_configure()
    assert graph.node.trigger_activate() == TransitionCallbackReturn.FAILURE
