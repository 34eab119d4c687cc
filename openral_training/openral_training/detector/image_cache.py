"""Decoded images of a split in one file, read through a memory map: each image is decoded once per run.

The file is appended to, so that an interrupted build goes on, and images added to the split later are
appended. It lies on disk at 3 bytes per pixel; the system keeps in memory what is read often.
"""

import json
import os
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

from openral_core.errors import OpenRALError
from openral_core.files import replace_file
from openral_training.detector.splits import AnnotatedImage, Objects

GREY = 114
"""Level of the padding, as in YOLO-family letterboxing [levels of 255]."""
CHUNK = 64
"""Images decoded between two reports of progress [count]."""
Report = Callable[[int, int], None]


class UnreadableImage(OpenRALError):
    """An image file that cannot be decoded, or whose size is not the annotated one."""

    def __init__(self, file: Path, problem: str) -> None:
        super().__init__(f"{file}: {problem}; mend or remove it, and its entry in annotations.json")


class CacheNotWritten(OpenRALError):
    """A cache that could not be written, mostly because the disk is full."""

    def __init__(self, file: Path, needed: int, reason: OSError) -> None:
        super().__init__(
            f"cannot write the image cache {file}: {reason.strerror or reason}; it needs "
            f"{needed / 1e6:.0f} MB in total. Free space or name another folder with --cache; "
            "the same command then goes on"
        )


@dataclass(frozen=True, slots=True, eq=False)
class ImageView:
    """An image with its objects in its own pixels; ``pixels`` is RGB uint8 (H, W, 3)."""

    pixels: NDArray[np.uint8]
    objects: Objects


class DecodedImages:
    """Images of one split, fitted into one size without enlarging them.

    Args:
        pixels: Memory map, uint8 (N, H, W, 3).
        images: The labelled images, in the same order.
    """

    def __init__(self, pixels: NDArray[np.uint8], images: Sequence[AnnotatedImage]) -> None:
        self._pixels, self.images = pixels, images

    def __len__(self) -> int:
        return len(self.images)

    @property
    def size(self) -> tuple[int, int]:
        """(width, height) of the padded images [px]."""
        return int(self._pixels.shape[2]), int(self._pixels.shape[1])

    def scale(self, index: int) -> float:
        """Return the factor from the file's pixels to the cache's, at most 1."""
        return _scale(self.images[index].size, self.size)

    def view(self, index: int) -> ImageView:
        """Return one image without its padding; the pixels belong to the cache and must not be written."""
        image = self.images[index]
        width, height = _fitted(image.size, self.size)
        boxes = image.objects.boxes * np.float32(self.scale(index))
        objects = Objects(boxes, image.objects.classes, image.objects.ignored)
        return ImageView(self._pixels[index, :height, :width], objects)

    def padded(self, index: int) -> NDArray[np.uint8]:
        """Return one image with its padding, shape (H, W, 3)."""
        return self._pixels[index]


def _scale(source: tuple[int, int], size: tuple[int, int]) -> float:
    return min(1.0, size[0] / source[0], size[1] / source[1])


def _fitted(source: tuple[int, int], size: tuple[int, int]) -> tuple[int, int]:
    scale = _scale(source, size)
    return max(1, round(source[0] * scale)), max(1, round(source[1] * scale))


def open_cache(
    file: Path, images: Sequence[AnnotatedImage], size: tuple[int, int], report: Report
) -> DecodedImages:
    """Open the cache of a split, decoding what it lacks.

    Args:
        file: The file; a list of the contained images is written beside it.
        images: The split's images.
        size: (width, height) [px].
        report: Called with the number of decoded images and of all.

    Raises:
        UnreadableImage: If a file is not an image of the annotated size.
        CacheNotWritten: If the disk is full or read-only.
    """
    frame = size[0] * size[1] * 3
    expected: list[list[object]] = [
        list(size),
        *([str(i.file), i.file.stat().st_size, i.file.stat().st_mtime_ns] for i in images),
    ]
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        complete = _reusable(file, expected, frame)
        replace_file(file.with_suffix(".json"), json.dumps(expected))
        _append(file, images, complete, size, report)
    except OSError as error:
        raise CacheNotWritten(file, frame * len(images), error) from error
    shape = (len(images), size[1], size[0], 3)
    return DecodedImages(np.memmap(file, np.uint8, "r", shape=shape), images)


def _reusable(file: Path, expected: list[list[object]], frame: int) -> int:
    """Count the leading images that an existing cache holds unchanged."""
    try:
        present = json.loads(file.with_suffix(".json").read_text(encoding="utf-8"))
        stored = file.stat().st_size // frame
    except (OSError, ValueError):
        return 0
    same = 0
    while same < min(len(present), len(expected)) and present[same] == expected[same]:
        same += 1
    return max(0, min(same - 1, stored))  # the first entry is the size


def _append(
    file: Path, images: Sequence[AnnotatedImage], complete: int, size: tuple[int, int], report: Report
) -> None:
    with file.open("ab") as out, ThreadPoolExecutor(os.cpu_count()) as pool:
        out.truncate(complete * size[0] * size[1] * 3)
        for start in range(complete, len(images), CHUNK):
            chunk = images[start : start + CHUNK]
            for pixels in pool.map(lambda image: decode(image, size), chunk):
                out.write(pixels.tobytes())
            report(start + len(chunk), len(images))


def decode(image: AnnotatedImage, size: tuple[int, int]) -> NDArray[np.uint8]:
    """Decode one image as RGB, fitted into ``size`` and padded right and below, shape (H, W, 3).

    Raises:
        UnreadableImage: If it is not an image of the annotated size.
    """
    bgr = cv2.imread(str(image.file), cv2.IMREAD_COLOR)
    if bgr is not None and (bgr.shape[1], bgr.shape[0]) != image.size:  # annotated as stored
        bgr = cv2.imread(str(image.file), cv2.IMREAD_COLOR | cv2.IMREAD_IGNORE_ORIENTATION)
    if bgr is None:
        raise UnreadableImage(image.file, "it cannot be decoded")
    if (bgr.shape[1], bgr.shape[0]) != image.size:
        raise UnreadableImage(
            image.file,
            f"it is {bgr.shape[1]}x{bgr.shape[0]}, its annotation says {image.size[0]}x{image.size[1]}",
        )
    fitted = _fitted(image.size, size)
    rgb = cv2.cvtColor(bgr, cv2.COLOR_BGR2RGB)
    if fitted != image.size:
        rgb = cv2.resize(rgb, fitted, interpolation=cv2.INTER_AREA)
    padded = np.full((size[1], size[0], 3), GREY, np.uint8)
    padded[: fitted[1], : fitted[0]] = rgb
    return padded
