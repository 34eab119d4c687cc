"""Objects that a detector names in images without ground truth, and whether they can be believed.

What a detector knows, it finds in a blurred image as well; what it makes up hangs on fine texture. On
photographs 65 to 92 % of the detections of NanoDet-Plus recur, 20 to 25 % of those of `home-tiny`, which was
trained on renders; of renders, `home-tiny` finds 87 % again. A mirror image tells less: a detector makes up
the same objects in it.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import cv2
import numpy as np

from openral_core.arrays import Image
from openral_core.detectors import Box, Detection
from openral_core.errors import OpenRALError
from openral_core.rskills import DetectorManifest, Vocabulary
from openral_testing.detectors.detector_run import LoadedDetector
from openral_testing.robot_check.findings import Finding

OVERLAP = 0.5
"""Intersection over union from which two boxes are of one object [1], as in PASCAL VOC."""
BLUR = 1.0 / 320.0
"""Standard deviation of the blur, of the image's width [1]: 2 px at a width of 640."""
BELIEVABLE = 0.45
"""Least share of detections that recur in the blurred image [1], midway between the measured detectors."""
IMAGES = (".jpg", ".jpeg", ".png")


class FolderWithoutImages(OpenRALError):
    """A folder without images."""

    def __init__(self, folder: Path) -> None:
        super().__init__(f"{folder} has no images: expected files that end with {', '.join(IMAGES)}")


class NeedsWords(OpenRALError):
    """A detector that names nothing by itself."""

    def __init__(self, manifest: DetectorManifest) -> None:
        super().__init__(
            f"{manifest.id!r} grounds the words of a request and names nothing by itself: choose a detector "
            "with a list of classes, such as coco-nano"
        )


@dataclass(frozen=True, slots=True)
class NamedObjects:
    """Detections per label, how many of all recur in the blurred image, and the number of images."""

    labels: Counter[str]
    recurring: int
    images: int

    @property
    def share(self) -> float:
        """Share of detections that recur [1]; 0 without any."""
        return self.recurring / self.labels.total() if self.labels else 0.0


def read_images(folder: Path) -> list[Image]:
    """Read the images of a folder as RGB.

    Raises:
        FolderWithoutImages: If it has none that can be read.
    """
    files = sorted(file for file in folder.glob("*") if file.suffix.lower() in IMAGES)
    images = [image for file in files if (image := cv2.imread(str(file))) is not None]
    if not images:
        raise FolderWithoutImages(folder)
    return [np.ascontiguousarray(image[..., ::-1], np.uint8) for image in images]


def name_objects(detector: LoadedDetector, images: Sequence[Image]) -> NamedObjects:
    """Detect in each image, and again after a blur.

    Raises:
        NeedsWords: If the detector has no list of classes.
    """
    manifest = detector.setup.manifest
    if manifest.vocabulary.kind is Vocabulary.OPEN:
        raise NeedsWords(manifest)
    labels, recurring = Counter[str](), 0
    for image in images:
        plain = detector.detect(image).detections
        blurred = np.asarray(cv2.GaussianBlur(image, (0, 0), BLUR * image.shape[1]), np.uint8)
        again = detector.detect(blurred).detections
        labels.update(each.label for each in plain)
        recurring += sum(_recurs(each, again) for each in plain)
    return NamedObjects(labels, recurring, len(images))


def _recurs(detection: Detection, again: Sequence[Detection]) -> bool:
    same = (each.box for each in again if each.label == detection.label)
    return any(overlap(detection.box, box) >= OVERLAP for box in same)


def overlap(one: Box, other: Box) -> float:
    """Return the intersection over union of two boxes [1]."""
    width = min(one.x_max, other.x_max) - max(one.x_min, other.x_min)
    height = min(one.y_max, other.y_max) - max(one.y_min, other.y_min)
    shared = max(width, 0.0) * max(height, 0.0)
    areas = sum((box.x_max - box.x_min) * (box.y_max - box.y_min) for box in (one, other))
    return shared / (areas - shared) if shared else 0.0


def finding_of(manifest: DetectorManifest, named: NamedObjects) -> Finding:
    """Return the finding about one detector."""
    what = f"detector {manifest.id} in {named.images} images"
    listed = ", ".join(f"{label} {count}" for label, count in named.labels.most_common())
    if named.share >= BELIEVABLE:
        return Finding(what, note=f"{listed}; {named.share:.0%} recur in the blurred image")
    reason = f"of {named.labels.total()} detections, {named.share:.0%} recur in the blurred image"
    limit = "; it was trained on rendered images" if manifest.imagery == "renders" else ""
    return Finding(
        what,
        f"names nothing here: {reason}{limit}" + (f" ({listed[:300]})" if listed else ""),
        "choose a detector for these images: --detectors real without a GPU, --detectors default with one",
    )
