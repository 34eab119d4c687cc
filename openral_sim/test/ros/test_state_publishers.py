"""The time, frames, images and labels that the node publishes are consistent."""

from math import radians, tan
from typing import Any
from xml.etree import ElementTree as ET

import numpy as np
import pytest

pytest.importorskip("rclpy")
from rosgraph_msgs.msg import Clock
from sensor_msgs.msg import CameraInfo, Image, JointState
from std_msgs.msg import String
from tf2_msgs.msg import TFMessage
from vision_msgs.msg import LabelInfo

from openral_core.errors import OpenRALError
from openral_core.geometry import Pose, StaleTransform, transform_points
from openral_ros.conversions.images import depth_of, image_view, rgb_of
from openral_ros.conversions.stamps import nanoseconds, seconds
from openral_ros.qos import LATCHED, RELIABLE, SENSOR
from openral_ros.resources import ResourceScope
from openral_ros.tf_buffer import TransformBuffer

pytestmark = pytest.mark.xdist_group("sim_node")
OPTICAL = "head_camera_optical_frame"
ON_THE_FLOOR = Pose((2.0, 3.2, 0.0))
BAGUETTE_IS_LEFT_OF = Pose((1.8, 4.1, 0.95))


def test_the_clock_advances_and_never_turns_back(bench: Any) -> None:
    heard = bench.listen(Clock, "/clock", RELIABLE)
    bench.until(lambda: len(heard) > 20)
    times = [nanoseconds(message.clock) for message in heard]
    assert set(np.diff(times)) == {20_000_000}


def test_every_image_has_transforms_of_its_stamp(bench: Any) -> None:
    images: list[int] = []
    transforms: list[tuple[str, int]] = []

    def note_transforms(message: TFMessage) -> None:
        transforms.extend((t.child_frame_id, nanoseconds(t.header.stamp)) for t in message.transforms)

    heard = bench.client.create_subscription(TFMessage, "tf", note_transforms, 1000)
    bench.until(lambda: transforms)
    seen = bench.client.create_subscription(
        Image, "head/image_raw", lambda image: images.append(nanoseconds(image.header.stamp)), SENSOR
    )
    bench.until(lambda: len(images) > 3)
    bench.client.destroy_subscription(seen)
    wanted = {(frame, stamp) for stamp in images for frame in (OPTICAL, "base_link")}
    bench.until(lambda: wanted <= set(transforms))
    bench.client.destroy_subscription(heard)


def test_intrinsics_are_those_of_the_scene(bench: Any) -> None:
    info = bench.hear(CameraInfo, "head/camera_info", SENSOR)
    K = np.reshape(info.k, (3, 3))
    assert (info.width, info.height, info.header.frame_id) == (160, 120, OPTICAL)
    assert K[0, 0] == K[1, 1] == pytest.approx(60.0 / tan(radians(58.0) / 2))
    assert (K[0, 2], K[1, 2]) == (79.5, 59.5)


def has_transform(transforms: TransformBuffer, stamp: float) -> bool:
    try:
        transforms.lookup("map", OPTICAL, stamp)
    except StaleTransform:
        return False
    return True


def test_depth_intrinsics_and_transforms_agree_on_where_the_floor_is(bench: Any) -> None:
    scope = ResourceScope(bench.client)
    transforms = TransformBuffer(scope)
    depths = bench.listen(Image, "head/depth", SENSOR)
    K = np.reshape(bench.hear(CameraInfo, "head/camera_info", SENSOR).k, (3, 3))
    assert bench.send("look-at", target=ON_THE_FLOOR).result().success
    depths.clear()
    bench.until(lambda: depths)
    depth = depth_of(depths[0])[60, 80]
    ray = np.array([[(80 - K[0, 2]) / K[0, 0], (60 - K[1, 2]) / K[1, 1], 1.0]])
    stamp = seconds(depths[0].header.stamp)
    bench.until(lambda: has_transform(transforms, stamp))
    T_map_camera = transforms.lookup("map", OPTICAL, stamp)
    scope.close()
    seen = transform_points(T_map_camera, ray * depth)[0]
    assert seen[2] == pytest.approx(0.0, abs=0.01)
    assert seen[:2] == pytest.approx(ON_THE_FLOOR.position[:2], abs=0.08)


def test_semantic_ids_are_those_of_the_latched_labels(bench: Any) -> None:
    labels = bench.hear(LabelInfo, "head/labels", LATCHED)
    phrases = {item.class_id: item.class_name for item in labels.class_map}
    assert bench.send("look-at", target=BAGUETTE_IS_LEFT_OF).result().success
    image = bench.hear(Image, "head/semantic", SENSOR)
    assert image.encoding == "mono16"
    ids = set(np.unique(image_view(image)).tolist()) - {0}
    assert ids <= set(phrases)
    assert {"kitchen counter", "baguette"} <= {phrases[number] for number in ids}
    assert sorted(phrases.values()).count("wine glass") == 2


def test_colour_shows_a_lit_room_and_not_one_flat_tone(bench: Any) -> None:
    rgb = rgb_of(bench.hear(Image, "head/image_raw", SENSOR))
    assert rgb.shape == (120, 160, 3)
    assert 40 < rgb.mean() < 230
    assert rgb.std() > 15


def test_the_wrist_camera_answers_when_someone_asks(bench: Any) -> None:
    image = bench.hear(Image, "wrist/image_raw", SENSOR)
    assert image.header.frame_id == "wrist_camera_optical_frame"


def test_joint_states_name_the_arm_and_the_head_without_the_base(bench: Any) -> None:
    state = bench.hear(JointState, "joint_states", RELIABLE)
    assert {"lift", "arm_joint7", "head_pan", "head_tilt"} <= set(state.name)
    assert "base_x" not in state.name
    assert len(state.name) == len(state.position) == len(state.velocity)


def test_every_link_of_the_urdf_has_a_transform_and_every_joint_a_state(bench: Any) -> None:
    urdf = ET.fromstring(bench.hear(String, "robot_description", LATCHED).data)
    links = [link.attrib["name"] for link in urdf.findall("link")]
    moving = [joint.attrib["name"] for joint in urdf.findall("joint") if joint.attrib["type"] != "fixed"]
    assert len(links) == 15
    state = bench.hear(JointState, "joint_states", RELIABLE)
    assert sorted(state.name) == sorted(moving)
    scope = ResourceScope(bench.client)
    transforms = TransformBuffer(scope)
    bench.until(lambda: all(knows(transforms, link) for link in links))
    T_arm_tip = np.linalg.inv(transforms.lookup_newest("map", "arm_link0")) @ transforms.lookup_newest(
        "map", "grasp"
    )
    scope.close()
    assert 0.2 < np.linalg.norm(T_arm_tip[:3, 3]) < 0.95  # the reach of the arm with its hand


def knows(transforms: TransformBuffer, link: str) -> bool:
    try:
        transforms.lookup_newest("map", link)
    except OpenRALError:
        return False
    return True
