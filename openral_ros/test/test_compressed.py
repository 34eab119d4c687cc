"""Compressed images as arrays."""

import struct
import zlib

import cv2
import numpy as np
import pytest

sensor = pytest.importorskip("sensor_msgs.msg")
from openral_ros.conversions.images import (
    MAX_SCANS,
    ImageTooLarge,
    UndecodableImage,
    compressed_size,
    rgb_of_compressed,
)


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


def png(width: int, height: int) -> bytes:
    """A header of this size, and next to nothing behind it."""
    header = chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0))
    return b"\x89PNG\r\n\x1a\n" + header + chunk(b"IDAT", b"x" * 10) + chunk(b"IEND", b"")


def chunk(kind: bytes, body: bytes) -> bytes:
    return struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))


def jpeg(width: int, height: int) -> bytes:
    """A small picture that says it is of this size."""
    data = bytearray(cv2.imencode(".jpg", np.zeros((16, 16, 3), np.uint8))[1].tobytes())
    struct.pack_into(">HH", data, data.index(b"\xff\xc0") + 5, height, width)
    return bytes(data)


@pytest.mark.parametrize("data", [png(40000, 40000), png(2**31 - 1, 1), png(8000, 8000), jpeg(65000, 65000)])
def test_a_picture_larger_than_any_cameras_is_refused_before_it_is_decoded(
    data: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cv2, "imdecode", lambda *_: pytest.fail("was decoded"))
    with pytest.raises(ImageTooLarge, match="too large: at most"):
        rgb_of_compressed(sensor.CompressedImage(format="png", data=data))


@pytest.mark.parametrize("data", [png(40, 30), png(0, 0), jpeg(0, 0), png(40, 30)[:30]])
def test_a_header_without_its_picture_is_refused(data: bytes) -> None:
    with pytest.raises(UndecodableImage):
        rgb_of_compressed(sensor.CompressedImage(format="png", data=data))


def test_a_jpeg_of_a_thousand_scans_is_refused() -> None:
    data = jpeg(3000, 3000) + b"\xff\xda" * (MAX_SCANS + 1)
    with pytest.raises(ImageTooLarge, match="scans"):
        rgb_of_compressed(sensor.CompressedImage(format="jpeg", data=data))


@pytest.mark.parametrize("extension", [".png", ".jpg"])
@pytest.mark.parametrize("options", [(), (cv2.IMWRITE_JPEG_PROGRESSIVE, 1)])
def test_the_size_is_read_from_the_header(extension: str, options: tuple[int, ...]) -> None:
    data = cv2.imencode(extension, np.zeros((37, 91, 3), np.uint8), options)[1]
    assert compressed_size(data.data) == (91, 37)
