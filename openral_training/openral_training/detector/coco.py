"""Data sets in COCO format: the images of one split and their objects, checked once when they are read.

Folders are those of `layouts`; the export of a tool is read as it was written, or refused with the reason.
"""

import codecs
import math
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Self

import numpy as np
from numpy.typing import NDArray
from pydantic import (
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    ValidationError,
    field_validator,
    model_validator,
)

from openral_core.documents import describe_problem
from openral_core.errors import OpenRALError, format_choices, quoted
from openral_core.files import read_bytes
from openral_training.detector.layouts import (
    YOLO_FILES,
    AnnotationFile,
    annotations_of,
    image_file,
    image_size,
    is_turned,
    orientation,
)
from openral_training.detector.splits import AnnotatedImage, CocoSplit, boxed
from openral_training.detector.yolo import read_yolo

MAX_SIZE = 1_000_000_000
"""Largest annotation file [bytes]: that of COCO train2017 has 470 MB."""
MAX_PROBLEMS = 3
"""Problems of one file that an error lists [count]."""


class NotCoco(OpenRALError):
    """A folder or file that is not a data set in COCO format."""

    def __init__(self, where: Path, problem: str) -> None:
        super().__init__(
            f"{where} is not a data set in COCO format: {problem}; expected <split>/annotations.json with "
            "<split>/images/, annotations/instances_<split>.json, or an export of Roboflow, CVAT, Label "
            "Studio or Ultralytics (data.yaml), with 'images', 'annotations' (bbox [x, y, width, height] in "
            "pixels) and 'categories'"
        )


class _CocoPart(BaseModel):
    model_config = ConfigDict(frozen=True, extra="ignore")


def _number_if_digits(value: object) -> object:
    return int(value) if isinstance(value, str) and value.isdecimal() and len(value) < 20 else value


Id = Annotated[int | str, BeforeValidator(_number_if_digits)]
"""Number, or name, of an image or category."""


class CocoImage(_CocoPart):
    """One entry of ``images``; a size that is missing is that of the file."""

    id: Id
    file_name: str = Field(min_length=1)
    width: int | None = Field(default=None, gt=0, le=20_000)
    height: int | None = Field(default=None, gt=0, le=20_000)


Coordinate = Annotated[float, Field(allow_inf_nan=False)]
Side = Annotated[float, Field(ge=0.0, allow_inf_nan=False)]


class CocoAnnotation(_CocoPart):
    """One entry of ``annotations``; ``iscrowd`` or ``ignore`` 1 marks a region to ignore.

    ``segmentation`` matters where there is no ``bbox``, and ``attributes`` for CVAT's ``rotation`` of a box
    about its centre [deg]. One without any of them is a tag of the whole image.
    """

    image_id: Id
    category_id: Id
    bbox: tuple[Coordinate, Coordinate, Side, Side] | None = None
    iscrowd: bool = False
    ignore: bool = False
    segmentation: object = None
    attributes: object = None

    @field_validator("bbox", mode="before")
    @classmethod
    def _none_if_empty(cls, value: object) -> object:
        return None if value == [] else value

    @field_validator("iscrowd", "ignore", mode="before")
    @classmethod
    def _false_if_null(cls, value: object) -> object:
        return False if value is None else value

    @model_validator(mode="after")
    def _has_no_mask_alone(self) -> Self:
        if self.bbox is None and self.segmentation and not self.polygons:
            raise ValueError("a mask without 'bbox' is not read: export boxes or polygons")
        return self

    @property
    def polygons(self) -> tuple[NDArray[np.float64], ...]:
        """Corners of the outline [px], each of shape (N, 2)."""
        parts = self.segmentation if isinstance(self.segmentation, list) else []
        try:
            return tuple(np.array(part, np.float64).reshape(-1, 2) for part in parts)
        except (TypeError, ValueError):
            return ()

    @property
    def extent(self) -> tuple[float, float, float, float] | None:
        """Box x, y, width, height that contains the object [px]; None if the annotation has none."""
        if self.bbox is None:
            if not self.polygons:
                return None
            corners = np.vstack(self.polygons)
            (x, y), (width, height) = corners.min(axis=0), np.ptp(corners, axis=0)
            return float(x), float(y), float(width), float(height)
        x, y, width, height = self.bbox
        angle = self.attributes.get("rotation", 0.0) if isinstance(self.attributes, dict) else 0.0
        if not angle:
            return self.bbox
        cos, sin = abs(math.cos(math.radians(angle))), abs(math.sin(math.radians(angle)))
        wide, high = width * cos + height * sin, width * sin + height * cos
        return x + (width - wide) / 2, y + (height - high) / 2, wide, high


class CocoCategory(_CocoPart):
    """One entry of ``categories``."""

    id: Id
    name: str = Field(min_length=1)


class CocoFile(_CocoPart):
    """An annotation file."""

    images: tuple[CocoImage, ...] = Field(min_length=1)
    annotations: tuple[CocoAnnotation, ...]
    categories: tuple[CocoCategory, ...] = Field(min_length=1)
    info: Mapping[str, object] = {}

    @field_validator("info", mode="before")
    @classmethod
    def _empty_if_none(cls, value: object) -> object:
        return value if isinstance(value, dict) else {}

    @model_validator(mode="after")
    def _is_in_pixels(self) -> Self:
        boxes = [each.bbox for each in self.annotations if each.bbox is not None]
        if boxes and max(max(box) for box in boxes) <= 1.0:
            raise ValueError("every 'bbox' is in shares of its image; expected pixels")
        return self


def read_split(data: Path, split: str) -> CocoSplit:
    """Read and check one split in any of the layouts.

    Raises:
        NotCoco: If the folder has no such split, or its file is not valid; the first problems are named.
        NotYolo: The same for an export of YOLO.
    """
    candidates = annotations_of(data, split)
    if not candidates:
        present = sorted(path.name for path in data.iterdir()) if data.is_dir() else []
        raise NotCoco(data, f"no annotations of split {split!r} among {format_choices(present[:8])}")
    if len(candidates) > 1:
        files = format_choices(each.file.relative_to(data) for each in candidates[:8])
        raise NotCoco(data, f"several annotations of split {split!r}: {files}; keep one of them there")
    (annotations,) = candidates
    if annotations.file.name in YOLO_FILES:
        return read_yolo(annotations.file, split)
    return _read(annotations)


def _read(annotations: AnnotationFile) -> CocoSplit:
    file, content = annotations.file, read_coco(annotations.file)
    categories = _categories(file, content)
    numbers = {category.id: number for number, category in enumerate(categories)}
    by_image = _by_image(file, content, numbers)
    images = []
    drawn: dict[Path, object] = {}
    for image in content.images:
        path = _image_file(annotations, image)
        size = _size(file, path, image)
        rows = [(each, extent) for each in by_image[image.id] if (extent := each.extent) is not None]
        boxes = np.array([extent for _, extent in rows], np.float32)
        classes = [numbers[each.category_id] for each, _ in rows]
        ignored = [each.iscrowd or each.ignore for each, _ in rows]
        # A lesson repeats a picture with its boxes; unlike boxes were drawn on another picture of that name.
        annotation = boxes.tobytes(), classes, ignored
        if drawn.setdefault(path, annotation) != annotation:
            raise NotCoco(file, f"two images are the same file, {path}, with unlike boxes")
        images.append(AnnotatedImage(path, size, boxed(boxes, classes, ignored, size)))
    return CocoSplit(file, tuple(category.name for category in categories), tuple(images), content.info)


def _categories(file: Path, content: CocoFile) -> list[CocoCategory]:
    """Sort the categories by id; one that nothing refers to gives way to another of its name (Roboflow)."""
    used = {each.category_id for each in content.annotations}
    names = Counter(category.name for category in content.categories)
    categories = [each for each in content.categories if names[each.name] == 1 or each.id in used]
    if not len({c.name for c in categories}) == len({c.id for c in categories}) == len(categories):
        raise NotCoco(file, "two categories have the same name or id")
    return sorted(categories, key=lambda each: (isinstance(each.id, str), each.id))


def read_coco(file: Path) -> CocoFile:
    """Read an annotation file.

    Raises:
        NotCoco: If it cannot be read or is not valid; the first problems are named.
    """
    try:
        return CocoFile.model_validate_json(_as_utf8(read_bytes(file, MAX_SIZE)))
    except OSError as error:
        raise NotCoco(file, str(error)) from error
    except ValidationError as error:
        problems = [describe_problem(CocoFile, each) for each in error.errors()[:MAX_PROBLEMS]]
        raise NotCoco(file, "; ".join(problems)) from error


def _as_utf8(data: bytes) -> bytes:
    """Undo what Windows does to a text: a byte order mark, or UTF-16."""
    if data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return data.decode("utf-16").encode()
    return data.removeprefix(codecs.BOM_UTF8)


def _image_file(annotations: AnnotationFile, image: CocoImage) -> Path:
    if path := image_file(image.file_name, annotations.folders):
        return path
    searched = format_choices(map(str, annotations.folders))
    raise NotCoco(
        annotations.file, f"image {quoted(image.file_name)} (id {quoted(image.id)}) is in none of {searched}"
    )


def _size(file: Path, path: Path, image: CocoImage) -> tuple[int, int]:
    named = image.width is not None and image.height is not None
    if is_turned(path) or (not named and orientation(path) > 1):
        raise NotCoco(
            file,
            f"image {quoted(image.file_name)} is turned by its EXIF tag, which annotation tools may ignore: "
            "turn its pixels, and annotate it again if the boxes are then wrong",
        )
    if image.width is not None and image.height is not None:
        return image.width, image.height
    if (size := image_size(path)) is None:
        raise NotCoco(file, f"image {quoted(image.file_name)} has no size and cannot be decoded")
    return size


def _by_image(file: Path, content: CocoFile, numbers: Mapping[Id, int]) -> dict[Id, list[CocoAnnotation]]:
    rows: dict[Id, list[CocoAnnotation]] = {image.id: [] for image in content.images}
    if len(rows) != len(content.images):
        raise NotCoco(file, "two images have the same id")
    for position, annotation in enumerate(content.annotations):
        if annotation.image_id not in rows or annotation.category_id not in numbers:
            raise NotCoco(
                file,
                f"annotations[{position}] refers to image {quoted(annotation.image_id)} and category "
                f"{quoted(annotation.category_id)}, of which one does not exist",
            )
        rows[annotation.image_id].append(annotation)
    return rows
