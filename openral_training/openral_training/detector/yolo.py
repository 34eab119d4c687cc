"""Data sets as YOLO wants them, from Ultralytics, Roboflow or CVAT: ``data.yaml`` and a text file per image.

A line is ``class x y width height``, or ``class x1 y1 x2 y2 x3 y3 ...`` for an outline, in shares of the
image. The text file of ``.../images/NAME.jpg`` is ``.../labels/NAME.txt``; an image without
one shows nothing.
"""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from openral_core.documents import InvalidDocument, read_yaml
from openral_core.errors import OpenRALError, quoted
from openral_core.files import read_bytes
from openral_training.detector.layouts import SPLITS, image_size, orientation
from openral_training.detector.splits import AnnotatedImage, CocoSplit, boxed

SUFFIXES = frozenset({".jpg", ".jpeg", ".png", ".bmp", ".webp", ".tif", ".tiff"})
MAX_TEXT = 10_000_000
"""Largest text file [bytes]."""
MARGIN = 1e-3
"""Rounding by which a coordinate may exceed its image [1]."""


class NotYolo(OpenRALError):
    """An export of YOLO that cannot be read."""

    def __init__(self, where: Path, problem: str) -> None:
        super().__init__(
            f"{where} is not a data set of YOLO: {problem}; expected data.yaml with 'names' and 'train' and "
            "'val' folders of images, and lines 'class x y width height' in shares of the image"
        )


def read_yolo(file: Path, split: str) -> CocoSplit:
    """Read one split.

    Raises:
        NotYolo: If the file or a text of an image is not valid, or no image of the split has a text.
    """
    try:
        content = read_yaml(file)
    except InvalidDocument as error:
        raise NotYolo(file, str(error)) from error
    labels = _labels(file, content)
    images = sorted(set(_images(file, content, split)))
    texts = {image: _text_of(image) for image in images}
    if not any(text.is_file() for text in texts.values()):
        raise NotYolo(file, f"none of the {len(images)} images of split {split!r} has a text in labels/")
    keypoints = content.get("kpt_shape") is not None
    made = tuple(_annotated(image, text, len(labels), keypoints) for image, text in texts.items())
    return CocoSplit(file, labels, made, {})


def _labels(file: Path, content: Mapping[str, object]) -> tuple[str, ...]:
    names = content.get("names")
    if isinstance(names, dict):
        names = [names[key] for key in sorted(names)] if set(names) == set(range(len(names))) else None
    if not isinstance(names, list) or not names or len(set(map(str, names))) < len(names):
        raise NotYolo(file, "'names' is no list of different names, numbered from 0")
    return tuple(map(str, names))


def _images(file: Path, content: Mapping[str, object], split: str) -> Iterator[Path]:
    key = next((name for name in (split, *SPLITS.get(split, ())) if content.get(name)), None)
    if key is None:
        raise NotYolo(file, f"it has no split {split!r}")
    listed = content[key]
    root = file.parent / str(content.get("path") or "")
    for name in listed if isinstance(listed, list) else [listed]:
        yield from _images_in(file, _place(file, (root, file.parent), str(name)))


def _place(file: Path, roots: Sequence[Path], name: str) -> Path:
    """Find a folder or list; Roboflow writes ``../train/images`` for ``train/images``."""
    for root in roots:
        for form in (name, name.removeprefix("../")):
            if (root / form).exists():
                return root / form
    raise NotYolo(file, f"{quoted(name)} does not exist")


def _images_in(file: Path, place: Path) -> Iterator[Path]:
    if place.is_dir():
        yield from (path for path in place.rglob("*") if path.suffix.lower() in SUFFIXES)
        return
    for line in _lines(place):
        yield _place(file, (place.parent, file.parent), line)


def _lines(file: Path) -> list[str]:
    try:
        text = read_bytes(file, MAX_TEXT).decode("utf-8-sig")
    except (OSError, ValueError) as error:
        raise NotYolo(file, str(error)) from error
    return [line.strip() for line in text.splitlines() if line.strip()]


def _text_of(image: Path) -> Path:
    """Name the text of an image: the last folder ``images`` of its path becomes ``labels``."""
    parts = list(image.parts)
    place = max((n for n, part in enumerate(parts) if part == "images"), default=None)
    if place is not None:
        parts[place] = "labels"
    return Path(*parts).with_suffix(".txt")


def _annotated(image: Path, text: Path, classes: int, keypoints: bool) -> AnnotatedImage:
    size = image_size(image)
    if size is None or orientation(image) > 1:
        raise NotYolo(image, "it cannot be decoded, or is turned by its EXIF tag: turn its pixels")
    numbers, rows = list[int](), list[NDArray[np.float64]]()
    for line, words in enumerate(_lines(text) if text.is_file() else (), start=1):
        number, row = _row(words.split(), classes, keypoints) or (0, None)
        if row is None:
            raise NotYolo(text, f"line {line}, {quoted(words)}, is no object of {classes} classes")
        numbers.append(number)
        rows.append(row * (*size, *size))
    boxes = np.array(rows, np.float32)
    return AnnotatedImage(image, size, boxed(boxes, numbers, [False] * len(rows), size))


def _row(words: Sequence[str], classes: int, keypoints: bool) -> tuple[int, NDArray[np.float64]] | None:
    """Read class and x, y, width, height in [0, 1]; None if the line has neither box nor outline."""
    try:
        number, values = int(words[0]), np.array(words[1:], np.float64)
    except (IndexError, ValueError):
        return None
    values = values[:4] if keypoints else values
    if not 0 <= number < classes or not bool(((values >= -MARGIN) & (values <= 1.0 + MARGIN)).all()):
        return None
    if len(values) == 4:
        return number, np.array([*(values[:2] - values[2:] / 2), *values[2:]])
    if len(values) < 6 or len(values) % 2:
        return None
    corners = values.reshape(-1, 2)
    return number, np.array([*corners.min(axis=0), *np.ptp(corners, axis=0)])
