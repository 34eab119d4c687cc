"""Page of images of a data set with their boxes, and with what a detector finds in them."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from math import ceil
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageDraw, UnidentifiedImageError

from openral_core.detectors import Box, Detection
from openral_core.rskills import (
    MANIFEST_FILE,
    DetectorManifest,
    InvalidManifest,
    Sensor,
    Vocabulary,
    load_manifest,
)
from openral_perception_ros.engines import EngineFrame, LoadOptions, engine_loader
from openral_training.data.dataset import NotADataset, annotated_images

Find = Callable[[NDArray[np.uint8]], Sequence[Detection]]
"""Detections of an image, uint8 (H, W, 3)."""
MIN_OVERLAP = 0.5
"""Intersection over union from which a detection is that of an object, as in PASCAL VOC."""


@dataclass(frozen=True)
class SheetStyle:
    """Layout and colours of the page."""

    columns: int = 4  # Largest number of images in a row.
    width: int = 480  # Width of an image [px].
    title: int = 16  # Height of the line below an image [px].
    # Colour of a box that must be found, or was found by a detector.
    hit: tuple[int, int, int] = (40, 220, 60)
    ignored: tuple[int, int, int] = (235, 60, 50)  # Colour of a box that is ignored.
    missed: tuple[int, int, int] = (255, 150, 30)  # Colour of a box that a detector did not find.
    wrong: tuple[int, int, int] = (70, 150, 255)  # Colour of a detection that is none of the boxes.
    ink: tuple[int, int, int] = (20, 20, 24)  # Colour of the titles.
    paper: tuple[int, int, int] = (250, 250, 248)  # Colour of the page.


STYLE = SheetStyle()


def detector_in(folder: Path) -> Find:
    """Load the detector of an rSkill's folder, to find what it streams.

    Raises:
        OpenRALError: If there is no detector with a fixed vocabulary, or its weights are missing.
    """
    manifest = load_manifest(folder / MANIFEST_FILE)
    if not isinstance(manifest, DetectorManifest) or manifest.vocabulary.kind is not Vocabulary.CLOSED:
        raise InvalidManifest(folder / MANIFEST_FILE, ["expected a detector with a closed vocabulary"])
    engine = engine_loader(manifest.engine)(manifest, folder, LoadOptions())

    def find(rgb: NDArray[np.uint8]) -> Sequence[Detection]:
        return engine.detect(EngineFrame({Sensor.RGB.value: rgb}, "", 0), None)

    return find


def contact_sheet(path: Path, count: int, first: int | None, find: Find | None = None) -> Image.Image:
    """Draw images of a COCO file with boxes, names and visible shares; with a detector, its hits and misses.

    Args:
        path: The COCO file; its images lie relative to its folder.
        count: Number of images.
        first: Index of the first; None spreads them over the whole file.
        find: Detector whose hits, misses and errors are drawn.

    Raises:
        NotADataset: If the file or an image is missing or not what it should be.
    """
    entries = list(annotated_images(path))
    if not entries:
        raise NotADataset(path, "it has no images")
    if first is None:
        chosen = np.unique(np.linspace(0, len(entries) - 1, count).astype(int))
    else:
        chosen = np.arange(first, min(first + count, len(entries)))
    if len(chosen) == 0:
        raise NotADataset(path, f"it has no image {first}; its images are 0 to {len(entries) - 1}")
    tiles = [_tile(path, entries[index], find) for index in chosen]
    columns, height = min(STYLE.columns, len(tiles)), max(tile.height for tile in tiles)
    page = Image.new("RGB", (columns * STYLE.width, ceil(len(tiles) / columns) * height), STYLE.paper)
    for index, tile in enumerate(tiles):
        page.paste(tile, (index % columns * STYLE.width, index // columns * height))
    return page


def _tile(
    path: Path,
    entry: tuple[dict[str, object], list[dict[str, object]], Mapping[object, str]],
    find: Find | None,
) -> Image.Image:
    image, annotations, names = entry
    file = path.parent / str(image.get("file_name"))
    try:
        picture = Image.open(file).convert("RGB")
    except (OSError, UnidentifiedImageError) as error:
        raise NotADataset(path, f"image {file} cannot be read: {error}") from error
    scale = STYLE.width / picture.width
    detections = list(find(np.asarray(picture))) if find else None
    picture = picture.resize((STYLE.width, round(scale * picture.height)))
    draw = ImageDraw.Draw(picture)
    for annotation in annotations:
        _draw_box(draw, annotation, names, scale, detections)
    for detection in detections or ():
        _rectangle(draw, detection.box, f"{detection.label} {detection.score:.2f}", STYLE.wrong, scale)
    tile = Image.new("RGB", (STYLE.width, picture.height + STYLE.title), STYLE.paper)
    tile.paste(picture)
    title = f"{image.get('file_name')}, home {image.get('home')}, {image.get('viewpoint', '')}"
    ImageDraw.Draw(tile).text((4, picture.height + 2), title, STYLE.ink)
    return tile


def _draw_box(
    draw: ImageDraw.ImageDraw,
    annotation: dict[str, object],
    names: Mapping[object, str],
    scale: float,
    detections: list[Detection] | None,
) -> None:
    """Draw an annotation; a detection that is its is taken out of ``detections``."""
    x, y, width, height = np.array(annotation.get("bbox"), dtype=float)
    true = Box(x, y, x + max(width, 1.0), y + max(height, 1.0))
    name = names.get(annotation.get("category_id"), "?")
    if annotation.get("iscrowd"):
        if detections is None:
            _rectangle(draw, true, "", STYLE.ignored, scale)
        else:
            detections[:] = [d for d in detections if d.box.intersection(true) < MIN_OVERLAP * d.box.area]
        return
    share = annotation.get("visible_share")
    hit = _best(detections, true, name) if detections is not None else None
    if detections is not None and hit is not None:
        detections.remove(hit)
        _rectangle(draw, true, f"{name} {hit.score:.2f}", STYLE.hit, scale)
    else:
        text = name if share is None else f"{name} {share:.2f}"
        _rectangle(draw, true, text, STYLE.hit if detections is None else STYLE.missed, scale)


def _best(detections: Sequence[Detection], true: Box, name: str) -> Detection | None:
    near = [each for each in detections if each.label == name and each.box.iou(true) >= MIN_OVERLAP]
    return max(near, key=lambda each: each.score, default=None)


def _rectangle(
    draw: ImageDraw.ImageDraw, box: Box, text: str, colour: tuple[int, int, int], scale: float
) -> None:
    x, y = scale * box.x_min, scale * box.y_min
    draw.rectangle((x, y, max(x, scale * box.x_max - 1), max(y, scale * box.y_max - 1)), outline=colour)
    draw.text((x + 1, max(0.0, y - 10)), text, colour)
