"""Image messages as arrays, without copying, and back."""

from collections.abc import Mapping
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray
from sensor_msgs.msg import Image

from openral_core.errors import OpenRALError, listed
from openral_ros.conversions.colours import DECODERS, Decoder
from openral_ros.conversions.picture_sizes import check_pixels
from openral_ros.conversions.times import stamp_of


@dataclass(frozen=True, slots=True)
class Layout:
    """How one encoding lies in memory."""

    dtype: str
    channels: int


LAYOUTS: Mapping[str, Layout] = {
    "rgb8": Layout("u1", 3),
    "bgr8": Layout("u1", 3),
    "8UC3": Layout("u1", 3),
    "mono8": Layout("u1", 1),
    "8UC1": Layout("u1", 1),
    "mono16": Layout("u2", 1),
    "16UC1": Layout("u2", 1),
    "32FC1": Layout("f4", 1),
    "rgba8": Layout("u1", 4),
    "bgra8": Layout("u1", 4),
    "yuv422_yuy2": Layout("u1", 2),
    "yuv422": Layout("u1", 2),
    "bayer_rggb8": Layout("u1", 1),
    "bayer_bggr8": Layout("u1", 1),
    "bayer_gbrg8": Layout("u1", 1),
    "bayer_grbg8": Layout("u1", 1),
}


class UnsupportedEncoding(OpenRALError):
    """An image encoding this cannot read as asked."""

    def __init__(self, asked: str, valid: list[str]) -> None:
        super().__init__(f"encoding {asked[:64]!r} cannot be read: valid here are {listed(valid)}")


class MalformedImage(OpenRALError):
    """An image whose sizes contradict its data."""

    def __init__(self, image: Image) -> None:
        super().__init__(
            f"image of {image.width}x{image.height} {image.encoding[:64]!r} with rows of {image.step} bytes "
            f"cannot hold {len(image.data)} bytes of data"
        )


def image_view(image: Image) -> NDArray[np.generic]:
    """The message's pixels as they lie there; shape (H, W) or (H, W, C), padding left out.

    Raises:
        UnsupportedEncoding: Naming the encodings that can be read.
        MalformedImage: If the data is shorter than its header says.
        ImageTooLarge: If it is larger than any camera's.
    """
    layout = LAYOUTS.get(image.encoding)
    if layout is None:
        raise UnsupportedEncoding(image.encoding, sorted(LAYOUTS))
    check_pixels(image.width, image.height)
    dtype = np.dtype(layout.dtype).newbyteorder(">" if image.is_bigendian else "<")
    row = image.width * layout.channels * dtype.itemsize
    if (
        image.width == 0
        or image.height == 0
        or image.step < row
        or len(image.data) < image.step * image.height
    ):
        raise MalformedImage(image)
    rows = np.frombuffer(image.data, np.uint8, image.step * image.height).reshape(image.height, image.step)
    pixels = rows[:, :row].view(dtype)
    return pixels if layout.channels == 1 else pixels.reshape(image.height, image.width, layout.channels)


def rgb_of(image: Image) -> NDArray[np.uint8]:
    """Any colour or grey image as RGB; uint8, shape (H, W, 3).

    Raises:
        UnsupportedEncoding: If the encoding has no colour to give.
        MalformedImage: If the data is shorter than its header says.
    """
    decoder: Decoder | None = DECODERS.get(image.encoding)
    if decoder is None:
        raise UnsupportedEncoding(image.encoding, sorted(DECODERS))
    try:
        return decoder(image_view(image))
    except cv2.error as error:  # sizes that an encoding cannot have, such as an odd width of pairs
        raise MalformedImage(image) from error


def depth_of(image: Image) -> NDArray[np.float32]:
    """A depth image in [m], 0 where unknown; float32, shape (H, W). 16UC1 holds millimetres.

    Raises:
        UnsupportedEncoding: If it is neither 16UC1, mono16 nor 32FC1.
        MalformedImage: If the data is shorter than its header says.
    """
    if image.encoding == "32FC1":
        view = image_view(image).astype(np.float32, copy=False)
        return np.where(np.isfinite(view) & (view > 0.0), view, np.float32(0.0))
    if image.encoding in ("16UC1", "mono16"):
        return image_view(image).astype(np.float32) / np.float32(1000.0)
    raise UnsupportedEncoding(image.encoding, ["16UC1", "32FC1", "mono16"])


def image_message(pixels: NDArray[np.generic], encoding: str, time: float, frame_id: str) -> Image:
    """Pixels of shape (H, W) or (H, W, C) as a message stamped ``time`` [s].

    Raises:
        UnsupportedEncoding: If the array does not fit the encoding.
    """
    layout = LAYOUTS.get(encoding)
    channels = 1 if pixels.ndim == 2 else pixels.shape[2]
    if layout is None or pixels.dtype != np.dtype(layout.dtype) or channels != layout.channels:
        raise UnsupportedEncoding(f"{encoding} of {pixels.dtype} x {channels}", sorted(LAYOUTS))
    contiguous = np.ascontiguousarray(pixels)
    message = Image(
        height=pixels.shape[0],
        width=pixels.shape[1],
        encoding=encoding,
        step=contiguous.strides[0],
    )
    message.header.stamp = stamp_of(time)
    message.header.frame_id = frame_id
    message.data = contiguous.tobytes()
    return message
