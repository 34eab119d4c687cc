"""Conversions of raw and compressed image messages to arrays, and back.

The size of a compressed image is checked before it is decoded.
"""

import struct
from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from sensor_msgs.msg import CompressedImage, Image

from openral_core.errors import OpenRALError, format_choices
from openral_core.lazy_modules import lazy_module
from openral_ros.conversions.stamps import stamp_of

cv2 = lazy_module("cv2")

Decoder = Callable[[NDArray[np.generic]], NDArray[np.uint8]]


def _same(pixels: NDArray[np.generic]) -> NDArray[np.uint8]:
    return pixels.astype(np.uint8, copy=False)


def _converted(code: str) -> Decoder:
    def decode(pixels: NDArray[np.generic]) -> NDArray[np.uint8]:
        return np.asarray(
            cv2.cvtColor(np.ascontiguousarray(pixels.astype(np.uint8, copy=False)), getattr(cv2, code)),
            np.uint8,
        )

    return decode


def _to_bytes(pixels: NDArray[np.generic]) -> NDArray[np.uint8]:
    """Scale 16-bit pixels to 8 bits by the depth of their sensor: 10, 12, 14 or 16 bits, told by the largest.

    The high byte alone would make the image of a 10-bit sensor black.
    """
    values = pixels.astype(np.uint16, copy=False)
    bits = max(10, int(values.max(initial=0)).bit_length())
    return (values >> (bits + bits % 2 - 8)).astype(np.uint8)


def _scaled(decoder: Decoder) -> Decoder:
    return lambda pixels: decoder(_to_bytes(pixels))


_OF_8_BITS: Mapping[str, Decoder] = {
    "rgb8": _same,
    "8UC3": _converted("COLOR_BGR2RGB"),
    "bgr8": _converted("COLOR_BGR2RGB"),
    "mono8": _converted("COLOR_GRAY2RGB"),
    "8UC1": _converted("COLOR_GRAY2RGB"),
    "rgba8": _converted("COLOR_RGBA2RGB"),
    "bgra8": _converted("COLOR_BGRA2RGB"),
    "yuyv": _converted("COLOR_YUV2RGB_YUY2"),
    "yuv422_yuy2": _converted("COLOR_YUV2RGB_YUY2"),
    "uyvy": _converted("COLOR_YUV2RGB_UYVY"),
    "yuv422": _converted("COLOR_YUV2RGB_UYVY"),
    "nv12": _converted("COLOR_YUV2RGB_NV12"),
    "nv21": _converted("COLOR_YUV2RGB_NV21"),
    "bayer_rggb8": _converted("COLOR_BayerRGGB2RGB"),
    "bayer_bggr8": _converted("COLOR_BayerBGGR2RGB"),
    "bayer_gbrg8": _converted("COLOR_BayerGBRG2RGB"),
    "bayer_grbg8": _converted("COLOR_BayerGRBG2RGB"),
}
_OF_16_BITS = (
    "mono16",
    "rgb16",
    "bgr16",
    "rgba16",
    "bgra16",
    "bayer_rggb16",
    "bayer_bggr16",
    "bayer_gbrg16",
    "bayer_grbg16",
)
DECODERS: Mapping[str, Decoder] = {
    **_OF_8_BITS,
    **{name: _scaled(_OF_8_BITS[name.removesuffix("16") + "8"]) for name in _OF_16_BITS},
}


DEPTH_CONFIG = struct.Struct("<iff")
"""ConfigHeader of compressed_depth_image_transport: format, and the quantisation (A, B) of 32FC1."""
MAX_PIXELS = 1 << 25
"""Largest accepted image [px]; 8K UHD has 33.2 million, as RGB 100 MB."""
MAX_SCANS = 100
"""Scans of a progressive JPEG: each costs a pass over all pixels; encoders write about ten."""
PNG = b"\x89PNG\r\n\x1a\n"
_JPEG = b"\xff\xd8"
_SCAN = b"\xff\xda"
_FRAME_MARKERS = frozenset(range(0xC0, 0xD0)) - {0xC4, 0xC8, 0xCC}
"""JPEG markers whose segment holds the size: SOF0 to SOF15."""
_MARKERS_WITHOUT_SEGMENT = frozenset((0x01, *range(0xD0, 0xD9)))
"""JPEG markers that no segment follows."""


class ImageTooLarge(OpenRALError):
    """An image that would need more memory or time than the image of any camera."""

    def __init__(self, size: str, most: str) -> None:
        super().__init__(f"image of {size} is too large: at most {most} are accepted")


def check_pixels(width: int, height: int) -> None:
    """Check the size of an image.

    Raises:
        ImageTooLarge: If it has more than `MAX_PIXELS`.
    """
    if width * height > MAX_PIXELS:
        raise ImageTooLarge(f"{width}x{height} pixels", f"{MAX_PIXELS} pixels")


def compressed_size(data: memoryview) -> tuple[int, int] | None:
    """Read (width, height) [px] from the header of a JPEG or PNG; None if it is neither.

    Raises:
        ImageTooLarge: If a JPEG has more scans than any encoder writes.
    """
    head = bytes(data[:24])
    if head.startswith(PNG) and head[12:16] == b"IHDR" and len(head) == 24:
        width, height = struct.unpack(">II", head[16:24])
        return width, height
    if head.startswith(_JPEG):
        return jpeg_size(bytes(data))
    return None


def jpeg_size(data: bytes) -> tuple[int, int] | None:
    """Read the size of a JPEG.

    Source: ITU-T T.81, annex B.
    """
    scans = data.count(_SCAN)
    if scans > MAX_SCANS:
        raise ImageTooLarge(f"{scans} scans", f"{MAX_SCANS} scans")
    at = len(_JPEG)
    while at + 9 <= len(data) and data[at] == 0xFF:
        marker = data[at + 1]
        if marker == 0xFF:  # fill byte
            at += 1
        elif marker in _FRAME_MARKERS:
            height, width = struct.unpack_from(">HH", data, at + 5)
            return width, height
        elif marker in _MARKERS_WITHOUT_SEGMENT:
            at += 2
        else:
            at += 2 + struct.unpack_from(">H", data, at + 2)[0]
    return None


@dataclass(frozen=True, slots=True)
class PixelLayout:
    """Memory layout of one encoding."""

    dtype: str
    channels: int


LAYOUTS: Mapping[str, PixelLayout] = {
    "16UC1": PixelLayout("u2", 1),
    "32FC1": PixelLayout("f4", 1),
    "yuyv": PixelLayout("u1", 2),
    "uyvy": PixelLayout("u1", 2),
    "yuv422_yuy2": PixelLayout("u1", 2),
    "yuv422": PixelLayout("u1", 2),
    "8UC1": PixelLayout("u1", 1),
    "8UC3": PixelLayout("u1", 3),
    **{
        f"{name}{bits}": PixelLayout(f"u{bits // 8}", channels)
        for bits in (8, 16)
        for name, channels in {
            **dict.fromkeys(("mono", "bayer_rggb", "bayer_bggr", "bayer_gbrg", "bayer_grbg"), 1),
            **dict.fromkeys(("rgb", "bgr"), 3),
            **dict.fromkeys(("rgba", "bgra"), 4),
        }.items()
    },
}
PLANES = ("nv12", "nv21")
"""Encodings of a plane of luma and, below it, one of half its height with pairs of chroma."""


class UnsupportedEncoding(OpenRALError):
    """An image encoding that cannot be read in the requested way."""

    def __init__(self, encoding: str, valid: list[str]) -> None:
        super().__init__(
            f"encoding {encoding[:64]!r} cannot be read: expected one of {format_choices(valid)}"
        )


class MalformedImage(OpenRALError):
    """An image whose size does not match its data."""

    def __init__(self, image: Image) -> None:
        super().__init__(
            f"image of {image.width}x{image.height} {image.encoding[:64]!r} with rows of {image.step} bytes "
            f"cannot hold {len(image.data)} bytes of data"
        )


def image_view(image: Image) -> NDArray[np.generic]:
    """View the pixels of a message without copying; shape (H, W) or (H, W, C), without padding.

    Raises:
        UnsupportedEncoding: Naming the encodings that can be read.
        MalformedImage: If the data is too short for the size in its header.
        ImageTooLarge: If it has more than `MAX_PIXELS`.
    """
    layout = LAYOUTS.get(image.encoding)
    if layout is None:
        raise UnsupportedEncoding(image.encoding, sorted(LAYOUTS))
    return _pixels(image, layout, image.height)


def _planes(image: Image) -> NDArray[np.generic]:
    """View luma and the chroma below it, shape (3 H / 2, W)."""
    if image.height % 2 or image.width % 2:
        raise MalformedImage(image)
    return _pixels(image, PixelLayout("u1", 1), image.height * 3 // 2)


def _pixels(image: Image, layout: PixelLayout, height: int) -> NDArray[np.generic]:
    check_pixels(image.width, height)
    dtype = np.dtype(layout.dtype).newbyteorder(">" if image.is_bigendian else "<")
    row = image.width * layout.channels * dtype.itemsize
    if image.width == 0 or height == 0 or image.step < row or len(image.data) < image.step * height:
        raise MalformedImage(image)
    rows = np.frombuffer(image.data, np.uint8, image.step * height).reshape(height, image.step)
    pixels = rows[:, :row].view(dtype)
    return pixels if layout.channels == 1 else pixels.reshape(height, image.width, layout.channels)


def rgb_of(image: Image) -> NDArray[np.uint8]:
    """Convert a colour or grey image to RGB; uint8, shape (H, W, 3).

    Raises:
        UnsupportedEncoding: If the encoding is neither colour nor grey.
        MalformedImage: If the data is too short for the size in its header.
    """
    decoder: Decoder | None = DECODERS.get(image.encoding)
    if decoder is None:
        raise UnsupportedEncoding(image.encoding, sorted(DECODERS))
    try:
        return decoder(_planes(image) if image.encoding in PLANES else image_view(image))
    except cv2.error as error:  # sizes that an encoding cannot have, such as an odd width of pairs
        raise MalformedImage(image) from error


def depth_of(image: Image) -> NDArray[np.float32]:
    """Convert a depth image to [m], 0 where unknown; float32, shape (H, W). 16UC1 holds millimetres.

    Raises:
        UnsupportedEncoding: If it is neither 16UC1, mono16 nor 32FC1.
        MalformedImage: If the data is too short for the size in its header.
    """
    if image.encoding == "32FC1":
        view = image_view(image).astype(np.float32, copy=False)
        return np.where(np.isfinite(view) & (view > 0.0), view, np.float32(0.0))
    if image.encoding in ("16UC1", "mono16"):
        return image_view(image).astype(np.float32) / np.float32(1000.0)
    raise UnsupportedEncoding(image.encoding, ["16UC1", "32FC1", "mono16"])


def image_message(pixels: NDArray[np.generic], encoding: str, time: float, frame_id: str) -> Image:
    """Convert pixels of shape (H, W) or (H, W, C) to a message stamped ``time`` [s].

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


class UndecodableImage(OpenRALError):
    """Compressed data in a form that is not read, or damaged."""

    def __init__(self, image: CompressedImage, expected: str = "JPEG or PNG") -> None:
        super().__init__(
            f"{len(image.data)} bytes of {image.format[:64]!r} cannot be decoded: expected {expected}"
        )


def rgb_of_compressed(image: CompressedImage) -> NDArray[np.uint8]:
    """Decode a JPEG or PNG image to RGB; uint8, shape (H, W, 3).

    Its size is checked before decoding: a file of 68 bytes can announce gigabytes. EXIF does not turn it,
    since CameraInfo describes the pixels as they are stored; "compressed rgb8" has its channels in that
    order, as in compressed_image_transport.

    Raises:
        UndecodableImage: If the data is not an image.
        ImageTooLarge: If it has more than `MAX_PIXELS`.
    """
    pixels = decode(image, 0, cv2.IMREAD_COLOR | cv2.IMREAD_ANYDEPTH)
    if pixels.dtype == np.uint16:
        pixels = _to_bytes(pixels)
    if "compressed rgb" in image.format.partition(";")[2]:
        return np.asarray(pixels, np.uint8)
    return np.asarray(cv2.cvtColor(pixels, cv2.COLOR_BGR2RGB), np.uint8)


def decode(image: CompressedImage, start: int, flags: int) -> NDArray[np.generic]:
    """Check the size of a JPEG or PNG from byte ``start`` on, and decode it by OpenCV's ``flags``, unturned.

    Raises:
        UndecodableImage: If the data is not an image.
        ImageTooLarge: If it has more than `MAX_PIXELS`.
    """
    data = np.frombuffer(image.data, np.uint8)[start:]
    size = compressed_size(data.data)
    if size is None:
        raise UndecodableImage(image)
    check_pixels(*size)
    try:
        pixels = cv2.imdecode(data, flags | cv2.IMREAD_IGNORE_ORIENTATION)
    except cv2.error as error:
        raise UndecodableImage(image) from error
    if pixels is None:
        raise UndecodableImage(image)
    return np.asarray(pixels)
