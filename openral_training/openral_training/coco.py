"""Data sets in COCO format: the images of one split and their objects, checked once when they are read.

A folder holds ``<split>/annotations.json`` with ``<split>/images/``, or COCO's own layout,
``annotations/instances_<split>*.json`` with ``<split>*/``.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import numpy as np
from numpy.typing import NDArray
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from openral_core.documents import describe_problem
from openral_core.errors import OpenRALError, format_choices
from openral_core.files import read_bytes

MAX_SIZE = 1_000_000_000
"""Largest annotation file [bytes]: that of COCO train2017 has 470 MB."""
MAX_PROBLEMS = 3
"""Problems of one file that an error lists [count]."""


class NotCoco(OpenRALError):
    """A folder or file that is not a data set in COCO format."""

    def __init__(self, where: Path, problem: str) -> None:
        super().__init__(
            f"{where} is not a data set in COCO format: {problem}; expected <split>/annotations.json with "
            "<split>/images/, or annotations/instances_<split>.json, with 'images', 'annotations' "
            "(bbox [x, y, width, height] in pixels) and 'categories'"
        )


class ClassesDiffer(OpenRALError):
    """Classes of a checkpoint or split that the data do not have."""

    def __init__(self, expected_by: str, expected: Sequence[str], where: str, found: Sequence[str]) -> None:
        missing = [label for label in expected if label not in found]
        added = [label for label in found if label not in expected]
        super().__init__(
            f"the classes of {where} do not match those of {expected_by}: missing "
            f"{format_choices(missing)}; not in {expected_by}: {format_choices(added)}"
        )


class _Part(BaseModel):
    model_config = ConfigDict(frozen=True, extra="ignore")


class CocoImage(_Part):
    """One entry of ``images``."""

    id: int
    file_name: str = Field(min_length=1)
    width: int = Field(gt=0, le=20_000)
    height: int = Field(gt=0, le=20_000)


class CocoAnnotation(_Part):
    """One entry of ``annotations``; ``iscrowd`` 1 marks a region to ignore."""

    image_id: int
    category_id: int
    bbox: tuple[
        Annotated[float, Field(allow_inf_nan=False)],
        Annotated[float, Field(allow_inf_nan=False)],
        Annotated[float, Field(ge=0.0, allow_inf_nan=False)],
        Annotated[float, Field(ge=0.0, allow_inf_nan=False)],
    ]
    iscrowd: int = 0


class CocoCategory(_Part):
    """One entry of ``categories``."""

    id: int
    name: str = Field(min_length=1)


class CocoFile(_Part):
    """An annotation file."""

    images: tuple[CocoImage, ...] = Field(min_length=1)
    annotations: tuple[CocoAnnotation, ...]
    categories: tuple[CocoCategory, ...] = Field(min_length=1)
    info: Mapping[str, object] = {}


@dataclass(frozen=True, slots=True, eq=False)
class Objects:
    """Objects of one image.

    ``boxes`` is x_min, y_min, x_max, y_max [px], float32 (N, 4); ``classes`` indexes the labels, int64 (N,);
    ``ignored`` marks regions that count neither as object nor as background, bool (N,).
    """

    boxes: NDArray[np.float32]
    classes: NDArray[np.int64]
    ignored: NDArray[np.bool_]

    def only(self, kept: NDArray[np.bool_]) -> "Objects":
        """Select objects by a mask."""
        return Objects(self.boxes[kept], self.classes[kept], self.ignored[kept])

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
    found = image.objects
    objects = Objects(found.boxes, numbers[found.classes], found.ignored)
    return AnnotatedImage(image.file, image.size, objects.only((objects.classes >= 0) | objects.ignored))


def read_split(data: Path, split: str) -> CocoSplit:
    """Read and check one split.

    Raises:
        NotCoco: If the folder has no such split, or its file is not valid; the first problems are named.
    """
    file, folders = _find(data, split)
    content = read_coco(file)
    categories = sorted(content.categories, key=lambda each: each.id)
    numbers = {category.id: number for number, category in enumerate(categories)}
    labels = tuple(category.name for category in categories)
    if len(set(labels)) != len(labels) or len(numbers) != len(labels):
        raise NotCoco(file, "two categories have the same name or id")
    by_image = _by_image(file, content, numbers)
    images = tuple(
        AnnotatedImage(_image_file(file, folders, image), (image.width, image.height), by_image[image.id])
        for image in content.images
    )
    return CocoSplit(file, labels, images, content.info)


def read_coco(file: Path) -> CocoFile:
    """Read an annotation file.

    Raises:
        NotCoco: If it cannot be read or is not valid; the first problems are named.
    """
    try:
        return CocoFile.model_validate_json(read_bytes(file, MAX_SIZE))
    except OSError as error:
        raise NotCoco(file, str(error)) from error
    except ValidationError as error:
        problems = [describe_problem(CocoFile, each) for each in error.errors()[:MAX_PROBLEMS]]
        raise NotCoco(file, "; ".join(problems)) from error


def _find(data: Path, split: str) -> tuple[Path, tuple[Path, ...]]:
    """Return the annotation file of a split and the folders that may hold its images."""
    own = data / split / "annotations.json"
    if own.is_file():
        return own, (data / split / "images", data / split)
    found = sorted((data / "annotations").glob(f"instances_{split}*.json"))
    if not found:
        present = sorted(path.name for path in data.iterdir()) if data.is_dir() else []
        raise NotCoco(data, f"no annotations of split {split!r} among {format_choices(present[:8])}")
    name = found[0].stem.removeprefix("instances_")
    return found[0], (data / name, data / "images" / name, data / "images", data)


def _image_file(file: Path, folders: tuple[Path, ...], image: CocoImage) -> Path:
    for folder in folders:
        if (folder / image.file_name).is_file():
            return folder / image.file_name
    searched = ", ".join(map(str, folders))
    raise NotCoco(file, f"image {image.file_name!r} (id {image.id}) is in none of {searched}")


def _by_image(file: Path, content: CocoFile, numbers: Mapping[int, int]) -> dict[int, Objects]:
    rows: dict[int, list[CocoAnnotation]] = {image.id: [] for image in content.images}
    if len(rows) != len(content.images):
        raise NotCoco(file, "two images have the same id")
    sizes = {image.id: (image.width, image.height) for image in content.images}
    for position, annotation in enumerate(content.annotations):
        if annotation.image_id not in rows or annotation.category_id not in numbers:
            raise NotCoco(
                file,
                f"annotations[{position}] refers to image {annotation.image_id} and category "
                f"{annotation.category_id}, of which one does not exist",
            )
        rows[annotation.image_id].append(annotation)
    return {key: _objects(found, numbers, sizes[key]) for key, found in rows.items()}


def _objects(found: Sequence[CocoAnnotation], numbers: Mapping[int, int], size: tuple[int, int]) -> Objects:
    """Clip boxes to the image and drop those without area in it."""
    boxes = np.array([each.bbox for each in found], np.float32).reshape(-1, 4)
    boxes[:, 2:] += boxes[:, :2]
    boxes[:, 0::2] = boxes[:, 0::2].clip(0.0, size[0])
    boxes[:, 1::2] = boxes[:, 1::2].clip(0.0, size[1])
    classes = np.array([numbers[each.category_id] for each in found], np.int64)
    ignored = np.array([bool(each.iscrowd) for each in found], np.bool_)
    area = (boxes[:, 2] > boxes[:, 0]) & (boxes[:, 3] > boxes[:, 1])
    return Objects(boxes, classes, ignored).only(area)


def trained_labels(split: CocoSplit) -> Iterator[str]:
    """Yield the labels of a split that have at least one object to learn from."""
    for label, count in zip(split.labels, split.counts(), strict=True):
        if count:
            yield label
