"""Average precision at an overlap of 0.5 on annotated photographs, as COCO defines it, in numpy alone."""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Self

import numpy as np

from openral_core.arrays import Array, Mask
from openral_core.detectors import Detection

MIN_OVERLAP = 0.5
"""Intersection over union from which a detection counts [1]."""
MOST = 100
"""Detections of one class in one image that count, as in COCO [count]."""
RECALLS = np.linspace(0.0, 1.0, 101)
"""Recalls at which precision is sampled [1]."""


@dataclass(frozen=True, slots=True, eq=False)
class Photograph:
    """One annotated image: corners [px] (N, 4) of its objects by label, and which stand for crowds (N,)."""

    file: Path
    boxes: Mapping[str, Array]
    crowds: Mapping[str, Mask]
    group: str = ""
    split: str = ""

    @classmethod
    def read(cls, folder: Path) -> tuple[Self, ...]:
        """Read ``annotations.json`` in COCO's format, with ``images/`` beside it."""
        content = json.loads((folder / "annotations.json").read_text("utf-8"))
        names = {each["id"]: each["name"] for each in content["categories"]}
        entries: dict[int, dict[str, list[tuple[list[float], bool]]]] = {}
        for each in content["annotations"]:
            of_image = entries.setdefault(each["image_id"], {})
            entry = (_corners(each["bbox"]), bool(each["iscrowd"]))
            of_image.setdefault(names[each["category_id"]], []).append(entry)
        return tuple(
            cls(
                folder / "images" / image["file_name"],
                {label: np.array([box for box, _ in objects]) for label, objects in labels.items()},
                {label: np.array([crowd for _, crowd in objects]) for label, objects in labels.items()},
                image.get("group", ""),
                image.get("coco_split", ""),
            )
            for image in content["images"]
            if (labels := entries.get(image["id"], {})) is not None
        )


def _corners(box: Sequence[float]) -> list[float]:
    x, y, width, height = box
    return [x, y, x + width, y + height]


def average_precisions(
    photographs: Sequence[Photograph], detections: Sequence[Sequence[Detection]], labels: Sequence[str]
) -> dict[str, float]:
    """Return AP50 of each label that occurs in the photographs and that the detector has."""
    occurring = {label for each in photographs for label, crowds in each.crowds.items() if not crowds.all()}
    return {
        label: _average_precision(list(_of_label(photographs, detections, label)))
        for label in labels
        if label in occurring
    }


Looks = tuple[Array, Array, Array, Mask]
"""Detected corners (D, 4) with their scores (D,), best first; true corners (N, 4), and crowds (N,)."""


def _of_label(
    photographs: Sequence[Photograph], detections: Sequence[Sequence[Detection]], label: str
) -> Iterator[Looks]:
    none, no_crowd = np.empty((0, 4)), np.empty(0, bool)
    for photograph, reported in zip(photographs, detections, strict=True):
        chosen = sorted((each for each in reported if each.label == label), key=lambda each: -each.score)
        boxes = [(each.box.x_min, each.box.y_min, each.box.x_max, each.box.y_max) for each in chosen[:MOST]]
        scores = np.array([each.score for each in chosen[:MOST]])
        truth = photograph.boxes.get(label, none), photograph.crowds.get(label, no_crowd)
        yield np.array(boxes).reshape(-1, 4), scores, *truth


def _average_precision(looks: Sequence[Looks]) -> float:
    """Interpolate precision over recall; detections of crowds do not count."""
    outcomes = [outcome for look in looks for outcome in _outcomes(*look)]
    objects = sum(int((~crowds).sum()) for *_, crowds in looks)
    if not outcomes:
        return 0.0
    table = np.array(outcomes)
    hits = table[np.argsort(-table[:, 0], kind="stable"), 1].cumsum()
    precision = np.maximum.accumulate((hits / np.arange(1, len(hits) + 1))[::-1])[::-1]
    places = np.searchsorted(hits / objects, RECALLS, side="left")
    return float(np.append(precision, 0.0)[places.clip(max=len(precision))].mean())


def _outcomes(boxes: Array, scores: Array, truth: Array, crowds: Mask) -> Iterator[tuple[float, float]]:
    """Yield score and 1 or 0 for each detection that hits, or misses, an object of its own."""
    overlaps, free = overlap_matrix(boxes, truth, crowds), ~crowds
    for row, score in zip(overlaps, scores, strict=True):
        best = np.where(free, row, 0.0)
        if best.size and best.max() >= MIN_OVERLAP:
            free[int(best.argmax())] = False
            yield float(score), 1.0
        elif not (row[crowds] >= MIN_OVERLAP).any():
            yield float(score), 0.0


def overlap_matrix(boxes: Array, others: Array, crowds: Mask) -> Array:
    """Return intersections over unions (D, N); over a crowd, the share of the box that it covers."""
    corners = np.minimum(boxes[:, None, 2:], others[:, 2:]) - np.maximum(boxes[:, None, :2], others[:, :2])
    shared = corners.clip(min=0.0).prod(axis=2)
    areas = (boxes[:, 2:] - boxes[:, :2]).prod(axis=1)[:, None]
    union = areas + (others[:, 2:] - others[:, :2]).prod(axis=1) - shared
    return np.asarray(shared / np.where(crowds, areas, union).clip(min=1e-9))
