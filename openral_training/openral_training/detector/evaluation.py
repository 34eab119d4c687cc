"""Metrics of a detector on one split: COCO's, per class and per apparent size, and the calibration error."""

import contextlib
import io
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from faster_coco_eval import COCO, COCOeval_faster

from openral_training.detector.calibration import calibration_error
from openral_training.detector.matching import MIN_OVERLAP, SIZES, Detections, Matches, match
from openral_training.detector.splits import Objects


@dataclass(frozen=True, slots=True)
class ClassResult:
    """Result of one class: objects [count], average precision, and recall at the operating point [1]."""

    label: str
    objects: int
    ap50: float
    recall: float


@dataclass(frozen=True, slots=True)
class SizeResult:
    """Result of one range of the short side: objects [count], recall at the operating point, and at all."""

    size: str
    objects: int
    recall: float
    recall_at_any_score: float


@dataclass(frozen=True, slots=True)
class Evaluation:
    """Metrics of a split; average precisions are means over the classes that occur in it."""

    images: int
    ap: float
    ap50: float
    ap_small: float
    threshold: float
    recall: float
    precision: float
    calibration_error: float
    classes: tuple[ClassResult, ...]
    sizes: tuple[SizeResult, ...]


def evaluate(
    detections: Sequence[Detections],
    objects: Sequence[Objects],
    labels: tuple[str, ...],
    threshold: float | None = None,
) -> Evaluation:
    """Compute the metrics of a split.

    Args:
        detections: Of each image.
        objects: Of each image, in the same pixels.
        labels: Names of the classes.
        threshold: Operating point; None takes the one with the best F1 score on this split.
    """
    coco, matches = coco_metrics(detections, objects, labels), match(detections, objects)
    chosen = matches.operating_point() if threshold is None else threshold
    ap, ap50, ap_small, by_class = coco
    return Evaluation(
        images=len(objects),
        ap=ap,
        ap50=ap50,
        ap_small=ap_small,
        threshold=chosen,
        recall=matches.recall(chosen),
        precision=matches.precision(chosen),
        calibration_error=calibration_error(matches.scores, matches.right),
        classes=_by_class(matches, labels, by_class, chosen),
        sizes=_by_size(matches, chosen),
    )


def _by_class(
    matches: Matches, labels: tuple[str, ...], ap50: Mapping[int, float], threshold: float
) -> tuple[ClassResult, ...]:
    results = []
    for number, label in enumerate(labels):
        own = matches.object_classes == number
        if own.any():
            recall = float((matches.found_at[own] > threshold).mean())
            results.append(ClassResult(label, int(own.sum()), ap50.get(number, 0.0), recall))
    return tuple(results)


def _by_size(matches: Matches, threshold: float) -> tuple[SizeResult, ...]:
    results = []
    for name, low, high in SIZES:
        count = int(((matches.short_sides >= low) & (matches.short_sides < high)).sum())
        at_threshold, at_any = (matches.recall(score, (low, high)) for score in (threshold, 0.0))
        results.append(SizeResult(name, count, at_threshold, at_any))
    return tuple(results)


def coco_metrics(
    detections: Sequence[Detections], objects: Sequence[Objects], labels: tuple[str, ...]
) -> tuple[float, float, float, dict[int, float]]:
    """Return AP, AP50, AP of small objects (area under 32x32) and AP50 by class, as COCO defines them."""
    truth = _truth(objects, labels)
    rows = [row for image, each in enumerate(detections) for row in _rows(image, each)]
    if not rows or not truth["annotations"]:
        return 0.0, 0.0, 0.0, {}
    with contextlib.redirect_stdout(io.StringIO()):
        reference = COCO(truth)
        judged = COCOeval_faster(reference, reference.loadRes(rows), "bbox", print_function=lambda *_: None)
        judged.evaluate()
        judged.accumulate()
    precision = np.asarray(judged.eval["precision"])  # overlap x recall x class x area x detections per image
    overlaps = np.asarray(judged.params.iouThrs)
    half = int(np.abs(overlaps - MIN_OVERLAP).argmin())
    every, small = precision[..., 0, -1], precision[..., 1, -1]
    by_class = {
        int(number): _mean(every[half, :, place]) for place, number in enumerate(judged.params.catIds)
    }
    return _mean(every), _mean(every[half]), _mean(small), by_class


def _mean(precision: "np.ndarray[Any, np.dtype[np.float64]]") -> float:
    """Return the mean over what occurs; COCO marks the rest by -1."""
    occurring = precision[precision > -1]
    return float(occurring.mean()) if occurring.size else 0.0


def _truth(objects: Sequence[Objects], labels: tuple[str, ...]) -> dict[str, Any]:
    annotations: list[dict[str, Any]] = []
    for image, each in enumerate(objects):
        for box, number, ignored in zip(each.boxes, each.classes, each.ignored, strict=True):
            for category in range(len(labels)) if ignored else (int(number),):
                sides = _corner_and_sides(box)
                entry = {
                    "id": len(annotations) + 1,
                    "image_id": image,
                    "category_id": category,
                    "bbox": sides,
                }
                annotations.append({**entry, "area": sides[2] * sides[3], "iscrowd": int(ignored)})
    return {
        "images": [{"id": number} for number in range(len(objects))],
        "annotations": annotations,
        "categories": [{"id": number, "name": label} for number, label in enumerate(labels)],
    }


def _rows(image: int, detections: Detections) -> list[dict[str, Any]]:
    return [
        {"image_id": image, "category_id": int(number), "bbox": _corner_and_sides(box), "score": float(score)}
        for box, score, number in zip(detections.boxes, detections.scores, detections.classes, strict=True)
    ]


def _corner_and_sides(box: "np.ndarray[Any, np.dtype[np.float32]]") -> list[float]:
    return [float(box[0]), float(box[1]), float(box[2] - box[0]), float(box[3] - box[1])]
