"""Average precision at an overlap of 0.5, as COCO defines it, against an annotation file in COCO format."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from openral_core.detectors import Detection
from openral_testing.detectors.average_precision import AnnotatedObject, ap50
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
        AnnotatedObject(
            places[each.image_id],
            shared.index(names[each.category_id]),
            each.extent,
            is_crowd=bool(each.iscrowd or each.ignore),
        )
        for each in annotations
        if each.extent and names[each.category_id] in shared
    ]
    rows = [
        (places[number], shared.index(each.label), each)
        for number, name in images.items()
        for each in detections[name]
        if each.label in shared
    ]
    by_class = ap50(len(images), true, rows, shared)
    unknown = tuple(name for name in objects if name not in shared)
    counts = {name: objects[name] for name in shared}
    return AveragePrecision(
        float(np.mean(by_class)), dict(zip(shared, by_class, strict=True)), counts, len(images), unknown
    )
