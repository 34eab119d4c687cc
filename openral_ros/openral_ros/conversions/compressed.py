"""Compressed images."""

import cv2
import numpy as np
from numpy.typing import NDArray
from sensor_msgs.msg import CompressedImage

from openral_core.errors import OpenRALError
from openral_ros.conversions.picture_sizes import check_pixels, picture_size


class UndecodableImage(OpenRALError):
    """Compressed data no codec can read."""

    def __init__(self, image: CompressedImage) -> None:
        super().__init__(
            f"{len(image.data)} bytes of {image.format[:64]!r} cannot be decoded: expected JPEG or PNG"
        )


def rgb_of_compressed(image: CompressedImage) -> NDArray[np.uint8]:
    """A JPEG or PNG image as RGB; uint8, shape (H, W, 3).

    Its size is read before anything is decoded: 68 bytes can announce gigabytes.

    Raises:
        UndecodableImage: If the data is no image.
        ImageTooLarge: If it would be larger than any camera's.
    """
    data = np.frombuffer(image.data, np.uint8)
    size = picture_size(data.data)
    if size is None:
        raise UndecodableImage(image)
    check_pixels(*size)
    try:
        pixels = cv2.imdecode(data, cv2.IMREAD_COLOR)
    except cv2.error as error:
        raise UndecodableImage(image) from error
    if pixels is None:
        raise UndecodableImage(image)
    return np.asarray(cv2.cvtColor(pixels, cv2.COLOR_BGR2RGB), np.uint8)
