"""Compression of images for recordings, named as the transports of `image_transport` name them."""

import struct
from collections.abc import Callable

import cv2
import numpy as np
from sensor_msgs.msg import CompressedImage, Image

from openral_core.errors import OpenRALError
from openral_ros.conversions.images import depth_of, rgb_of

JPEG_QUALITY = 80
"""Quality at which boxes and labels of a 640x480 image stay readable [1]; about 40 kB."""
PNG_LEVEL = 1
"""Fastest compression of depth; higher levels save a tenth."""
DEPTH_HEADER = struct.pack("<iff", 0, 0.0, 0.0)
"""ConfigHeader of compressed_depth_image_transport: format, and parameters that 16UC1 does not use."""
MAX_DEPTH = 65.535
"""Largest depth that millimetres in 16 bits express [m]."""
DEPTH_ENCODINGS = frozenset({"16UC1", "32FC1", "mono16"})
Compress = Callable[[Image], CompressedImage]


class NotCompressible(OpenRALError):
    """An image that the codec refuses."""

    def __init__(self, image: Image, codec: str) -> None:
        super().__init__(f"image of {image.width}x{image.height} {image.encoding[:32]!r} gives no {codec}")


def compressed(image: Image) -> tuple[str, CompressedImage]:
    """Compress an image: JPEG for colour and grey, PNG in [mm] for depth.

    Returns:
        The suffix of its topic and the message, with the header of the image.

    Raises:
        OpenRALError: If its encoding or data is invalid.
    """
    if image.encoding in DEPTH_ENCODINGS:
        return "compressedDepth", _depth(image)
    return "compressed", _colour(image)


def _colour(image: Image) -> CompressedImage:
    pixels = cv2.cvtColor(rgb_of(image), cv2.COLOR_RGB2BGR)
    data = _encoded(image, ".jpg", pixels, [cv2.IMWRITE_JPEG_QUALITY, JPEG_QUALITY])
    return CompressedImage(header=image.header, format="rgb8; jpeg compressed bgr8", data=data)


def _depth(image: Image) -> CompressedImage:
    metres = np.clip(depth_of(image), 0.0, MAX_DEPTH)
    millimetres = np.rint(metres * 1000.0).astype(np.uint16)
    data = _encoded(image, ".png", millimetres, [cv2.IMWRITE_PNG_COMPRESSION, PNG_LEVEL])
    return CompressedImage(header=image.header, format="16UC1; compressedDepth png", data=DEPTH_HEADER + data)


def _encoded(image: Image, suffix: str, pixels: np.ndarray, options: list[int]) -> bytes:
    try:
        done, data = cv2.imencode(suffix, pixels, options)
    except cv2.error as error:
        raise NotCompressible(image, suffix[1:].upper()) from error
    if not done:
        raise NotCompressible(image, suffix[1:].upper())
    return bytes(data)
