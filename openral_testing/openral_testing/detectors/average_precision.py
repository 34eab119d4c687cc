"""Average precision at an overlap of 0.5 on annotated photographs, as COCO defines it."""

import contextlib
import io
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Self

import numpy as np
from faster_coco_eval import COCO, COCOeval_faster

from openral_core.arrays import Array, Mask
from openral_core.detectors import Detection


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
    classes = [label for label in labels if label in occurring]
    truth = [
        AnnotatedObject(number, classes.index(label), (x, y, right - x, bottom - y), is_crowd=bool(crowd))
        for number, photograph in enumerate(photographs)
        for label in photograph.boxes.keys() & set(classes)
        for (x, y, right, bottom), crowd in zip(
            photograph.boxes[label], photograph.crowds[label], strict=True
        )
    ]
    reported = [
        (number, classes.index(each.label), each)
        for number, of_image in enumerate(detections)
        for each in of_image
        if each.label in classes
    ]
    return dict(zip(classes, ap50(len(photographs), truth, reported, classes), strict=True))


@dataclass(frozen=True, slots=True)
class AnnotatedObject:
    """True object: numbers of image and class, and its box (x, y, width, height) [px]."""

    image: int
    category: int
    box: tuple[float, float, float, float]
    is_crowd: bool = False


def ap50(
    images: int,
    truth: Sequence[AnnotatedObject],
    detections: Sequence[tuple[int, int, Detection]],
    classes: Sequence[str],
) -> list[float]:
    """Return AP50 of each class, in order; detections stand with the numbers of their image and class."""
    if not detections:
        return [0.0] * len(classes)
    annotations = [
        {
            "id": number,
            "image_id": each.image,
            "category_id": each.category,
            "bbox": [float(side) for side in each.box],
            "area": float(each.box[2] * each.box[3]),
            "iscrowd": int(each.is_crowd),
        }
        for number, each in enumerate(truth, start=1)
    ]
    rows = [
        {
            "image_id": image,
            "category_id": category,
            "bbox": [each.box.x_min, each.box.y_min, each.box.width, each.box.height],
            "score": each.score,
        }
        for image, category, each in detections
    ]
    content = {
        "images": [{"id": number} for number in range(images)],
        "categories": [{"id": number, "name": name} for number, name in enumerate(classes)],
        "annotations": annotations,
    }
    with contextlib.redirect_stdout(io.StringIO()):
        reference = COCO(content)
        judged = COCOeval_faster(reference, reference.loadRes(rows), "bbox", print_function=lambda *_: None)
        judged.params.iouThrs = np.array([0.5])
        judged.evaluate()
        judged.accumulate()
    precision = np.asarray(judged.eval["precision"])[0, :, :, 0, -1]
    return [float(each[each > -1].mean()) if (each > -1).any() else 0.0 for each in precision.T]
