"""Drawn shapes as a data set in COCO format."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest

LABELS = ("square", "disc")
SIZE = (96, 64)


def drawn(rng: np.random.Generator) -> tuple[np.ndarray, list[tuple[int, list[int]]]]:
    """An image of SIZE and its (class, [x, y, width, height])."""
    pixels = np.full((SIZE[1], SIZE[0], 3), rng.integers(90, 160), np.uint8)
    found = []
    for left in (0, 48):
        side, kind = int(rng.integers(14, 36)), int(rng.integers(2))
        x, y = left + int(rng.integers(0, 48 - side)), int(rng.integers(0, SIZE[1] - side))
        colour = (0, 0, 255) if kind else (255, 255, 255)
        if kind:
            cv2.circle(pixels, (x + side // 2, y + side // 2), side // 2, colour, -1)
        else:
            cv2.rectangle(pixels, (x, y), (x + side - 1, y + side - 1), colour, -1)
        found.append((kind, [x, y, side, side]))
    return pixels, found


def write_split(folder: Path, count: int, seed: int) -> dict[str, Any]:
    rng = np.random.default_rng(seed)
    (folder / "images").mkdir(parents=True)
    images, annotations = list[dict[str, Any]](), list[dict[str, Any]]()
    for number in range(count):
        pixels, objects = drawn(rng)
        cv2.imwrite(str(folder / "images" / f"{number}.png"), pixels)
        images.append({"id": number, "file_name": f"{number}.png", "width": SIZE[0], "height": SIZE[1]})
        for kind, bbox in objects:
            entry = {"image_id": number, "category_id": 10 * kind + 10, "bbox": bbox, "iscrowd": 0}
            annotations.append({"id": len(annotations) + 1, "area": bbox[2] * bbox[3], **entry})
    categories = [{"id": 10 * number + 10, "name": label} for number, label in enumerate(LABELS)]
    content = {"images": images, "annotations": annotations, "categories": categories}
    (folder / "annotations.json").write_text(json.dumps(content))
    return content


@pytest.fixture(scope="session")
def write_shapes() -> Callable[[Path, int, int], object]:
    """`write_shapes(folder, count, seed)`: one split."""
    return write_split


@pytest.fixture
def shapes(tmp_path: Path) -> Callable[..., Path]:
    """`shapes(count, change)`: a folder with train and val; `change` may alter the content of train."""

    def make(count: int = 12, change: Callable[[dict[str, Any]], object] | None = None) -> Path:
        data = tmp_path / "data"
        content = write_split(data / "train", count, seed=1)
        write_split(data / "val", max(4, count // 4), seed=2)
        if change is not None:
            change(content)
            (data / "train" / "annotations.json").write_text(json.dumps(content))
        return data

    return make
