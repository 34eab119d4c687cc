"""RVL, the lossless code of depth images in ``compressedDepth``, read without a loop over pixels.

Source: Wilson 2017, "Fast Lossless Depth Image Compression": runs of zeros and of differences alternate, in
numbers of variable length, three bits per nibble, from the high end of each 32-bit word.
"""

import numpy as np
from numpy.typing import NDArray

NIBBLES = np.arange(28, -4, -4, dtype=np.uint32)
"""Shifts of the nibbles of a word, first to last [bit]."""
LONGEST = 11
"""Nibbles of the longest number, of 32 bits [count]."""


def decode_rvl(data: bytes, pixels: int) -> NDArray[np.uint16] | None:
    """Decode an image of ``pixels`` values, shape (N,); None if the data does not hold so many."""
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
