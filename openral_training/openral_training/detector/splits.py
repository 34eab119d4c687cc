"""Images of one split of a data set and their objects, from whatever format they were read."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from openral_core.errors import OpenRALError, format_choices


class ClassesDiffer(OpenRALError):
    """Classes of a checkpoint or split that the data do not have."""

    def __init__(self, expected_by: str, expected: Sequence[str], where: str, present: Sequence[str]) -> None:
        missing = [label for label in expected if label not in present]
        added = [label for label in present if label not in expected]
        super().__init__(
            f"the classes of {where} do not match those of {expected_by}: missing "
            f"{format_choices(missing)}; not in {expected_by}: {format_choices(added)}"
        )


@dataclass(frozen=True, slots=True, eq=False)
class Objects:
    """Objects of one image.

    ``boxes`` is x_min, y_min, x_max, y_max [px], float32 (N, 4); ``classes`` indexes the labels, int64 (N,);
    ``ignored`` marks regions that count neither as object nor as background, bool (N,).
    """

    boxes: NDArray[np.float32]
    classes: NDArray[np.int64]
    ignored: NDArray[np.bool_]

    def only(self, chosen: NDArray[np.bool_]) -> "Objects":
        """Select objects by a mask."""
        return Objects(self.boxes[chosen], self.classes[chosen], self.ignored[chosen])

    @classmethod
    def joined(cls, parts: Sequence["Objects"]) -> "Objects":
        """Join the objects of several parts of an image."""
        return cls(
            np.concatenate([part.boxes for part in parts]),
            np.concatenate([part.classes for part in parts]),
            np.concatenate([part.ignored for part in parts]),
        )


@dataclass(frozen=True, slots=True, eq=False)
class AnnotatedImage:
    """One image file and its objects in the file's own pixels; ``size`` is (width, height) [px]."""

    file: Path
    size: tuple[int, int]
    objects: Objects


@dataclass(frozen=True, slots=True, eq=False)
class CocoSplit:
    """The images of one split; ``labels`` are its categories by ascending id."""

    file: Path
    labels: tuple[str, ...]
    images: tuple[AnnotatedImage, ...]
    info: Mapping[str, object]

    def counts(self) -> NDArray[np.int64]:
        """Count the objects of each class, without ignored ones, shape (C,)."""
        every = [image.objects.classes[~image.objects.ignored] for image in self.images]
        return np.bincount(np.concatenate(every), minlength=len(self.labels))

    def relabelled(self, labels: tuple[str, ...], expected_by: str) -> "CocoSplit":
        """Return the split with its classes numbered as in ``labels``; other objects become background.

        Raises:
            ClassesDiffer: If a label is not among the categories.
        """
        if not set(labels) <= set(self.labels):
            raise ClassesDiffer(expected_by, labels, str(self.file), self.labels)
        if labels == self.labels:
            return self
        numbers = np.array([labels.index(name) if name in labels else -1 for name in self.labels], np.int64)
        images = tuple(_renumbered(image, numbers) for image in self.images)
        return CocoSplit(self.file, labels, images, self.info)


def _renumbered(image: AnnotatedImage, numbers: NDArray[np.int64]) -> AnnotatedImage:
    annotated = image.objects
    objects = Objects(annotated.boxes, numbers[annotated.classes], annotated.ignored)
    return AnnotatedImage(image.file, image.size, objects.only((objects.classes >= 0) | objects.ignored))


def boxed(
    rows: NDArray[np.float32], classes: Sequence[int], ignored: Sequence[bool], size: tuple[int, int]
) -> Objects:
    """Clip boxes x, y, width, height to the image and drop those without area in it.

    Args:
        rows: Shape (N, 4) [px].
        classes: Numbers of the labels.
        ignored: Regions that count neither as object nor as background.
        size: (width, height) of the image [px].
    """
    boxes = rows.reshape(-1, 4).copy()
    boxes[:, 2:] += boxes[:, :2]
    boxes[:, 0::2] = boxes[:, 0::2].clip(0.0, size[0])
    boxes[:, 1::2] = boxes[:, 1::2].clip(0.0, size[1])
    area = (boxes[:, 2] > boxes[:, 0]) & (boxes[:, 3] > boxes[:, 1])
    return Objects(boxes, np.array(classes, np.int64), np.array(ignored, np.bool_)).only(area)


def trained_labels(split: CocoSplit) -> Iterator[str]:
    """Yield the labels of a split that have at least one object to learn from."""
    for label, count in zip(split.labels, split.counts(), strict=True):
        if count:
            yield label
