"""Depth images as ``compressedDepth`` of image_transport, in a PNG or by RVL, as recordings have them."""

import struct

import cv2
import numpy as np
from numpy.typing import NDArray
from sensor_msgs.msg import CompressedImage

from openral_ros.conversions.images import DEPTH_CONFIG, PNG, UndecodableImage, check_pixels, decode

RVL_SIZE = struct.Struct("<II")
"""Width and height before RVL data [px]."""


def depth_of_compressed(image: CompressedImage) -> NDArray[np.float32]:
    """Decode depth of ``compressedDepth``, or in a bare PNG, to [m], 0 where unknown; float32, shape (H, W).

    Source: compressed_depth_image_transport; 16UC1 holds millimetres, 32FC1 the inverse ``A / depth + B``.

    Raises:
        UndecodableImage: If the data is not such an image.
        ImageTooLarge: If it has more than `MAX_PIXELS`.
    """
    is_float, bare = image.format.startswith("32FC1"), bytes(image.data[:8]) == PNG
    if "rvl" in image.format.partition(";")[2].lower():
        pixels = _rvl_decoded(image)
    else:
        pixels = decode(image, 0 if bare else DEPTH_CONFIG.size, cv2.IMREAD_UNCHANGED)
    if pixels.ndim != 2 or pixels.dtype != np.uint16 or (is_float and bare):
        raise UndecodableImage(image, "a PNG or RVL of 16 bits behind its header")
    if not is_float:
        return pixels.astype(np.float32) / np.float32(1000.0)
    _, a, b = DEPTH_CONFIG.unpack_from(bytes(image.data[: DEPTH_CONFIG.size]))
    inverse = pixels.astype(np.float32) - np.float32(b)
    measured = pixels.astype(bool) & (inverse > 0.0)
    return np.where(measured, np.float32(a) / np.where(measured, inverse, np.float32(1.0)), np.float32(0.0))


def _rvl_decoded(image: CompressedImage) -> NDArray[np.generic]:
    data, start = bytes(image.data), DEPTH_CONFIG.size + RVL_SIZE.size
    if len(data) < start:
        raise UndecodableImage(image, "RVL behind its header")
    width, height = RVL_SIZE.unpack_from(data, DEPTH_CONFIG.size)
    check_pixels(width, height)
    values = decode_rvl(data[start:], width * height)
    if values is None:
        raise UndecodableImage(image, f"RVL of {width}x{height} pixels")
    return values.reshape(height, width)


NIBBLES = np.arange(28, -4, -4, dtype=np.uint32)
"""Shifts of the nibbles of a word, first to last [bit]."""
LONGEST = 11
"""Nibbles of the longest number, of 32 bits [count]."""


def decode_rvl(data: bytes, pixels: int) -> NDArray[np.uint16] | None:
    """Decode an image of ``pixels`` values, shape (N,), without a loop over pixels.

    Source: Wilson 2017, "Fast Lossless Depth Image Compression": runs of zeros and of differences alternate,
    in numbers of variable length, three bits per nibble, from the high end of each 32-bit word.

    Returns:
        None if the data does not hold so many values.
    """
    numbers = _numbers(np.frombuffer(data, "<u4", len(data) // 4))
    image, at, position = np.zeros(pixels, np.int64), 0, 0
    differences, places = list[NDArray[np.int64]](), list[tuple[int, int]]()
    while position < pixels:
        if at + 2 > len(numbers):
            return None
        begin = position + int(numbers[at])
        position = begin + int(numbers[at + 1])
        if position > pixels or at + 2 + position - begin > len(numbers) or numbers[at : at + 2].sum() == 0:
            return None
        differences.append(numbers[at + 2 : at + 2 + position - begin])
        places.append((begin, position))
        at += 2 + position - begin
    coded = np.concatenate([*differences, np.zeros(0, np.int64)])
    values, start = np.cumsum((coded >> 1) ^ -(coded & 1)), 0
    for begin, end in places:
        image[begin:end] = values[start : start + end - begin]
        start += end - begin
    return image.astype(np.uint16) if pixels and image.min() >= 0 and image.max() <= 0xFFFF else None


def _numbers(words: NDArray[np.uint32]) -> NDArray[np.int64]:
    """Split words into their numbers, least significant three bits first; an unfinished one is left out."""
    nibbles = ((words[:, None] >> NIBBLES) & 15).reshape(-1)
    last = np.flatnonzero(nibbles < 8)
    begin = np.concatenate([[0], last[:-1] + 1]) if len(last) else last
    numbers = np.zeros(len(last), np.int64)
    for step in range(LONGEST):
        present = begin + step <= last
        numbers[present] |= (nibbles[(begin + step)[present]].astype(np.int64) & 7) << (3 * step)
    return numbers
