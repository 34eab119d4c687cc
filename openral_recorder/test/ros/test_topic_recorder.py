"""Types are looked up safely, and the profile receives from every publisher."""

from types import SimpleNamespace

import cv2
import numpy as np
import pytest
from rclpy.qos import DurabilityPolicy, ReliabilityPolicy
from sensor_msgs.msg import Image

from openral_core.errors import OpenRALError
from openral_recorder.ros.topic_recorder import (
    DEPTH_HEADER,
    UnknownType,
    compatible_qos,
    compressed,
    message_class,
)
from openral_ros.conversions.images import image_message, rgb_of_compressed
from openral_ros.qos import LATCHED, RELIABLE, SENSOR


def test_a_class_is_found_by_its_type() -> None:
    assert message_class("std_msgs/msg/String").__name__ == "String"


@pytest.mark.parametrize(
    "message_type", ["std_msgs/msg/Nothing", "nowhere/msg/X", "os/msg/path", "", "std_msgs/msg/"]
)
def test_an_unknown_type_is_a_typed_error(message_type: str) -> None:
    with pytest.raises(UnknownType):
        message_class(message_type)


@pytest.mark.parametrize(
    ("offered", "reliability", "durability"),
    [
        ([LATCHED], ReliabilityPolicy.RELIABLE, DurabilityPolicy.TRANSIENT_LOCAL),
        ([LATCHED, RELIABLE], ReliabilityPolicy.RELIABLE, DurabilityPolicy.VOLATILE),
        ([RELIABLE, SENSOR], ReliabilityPolicy.BEST_EFFORT, DurabilityPolicy.VOLATILE),
    ],
)
def test_the_profile_is_the_weakest_that_is_offered(
    offered: list[object], reliability: ReliabilityPolicy, durability: DurabilityPolicy
) -> None:
    found = compatible_qos([SimpleNamespace(qos_profile=profile) for profile in offered])
    assert (found.reliability, found.durability) == (reliability, durability)


def test_a_colour_image_becomes_a_jpeg_of_the_same_picture() -> None:
    pixels = np.zeros((48, 64, 3), np.uint8)
    pixels[:, 32:] = (200, 40, 40)
    suffix, message = compressed(image_message(pixels, "rgb8", 12.5, "head"))
    assert suffix == "compressed"
    assert message.header.frame_id == "head"
    assert message.header.stamp.sec == 12
    assert np.abs(rgb_of_compressed(message).astype(int)[24, 48] - (200, 40, 40)).max() < 12


@pytest.mark.parametrize(("encoding", "scale"), [("32FC1", 1.0), ("16UC1", 1000.0)])
def test_depth_is_kept_to_the_millimetre(encoding: str, scale: float) -> None:
    metres = np.linspace(0.0, 8.0, 64 * 48).reshape(48, 64)
    kind = np.float32 if encoding == "32FC1" else np.uint16
    suffix, message = compressed(image_message((metres * scale).astype(kind), encoding, 0.0, "head"))
    assert suffix == "compressedDepth"
    data = np.frombuffer(message.data, np.uint8)[len(DEPTH_HEADER) :]
    found = np.asarray(cv2.imdecode(data, cv2.IMREAD_UNCHANGED), np.float64)
    assert np.abs(found / 1000.0 - metres).max() <= 0.0011


@pytest.mark.parametrize(
    "image", [Image(encoding="nonsense"), Image(encoding="rgb8", width=10, height=10, step=30, data=b"x")]
)
def test_a_malformed_image_is_a_typed_error(image: Image) -> None:
    with pytest.raises(OpenRALError):
        compressed(image)
