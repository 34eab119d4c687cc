"""Compressed images."""

import cv2
import numpy as np
from numpy.typing import NDArray
from sensor_msgs.msg import CompressedImage

from openral_core.errors import OpenRALError


class UndecodableImage(OpenRALError):
    """Compressed data no codec can read."""

    def __init__(self, image: CompressedImage) -> None:
        super().__init__(
            f"{len(image.data)} bytes of {image.format!r} cannot be decoded: expected JPEG or PNG"
        )


def rgb_of_compressed(image: CompressedImage) -> NDArray[np.uint8]:
    """A JPEG or PNG image as RGB; uint8, shape (H, W, 3).

    Raises:
        UndecodableImage: If the data is no image.
    """
    data = np.frombuffer(image.data, np.uint8)
    pixels = cv2.imdecode(data, cv2.IMREAD_COLOR) if data.size else None
    if pixels is None:
        raise UndecodableImage(image)
    return np.asarray(cv2.cvtColor(pixels, cv2.COLOR_BGR2RGB), np.uint8)
