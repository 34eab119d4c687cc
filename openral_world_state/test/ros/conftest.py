"""The real node on real DDS, with the robot around it."""

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from types import MappingProxyType
from typing import Any

import numpy as np
import pytest

from openral_core.detectors import Detection

rclpy = pytest.importorskip("rclpy")
from geometry_msgs.msg import TransformStamped
from rclpy.node import Node
from rclpy.parameter import Parameter
from rclpy.qos import DurabilityPolicy, QoSProfile
from sensor_msgs.msg import CameraInfo, Image
from std_msgs.msg import Header
from tf2_msgs.msg import TFMessage
from vision_msgs.msg import Detection2DArray

from openral_core.geometry import Pose
from openral_msgs.msg import DetectorInfo, PromptStamped, SceneGraph, SkillCatalogue, StateReport
from openral_msgs.srv import RecallObject
from openral_ros.conversions.detections import detections_message
from openral_ros.conversions.geometry import transform_message
from openral_ros.conversions.images import image_message
from openral_ros.conversions.stamps import stamp_of
from openral_ros.qos import LATCHED, RELIABLE, SENSOR
from openral_testing.synthetic_depth import (
    Block,
    Cylinder,
    Plane,
    SyntheticDepthImage,
    look_at_pose,
    render_depth,
)
from openral_world_state.ros.node import WorldStateNode

MAP = Path(__file__).parents[3] / "scenes" / "maps" / "home.yaml"
FRAME = "head_camera_optical_frame"
STANDS = Pose.planar(2.0, 3.0, 1.57)
LABELS: Mapping[str, str] = MappingProxyType({"baguette": "bread", "left": "mug", "right": "mug"})
SpinUntil = Callable[..., None]


def kitchen(stamp: float = 10.0, without: Sequence[str] = ()) -> SyntheticDepthImage:
    bodies = {
        "baguette": Block((2.3, 4.15, 0.93), (0.5, 0.06, 0.06), 0.2),
        "left": Cylinder((1.6, 4.1, 0.95), 0.04, 0.1, hollow=True),
        "right": Cylinder((1.75, 4.1, 0.95), 0.04, 0.1, hollow=True),
        "_counter": Block((2.0, 4.19, 0.45), (2.6, 0.6, 0.9)),
        "_wall": Plane((0.0, 1.0, 0.0), 4.5),
        "_floor": Plane((0.0, 0.0, 1.0), 0.0),
    }
    bodies = {name: body for name, body in bodies.items() if name not in without}
    return render_depth(bodies, look_at_pose((2.0, 3.05, 1.35), (2.0, 4.2, 0.9)), stamp=stamp)


IMAGES = (0.02, 0.01, 0.0)
"""Images that confirm an object, by their time before the last [s]."""


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
        self.states = self.create_publisher(StateReport, "openral/state_reports", RELIABLE)
        self.prompts = self.create_publisher(PromptStamped, "openral/prompt", RELIABLE)
        self.graphs: list[SceneGraph] = []
        self.create_subscription(SceneGraph, "openral/scene_graph", self.graphs.append, LATCHED)

    def show(self, shot: SyntheticDepthImage) -> None:
        view = shot.view
        self._place(view.T_map_camera)
        info = CameraInfo(width=view.intrinsics.width, height=view.intrinsics.height)
        info.k = view.intrinsics.K.ravel().tolist()
        info.header = self.header(view.stamp)
        self.info.publish(info)
        self.depth.publish(image_message(view.depth, "32FC1", view.stamp, FRAME))

    def _place(self, T: np.ndarray, stands: Pose = STANDS) -> None:
        camera = TransformStamped(child_frame_id=FRAME, transform=transform_message(Pose.from_matrix(T)))
        base = TransformStamped(child_frame_id="base_link", transform=transform_message(stands))
        for item in (camera, base):
            item.header.frame_id = "map"
        self.tf.publish(TFMessage(transforms=[camera, base]))

    def header(self, stamp: float) -> Header:
        return Header(frame_id=FRAME, stamp=stamp_of(stamp))

    def seen(self, shot: SyntheticDepthImage, labels: Mapping[str, str]) -> Detection2DArray:
        found = [Detection(shot.boxes[name], label, 0.9) for name, label in labels.items()]
        return detections_message(found, self.header(shot.view.stamp))


class Graph:
    """The node under test and the robot around it, with calls that end."""

    kitchen = staticmethod(kitchen)
    labels, images = LABELS, len(IMAGES)

    def __init__(self, context: Any, spin_until: SpinUntil, parameters: Sequence[Parameter]) -> None:
        self.node = WorldStateNode(context=context, parameter_overrides=list(parameters))
        self.robot = Robot(context)
        self._spin_until = spin_until

    def until(self, condition: Callable[[], bool], timeout: float = 30.0) -> None:
        self._spin_until([self.node, self.robot], condition, timeout)

    def spin(self, seconds: float) -> None:
        end = time.monotonic() + seconds
        self.until(lambda: time.monotonic() > end, 2.0 * seconds + 1.0)

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

    def look(self, shot: SyntheticDepthImage, labels: Mapping[str, str] = LABELS) -> None:
        """Show a scene in as many images as confirm an object, and wait until memory has them."""
        for earlier in IMAGES:
            image = replace(shot, view=replace(shot.view, stamp=shot.view.stamp - earlier))
            before = self.objects()
            self.robot.show(image)
            self.robot.objects.publish(self.robot.seen(image, labels))
            self.until(lambda count=before: self.objects() > count)

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
