"""Compressed images as arrays."""

import cv2
import numpy as np
import pytest

sensor = pytest.importorskip("sensor_msgs.msg")
from openral_ros.conversions.compressed import UndecodableImage, rgb_of_compressed


@pytest.mark.parametrize(("extension", "tolerance"), [(".png", 0), (".jpg", 4)])
def test_red_stays_red(extension: str, tolerance: int) -> None:
    rgb = np.zeros((20, 30, 3), np.uint8)
    rgb[..., 0] = 200
    data = cv2.imencode(extension, rgb[..., ::-1])[1].tobytes()
    decoded = rgb_of_compressed(sensor.CompressedImage(format=extension, data=data))
    assert np.abs(decoded.astype(int) - rgb).max() <= tolerance


@pytest.mark.parametrize("data", [b"", b"not an image", b"\xff\xd8\xff"])
def test_what_is_no_image_is_refused(data: bytes) -> None:
    with pytest.raises(UndecodableImage, match="JPEG or PNG"):
        rgb_of_compressed(sensor.CompressedImage(format="jpeg", data=data))
