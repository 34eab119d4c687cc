"""Pages of images with what detectors see in them, and where two detectors disagree."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

from openral_core.detectors import Box, Detection
from openral_perception_ros.publishers import draw_annotations
from openral_training.detect.preparations import OVERLAP

COLUMNS = 4
"""Images in a row of a page [count]."""
ROWS = 4
"""Rows of a page [count]."""
WIDTH = 480
"""Width of an image on a page [px]."""
TITLE = 20
"""Height of the line above an image [px]."""


def tile(rgb: NDArray[np.uint8], title: str, detections: Sequence[Detection]) -> NDArray[np.uint8]:
    """Draw one image with boxes, labels and scores below a title, (H, ``WIDTH``, 3)."""
    scale = WIDTH / rgb.shape[1]
    small = cv2.resize(rgb, (WIDTH, max(round(scale * rgb.shape[0]), 1)), interpolation=cv2.INTER_AREA)
    boxes = (each.box for each in detections)
    scaled = (Box(*(scale * edge for edge in (b.x_min, b.y_min, b.x_max, b.y_max))) for b in boxes)
    drawn = draw_annotations(
        np.asarray(small, np.uint8),
        [replace(each, box=box) for each, box in zip(detections, scaled, strict=True)],
    )
    head = np.full((TITLE, WIDTH, 3), 255, np.uint8)
    cv2.putText(head, title[-60:], (4, 15), cv2.FONT_HERSHEY_SIMPLEX, 0.45, (0, 0, 0), 1, cv2.LINE_AA)
    return np.vstack([head, drawn]).astype(np.uint8)


def write_pages(tiles: Sequence[NDArray[np.uint8]], first: Path) -> list[Path]:
    """Write pages as PNG files: ``first``, then names with numbers.

    Args:
        tiles: Images of `tile`.
        first: File of the first page.
    """
    size, files = COLUMNS * ROWS, []
    for number, start in enumerate(range(0, len(tiles), size), start=1):
        file = first if number == 1 else first.with_stem(f"{first.stem}-{number}")
        page = cv2.cvtColor(_page(tiles[start : start + size]), cv2.COLOR_RGB2BGR)
        file.parent.mkdir(parents=True, exist_ok=True)
        cv2.imwrite(str(file), page)
        files.append(file)
    return files


def _page(tiles: Sequence[NDArray[np.uint8]]) -> NDArray[np.uint8]:
    rows = []
    for start in range(0, len(tiles), COLUMNS):
        row = tiles[start : start + COLUMNS]
        strip = np.full((max(map(len, row)), min(COLUMNS, len(tiles)) * WIDTH, 3), 255, np.uint8)
        for column, each in enumerate(row):
            strip[: len(each), column * WIDTH : (column + 1) * WIDTH] = each
        rows.append(strip)
    return np.vstack(rows)


def disagreements(
    first: Sequence[Detection], second: Sequence[Detection], shared: frozenset[str]
) -> Iterator[str]:
    """Yield what one of two detectors sees in an image and the other does not, or names otherwise.

    Args:
        first: Detections of one of them.
        second: Those of the other.
        shared: Labels that both can give; others are no disagreement.
    """
    theirs = [each for each in second if each.label in shared]
    for own in sorted((each for each in first if each.label in shared), key=lambda each: -each.score):
        near = [each for each in theirs if each.box.iou(own.box) >= OVERLAP]
        same = [each for each in near if each.label == own.label]
        other = max(same or near, key=lambda each: each.box.iou(own.box), default=None)
        if other is not None:
            theirs.remove(other)
        if other is None:
            yield f"{_text(own)} by the first alone"
        elif other.label != own.label:
            yield f"{_text(own)} by the first, {_text(other)} by the second"
    yield from (f"{_text(each)} by the second alone" for each in theirs)


def _text(detection: Detection) -> str:
    box = detection.box
    corners = ", ".join(f"{edge:.0f}" for edge in (box.x_min, box.y_min, box.x_max, box.y_max))
    return f"{detection.label} {detection.score:.2f} [{corners}]"


def listing(detections: Mapping[str, Sequence[Detection]]) -> Iterator[str]:
    """Yield a line per image with its detections, best first."""
    for name, objects in detections.items():
        yield f"{name}: {'; '.join(map(_text, objects)) or 'nothing'}"
