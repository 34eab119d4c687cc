"""Depth in PNG and by RVL comes back in metres; damaged data is refused."""

import struct

import cv2
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

sensor = pytest.importorskip("sensor_msgs.msg")
from openral_ros.conversions.images import UndecodableImage
from openral_training.perceive.ros.compressed_depth import depth_of_compressed


def rvl(values: list[int]) -> bytes:
    """Code values one nibble after the other, as the paper says."""
    nibbles, position, previous = list[int](), 0, 0

    def put(number: int) -> None:
        while number > 7:
            nibbles.append(8 | number & 7)
            number >>= 3
        nibbles.append(number)

    while position < len(values):
        zeros = next((n for n, value in enumerate(values[position:]) if value), len(values) - position)
        position += zeros
        others = next((n for n, value in enumerate(values[position:]) if not value), len(values) - position)
        put(zeros)
        put(others)
        for value in values[position : position + others]:
            change, previous = value - previous, value
            put(change << 1 if change >= 0 else (-change << 1) - 1)
        position += others
    nibbles += [0] * (-len(nibbles) % 8)
    words = [
        sum(n << 28 - 4 * k for k, n in enumerate(nibbles[i : i + 8])) for i in range(0, len(nibbles), 8)
    ]
    return struct.pack(f"<{len(words)}I", *words)


def rvl_message(width: int, height: int, coded: bytes) -> object:
    data = struct.pack("<iffII", 1, 0.0, 0.0, width, height) + coded
    return sensor.CompressedImage(format="16UC1; compressedDepth rvl", data=data)


@given(st.lists(st.sampled_from([0, 0, 1, 700, 701, 65535]), min_size=1, max_size=60))
def test_depth_in_rvl_is_read(values: list[int]) -> None:
    found = depth_of_compressed(rvl_message(len(values), 1, rvl(values)))
    assert found[0] == pytest.approx(np.array(values) / 1000.0)


@given(st.integers(0, 9), st.integers(0, 9), st.binary(max_size=64))
def test_damaged_rvl_is_refused(width: int, height: int, coded: bytes) -> None:
    message = rvl_message(width, height, coded)
    try:
        found = depth_of_compressed(message)
    except UndecodableImage:
        return
    assert found.shape == (height, width)


def test_a_bare_png_is_depth_in_millimetres() -> None:
    data = cv2.imencode(".png", np.full((2, 3), 1500, np.uint16))[1].tobytes()
    assert np.allclose(
        depth_of_compressed(sensor.CompressedImage(format="16UC1; png compressed ", data=data)), 1.5
    )
    with pytest.raises(UndecodableImage, match="behind its header"):
        depth_of_compressed(sensor.CompressedImage(format="32FC1; compressedDepth png", data=data))


@pytest.mark.parametrize(
    ("name", "config", "pixels"),
    [
        ("16UC1; compressedDepth png", (0.0, 0.0), (0, 1500)),
        ("32FC1; compressedDepth png", (3000.0, 100.0), (0, 2100)),
    ],
)
def test_compressed_depth_is_metres_and_zero_where_unknown(
    name: str, config: tuple[float, float], pixels: tuple[int, int]
) -> None:
    _, png = cv2.imencode(".png", np.array([pixels], np.uint16))
    message = sensor.CompressedImage(format=name, data=struct.pack("<iff", 0, *config) + png.tobytes())
    np.testing.assert_allclose(depth_of_compressed(message), [[0.0, 1.5]])


@pytest.mark.parametrize("data", [b"", bytes(11), bytes(12) + b"not a PNG"])
def test_compressed_depth_without_an_image_is_refused(data: bytes) -> None:
    with pytest.raises(UndecodableImage):
        depth_of_compressed(sensor.CompressedImage(format="16UC1; compressedDepth png", data=data))
