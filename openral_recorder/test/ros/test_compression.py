"""Compressed images keep header, size and, for depth, the distance."""

import cv2
import numpy as np
import pytest
from sensor_msgs.msg import Image

from openral_core.errors import OpenRALError
from openral_recorder.ros.compression import DEPTH_HEADER, compressed
from openral_ros.conversions.images import image_message, rgb_of_compressed


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
