"""A recording of a camera that looks at a mug on a table, as the recorder or as a foreign robot writes it."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from geometry_msgs.msg import TransformStamped
from rclpy.serialization import serialize_message
from rosbags.rosbag2 import StoragePlugin, Writer
from rosbags.typesys import Stores, get_typestore
from sensor_msgs.msg import CameraInfo, Image
from std_msgs.msg import Header
from tf2_msgs.msg import TFMessage

from openral_core.detectors import Box, Detection
from openral_core.geometry import Pose
from openral_core.spatial_memory import NodeKind, SceneGraph, SceneNode
from openral_msgs.msg import DetectorInfo
from openral_recorder.ros.topic_recorder import compressed
from openral_recorder.schemas import ros_schema
from openral_recorder.writer import McapRecording, RecordingLimits
from openral_ros.conversions.detections import detections_message
from openral_ros.conversions.geometry import transform_message
from openral_ros.conversions.images import image_message
from openral_ros.conversions.spatial_memory import scene_graph_message
from openral_ros.conversions.stamps import stamp_of

WIDTH, HEIGHT, FOCAL = 160, 120, 100.0
OPTICAL = "optical"
# The optical frame's z along the map's x, its y down: the camera looks along x from a height of 1 m.
LOOKS_ALONG_X = Pose((0.0, 0.0, 1.0), (0.5, -0.5, 0.5, -0.5))
DEPTH = 2.0
MUG_BOX = Box(90.0, 50.0, 110.0, 70.0)
MUG_AT = (DEPTH, -(100.0 - (WIDTH - 1) / 2) / FOCAL * DEPTH, 1.0)
"""Centre of the box, 2 m before the camera: y to the left."""
STAMPS = tuple(100.0 + 0.5 * step for step in range(8))
Message = tuple[str, Any, float]


def depth_image(stamp: float) -> Image:
    """A wall at 2.5 m, and the mug before it."""
    metres = np.full((HEIGHT, WIDTH), 2.5, np.float32)
    metres[int(MUG_BOX.y_min) : int(MUG_BOX.y_max), int(MUG_BOX.x_min) : int(MUG_BOX.x_max)] = DEPTH
    return image_message(metres, "32FC1", stamp, OPTICAL)


def colour_image(stamp: float) -> Image:
    """Noise: nothing in a test reads it but a model whose boxes are constant."""
    pixels = np.random.default_rng(int(stamp * 10)).integers(0, 256, (HEIGHT, WIDTH, 3), np.uint8)
    return image_message(pixels, "rgb8", stamp, OPTICAL)


def camera_info() -> CameraInfo:
    K = [FOCAL, 0.0, (WIDTH - 1) / 2, 0.0, FOCAL, (HEIGHT - 1) / 2, 0.0, 0.0, 1.0]
    info = CameraInfo(width=WIDTH, height=HEIGHT, k=K, distortion_model="plumb_bob", d=[0.0] * 5)
    info.header.frame_id = OPTICAL
    return info


def mount() -> TFMessage:
    static = TransformStamped(child_frame_id=OPTICAL, transform=transform_message(LOOKS_ALONG_X))
    static.header.frame_id = "map"
    return TFMessage(transforms=[static])


def mug(x: float = MUG_AT[0]) -> SceneNode:
    position = (x, *MUG_AT[1:])
    return SceneNode("o1", NodeKind.OBJECT, "mug", Pose(position), first_seen=101.0, last_seen=103.0)


def streams(camera: str = "head") -> list[Message]:
    """(topic, message, time) of the camera alone."""
    found: list[Message] = [("/tf_static", mount(), 100.0)]
    for stamp in STAMPS:
        found += [
            (f"/{camera}/camera_info", camera_info(), stamp),
            (f"/{camera}/image_raw", colour_image(stamp), stamp),
            (f"/{camera}/depth", depth_image(stamp), stamp + 0.01),
        ]
    return found


def add_slashes(message: Any, where: str) -> None:
    """Write frames as drivers of ROS 1's time do."""
    for each in message.transforms if isinstance(message, TFMessage) and "tf" in where else ():
        each.header.frame_id, each.child_frame_id = f"/{each.header.frame_id}", f"/{each.child_frame_id}"
    if "headers" in where and hasattr(message, "header"):
        message.header.frame_id = f"/{message.header.frame_id}"


@pytest.fixture
def record(tmp_path: Path) -> Callable[..., Path]:
    """A run whose last scene graph has some nodes; returns its folder.

    `record(*nodes, extra=(), slashes="", without="-")`: with further messages, without topics that begin so,
    and with a slash before the frames of "tf", "headers" or both.
    """

    def make(
        *nodes: SceneNode, extra: tuple[Message, ...] = (), slashes: str = "", without: str = "-"
    ) -> Path:
        folder = tmp_path / "run"
        recording = McapRecording(folder / "run.mcap", RecordingLimits(min_free=0))
        boxes = [Detection(MUG_BOX, "mug", 0.9)]
        messages = [
            ("/openral/perception/eye/info", DetectorInfo(id="eye", slug="eye", labels=["mug"]), 100.0),
            ("/openral/scene_graph", scene_graph_message(SceneGraph(), 100.1), 100.1),
            *streams(),
            *extra,
            ("/openral/scene_graph", scene_graph_message(SceneGraph(nodes), 104.0), 104.0),
        ]
        for stamp in STAMPS:
            header = Header(stamp=stamp_of(stamp), frame_id=OPTICAL)
            messages.append(
                ("/openral/perception/eye/objects", detections_message(boxes, header), stamp + 0.02)
            )
        for topic, message, time in sorted(messages, key=lambda each: each[2]):
            if topic.startswith(without):
                continue
            add_slashes(message, slashes)
            name, content = topic, message
            if isinstance(message, Image):
                suffix, content = compressed(message)
                name = f"{topic}/{suffix}"
            kind = f"{type(content).__module__.split('.')[0]}/msg/{type(content).__name__}"
            recording.write(name, ros_schema(kind), bytes(serialize_message(content)), round(time * 1e9))
        recording.close()
        return folder

    return make


@pytest.fixture
def foreign_bag(tmp_path: Path) -> tuple[Path, Path]:
    """A bag of another robot, written by rosbags, and the robot.yaml that names its topics."""
    folder, store = tmp_path / "bag", get_typestore(Stores.ROS2_JAZZY)
    with Writer(folder, version=9, storage_plugin=StoragePlugin.SQLITE3) as writer:
        connections: dict[str, Any] = {}
        for topic, message, time in streams("cam"):
            name = topic.replace("/cam/", "/driver/").replace("image_raw", "rgb")
            kind = f"{type(message).__module__.split('.')[0]}/msg/{type(message).__name__}"
            if name not in connections:
                connections[name] = writer.add_connection(name, kind, typestore=store)
            writer.write(connections[name], round(time * 1e9), bytes(serialize_message(message)))
    robot = tmp_path / "robot.yaml"
    camera = {
        "image": "/driver/rgb",
        "info": "/driver/camera_info",
        "depth": "/driver/depth",
        "optical_frame": OPTICAL,
    }
    robot.write_text(json.dumps({"name": "foreign", "cameras": {"cam": camera}}))
    return folder, robot


@pytest.fixture
def mug_at() -> Callable[..., SceneNode]:
    """`mug_at(x)`: the remembered mug, at a distance [m] from the camera; by default where it is."""
    return mug


@pytest.fixture
def bread_detector(tmp_path: Path) -> Path:
    """Folder of a detector with a model that sees bread in the left part of every image."""
    onnx = pytest.importorskip("onnx")
    pytest.importorskip("onnxruntime")
    folder = tmp_path / "bread-detector"
    (folder / "weights").mkdir(parents=True)
    content = {
        "kind": "detector",
        "id": "bread-detector",
        "description": "Sees bread.",
        "engine": "rtdetr_onnx",
        "mode": "continuous",
        "vocabulary": {"kind": "closed", "labels": ["mug", "bread"]},
        "weights": {"uri": "file://weights"},
        "licence": {"name": "Apache-2.0", "commercial_use": True},
        "memory_mb": 1,
        "latency": 1,
    }
    (folder / "rskill.yaml").write_text(json.dumps(content))
    size = {"size": {"height": 32, "width": 32}}
    (folder / "weights" / "preprocessor_config.json").write_text(json.dumps(size))
    onnx.save(constant_model(onnx), folder / "weights" / "model.onnx")
    return folder


def constant_model(onnx: Any) -> Any:
    """An RT-DETR whose only box is the same in every image: bread, 0.95, a fifth of the image's width."""
    helper, kind = onnx.helper, onnx.TensorProto.FLOAT
    outputs = {"logits": [[[-9.0, 3.0]]], "pred_boxes": [[[0.2, 0.5, 0.2, 0.2]]]}
    nodes = [
        helper.make_node("ReduceMean", ["pixel_values"], ["mean"], keepdims=0),
        helper.make_node("Mul", ["mean", "zero"], ["nothing"]),
        *(helper.make_node("Add", [f"fixed_{name}", "nothing"], [name]) for name in outputs),
    ]
    constants = {f"fixed_{name}": np.array(value, np.float32) for name, value in outputs.items()}
    constants["zero"] = np.array(0.0, np.float32)
    graph = helper.make_graph(
        nodes,
        "constant",
        [helper.make_tensor_value_info("pixel_values", kind, [1, 3, 32, 32])],
        [helper.make_tensor_value_info(name, kind, list(np.shape(value))) for name, value in outputs.items()],
        [onnx.numpy_helper.from_array(value, name) for name, value in constants.items()],
    )
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=10)
