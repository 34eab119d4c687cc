"""Raw pixels of each encoding as RGB."""

from collections.abc import Callable, Mapping

import cv2
import numpy as np
from numpy.typing import NDArray

Decoder = Callable[[NDArray[np.generic]], NDArray[np.uint8]]


def _same(pixels: NDArray[np.generic]) -> NDArray[np.uint8]:
    return pixels.astype(np.uint8, copy=False)


def _converted(code: int) -> Decoder:
    def decode(pixels: NDArray[np.generic]) -> NDArray[np.uint8]:
        return np.asarray(
            cv2.cvtColor(np.ascontiguousarray(pixels.astype(np.uint8, copy=False)), code),
            np.uint8,
        )

    return decode


def _high_byte(pixels: NDArray[np.generic]) -> NDArray[np.uint8]:
    return np.repeat((pixels.astype(np.uint16) >> 8).astype(np.uint8)[..., None], 3, axis=2)


DECODERS: Mapping[str, Decoder] = {
    "rgb8": _same,
    "8UC3": _converted(cv2.COLOR_BGR2RGB),
    "bgr8": _converted(cv2.COLOR_BGR2RGB),
    "mono8": _converted(cv2.COLOR_GRAY2RGB),
    "8UC1": _converted(cv2.COLOR_GRAY2RGB),
    "mono16": _high_byte,
    "rgba8": _converted(cv2.COLOR_RGBA2RGB),
    "bgra8": _converted(cv2.COLOR_BGRA2RGB),
    "yuv422_yuy2": _converted(cv2.COLOR_YUV2RGB_YUY2),
    "yuv422": _converted(cv2.COLOR_YUV2RGB_UYVY),
    "bayer_rggb8": _converted(cv2.COLOR_BayerRGGB2RGB),
    "bayer_bggr8": _converted(cv2.COLOR_BayerBGGR2RGB),
    "bayer_gbrg8": _converted(cv2.COLOR_BayerGBRG2RGB),
    "bayer_grbg8": _converted(cv2.COLOR_BayerGRBG2RGB),
}
