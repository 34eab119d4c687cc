"""Page of images of a data set with their boxes."""

from collections.abc import Mapping
from dataclasses import dataclass
from math import ceil
from pathlib import Path

import numpy as np
from PIL import Image, ImageDraw, UnidentifiedImageError

from openral_data.dataset import NotADataset, annotated_images


@dataclass(frozen=True)
class SheetStyle:
    """Layout and colours of the page.

    Attributes:
        columns: Largest number of images in a row.
        width: Width of an image [px].
        title: Height of the line below an image [px].
        found: Colour of a box that must be found.
        ignored: Colour of a box that is ignored.
        ink: Colour of the titles.
        paper: Colour of the page.
    """

    columns: int = 4
    width: int = 480
    title: int = 16
    found: tuple[int, int, int] = (40, 220, 60)
    ignored: tuple[int, int, int] = (235, 60, 50)
    ink: tuple[int, int, int] = (20, 20, 24)
    paper: tuple[int, int, int] = (250, 250, 248)


STYLE = SheetStyle()


def contact_sheet(path: Path, count: int, first: int | None) -> Image.Image:
    """Draw images of a COCO file with boxes, names and visible shares.

    Args:
        path: The COCO file; its images lie relative to its folder.
        count: Number of images.
        first: Index of the first; None spreads them over the whole file.

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
    tiles = [_tile(path, *entries[index]) for index in chosen]
    columns, height = min(STYLE.columns, len(tiles)), max(tile.height for tile in tiles)
    page = Image.new("RGB", (columns * STYLE.width, ceil(len(tiles) / columns) * height), STYLE.paper)
    for index, tile in enumerate(tiles):
        page.paste(tile, (index % columns * STYLE.width, index // columns * height))
    return page


def _tile(
    path: Path, image: dict[str, object], annotations: list[dict[str, object]], names: Mapping[object, str]
) -> Image.Image:
    file = path.parent / str(image.get("file_name"))
    try:
        picture = Image.open(file).convert("RGB")
    except (OSError, UnidentifiedImageError) as error:
        raise NotADataset(path, f"image {file} cannot be read: {error}") from error
    scale = STYLE.width / picture.width
    picture = picture.resize((STYLE.width, round(scale * picture.height)))
    draw = ImageDraw.Draw(picture)
    for annotation in annotations:
        _draw_box(draw, annotation, names, scale)
    tile = Image.new("RGB", (STYLE.width, picture.height + STYLE.title), STYLE.paper)
    tile.paste(picture)
    title = f"{image.get('file_name')}, home {image.get('home')}, {image.get('viewpoint', '')}"
    ImageDraw.Draw(tile).text((4, picture.height + 2), title, STYLE.ink)
    return tile


def _draw_box(
    draw: ImageDraw.ImageDraw, annotation: dict[str, object], names: Mapping[object, str], scale: float
) -> None:
    x, y, width, height = scale * np.array(annotation.get("bbox"), dtype=float)
    colour = STYLE.ignored if annotation.get("iscrowd") else STYLE.found
    draw.rectangle((x, y, x + max(width - 1, 0.0), y + max(height - 1, 0.0)), outline=colour)
    if not annotation.get("iscrowd"):
        share = annotation.get("visible_share")
        text = names.get(annotation.get("category_id"), "?") + ("" if share is None else f" {share:.2f}")
        draw.text((x + 1, max(0.0, y - 10)), text, colour)
