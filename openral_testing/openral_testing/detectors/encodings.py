"""Images in every supported encoding, and a decompression bomb."""

import struct
import zlib
from collections.abc import Callable, Mapping

import cv2
import numpy as np
from numpy.typing import NDArray
from sensor_msgs.msg import CompressedImage, Image

from openral_core import arrays
from openral_ros.conversions.images import image_message

BAYER_CORNERS = {"rggb": (0, 1, 1, 2), "bggr": (2, 1, 1, 0), "gbrg": (1, 2, 0, 1), "grbg": (1, 0, 2, 1)}
PADDING = 24
"""Extra bytes per row [bytes]."""


def _swapped(rgb: arrays.Image) -> NDArray[np.generic]:
    return np.ascontiguousarray(rgb[..., ::-1])


def _opaque(colours: NDArray[np.generic]) -> NDArray[np.generic]:
    return np.dstack([colours, np.full(colours.shape[:2], 255, np.uint8)])


def _grey(rgb: arrays.Image) -> NDArray[np.generic]:
    return cv2.cvtColor(rgb, cv2.COLOR_RGB2GRAY)


def _grey16(rgb: arrays.Image) -> NDArray[np.generic]:
    return _grey(rgb).astype(np.uint16) * np.uint16(257)


def _yuyv(rgb: arrays.Image) -> NDArray[np.generic]:
    return cv2.cvtColor(rgb, cv2.COLOR_RGB2YUV_YUY2)


def _bayer(corners: tuple[int, int, int, int]) -> Callable[[arrays.Image], NDArray[np.generic]]:
    def mosaic(rgb: arrays.Image) -> NDArray[np.generic]:
        out = np.empty(rgb.shape[:2], np.uint8)
        for index, channel in enumerate(corners):
            row, column = divmod(index, 2)
            out[row::2, column::2] = rgb[row::2, column::2, channel]
        return out

    return mosaic


LOSSLESS: Mapping[str, Callable[[arrays.Image], NDArray[np.generic]]] = {
    "rgb8": lambda rgb: rgb,
    "bgr8": _swapped,
    "8UC3": _swapped,
    "rgba8": _opaque,
    "bgra8": lambda rgb: _opaque(_swapped(rgb)),
}
LOSSY: Mapping[str, Callable[[arrays.Image], NDArray[np.generic]]] = {
    "mono8": _grey,
    "8UC1": _grey,
    "mono16": _grey16,
    "yuv422_yuy2": _yuyv,
    **{f"bayer_{name}8": _bayer(corners) for name, corners in BAYER_CORNERS.items()},
}


def encoded(rgb: arrays.Image, encoding: str) -> Image:
    """Encode an image of even width in one of the 13 encodings."""
    make = LOSSLESS.get(encoding) or LOSSY[encoding]
    return image_message(make(rgb), encoding, 0.0, "optical")


def padded(rgb: arrays.Image) -> Image:
    """Build an image with padded rows, as many drivers align them."""
    rows = np.pad(rgb.reshape(rgb.shape[0], -1), ((0, 0), (0, PADDING)))
    message = image_message(rgb, "rgb8", 0.0, "optical")
    message.step, message.data = rows.shape[1], rows.tobytes()
    return message


def bomb(side: int = 40_000) -> CompressedImage:
    """Build a PNG of 68 bytes whose header claims ``side`` x ``side`` pixels."""
    header = _chunk(b"IHDR", struct.pack(">IIBBBBB", side, side, 8, 2, 0, 0, 0))
    message = CompressedImage(format="png")
    message.data = b"\x89PNG\r\n\x1a\n" + header + _chunk(b"IDAT", bytes(10)) + _chunk(b"IEND", b"")
    return message


def _chunk(kind: bytes, body: bytes) -> bytes:
    return struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))


def compressed(rgb: arrays.Image) -> CompressedImage:
    """Compress an image losslessly as PNG."""
    _, data = cv2.imencode(".png", _swapped(rgb))
    message = CompressedImage(format="png")
    message.data = data.tobytes()
    return message
