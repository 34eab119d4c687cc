"""Average precision at an overlap of 0.5, as COCO defines it, against an annotation file in COCO format."""

import contextlib
import io
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from faster_coco_eval import COCO, COCOeval_faster

from openral_core.detectors import Detection
from openral_training.detector.coco import NotCoco, read_coco


@dataclass(frozen=True, slots=True)
class AveragePrecision:
    """AP50 over the classes that annotations and detector share, and of each.

    ``unknown`` are annotated classes that the detector cannot name; they do not count.
    """

    mean: float
    classes: Mapping[str, float]
    objects: Mapping[str, int]
    images: int
    unknown: tuple[str, ...]


def average_precision(
    truth: Path, detections: Mapping[str, Sequence[Detection]], labels: Sequence[str]
) -> AveragePrecision:
    """Compute AP50 on the annotated images among those that were looked at.

    Args:
        truth: Annotations in COCO format.
        detections: Of each image, by file name; with low scores too.
        labels: Everything the detector can name.

    Raises:
        NotCoco: If the file is not valid, has none of the images, or shares no class with the detector.
    """
    content = read_coco(truth)
    images = {image.id: Path(image.file_name).name for image in content.images}
    images = {number: name for number, name in images.items() if name in detections}
    if not images:
        raise NotCoco(truth, f"it annotates none of the {len(detections)} images that were looked at")
    names = {each.id: each.name for each in content.categories}
    annotations = [each for each in content.annotations if each.image_id in images and each.extent]
    objects = Counter(names[each.category_id] for each in annotations if not (each.iscrowd or each.ignore))
    shared = [name for name in objects if name in labels]
    if not shared:
        raise NotCoco(truth, "the detector names none of the annotated classes")
    places = {number: place for place, number in enumerate(images)}
    true = [
        {
            "id": number,
            "image_id": places[each.image_id],
            "category_id": shared.index(names[each.category_id]),
            "bbox": list(each.extent),
            "area": each.extent[2] * each.extent[3],
            "iscrowd": int(each.iscrowd or each.ignore),
        }
        for number, each in enumerate(annotations, start=1)
        if each.extent and names[each.category_id] in shared
    ]
    rows = [
        {
            "image_id": places[number],
            "category_id": shared.index(each.label),
            "bbox": [each.box.x_min, each.box.y_min, each.box.width, each.box.height],
            "score": each.score,
        }
        for number, name in images.items()
        for each in detections[name]
        if each.label in shared
    ]
    by_class = _evaluate(true, rows, len(images), shared)
    unknown = tuple(name for name in objects if name not in shared)
    counts = {name: objects[name] for name in shared}
    return AveragePrecision(
        float(np.mean(by_class)), dict(zip(shared, by_class, strict=True)), counts, len(images), unknown
    )


def _evaluate(
    true: Sequence[Mapping[str, object]],
    rows: Sequence[Mapping[str, object]],
    images: int,
    classes: Sequence[str],
) -> list[float]:
    """Return AP50 of each class, in order."""
    if not rows:
        return [0.0] * len(classes)
    categories = [{"id": number, "name": name} for number, name in enumerate(classes)]
    truth = {"images": [{"id": number} for number in range(images)], "annotations": true}
    with contextlib.redirect_stdout(io.StringIO()):
        reference = COCO({**truth, "categories": categories})
        judged = COCOeval_faster(reference, reference.loadRes(rows), "bbox", print_function=lambda *_: None)
        judged.params.iouThrs = np.array([0.5])
        judged.evaluate()
        judged.accumulate()
    precision = np.asarray(judged.eval["precision"])[0, :, :, 0, -1]
    return [float(each[each > -1].mean()) if (each > -1).any() else 0.0 for each in precision.T]
