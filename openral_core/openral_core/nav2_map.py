"""Nav2's map files: `map.yaml` with an image, read and written.

Source: documentation of nav2_map_server and of ROS 1's map_server (modes trinary, scale and raw).
"""

from pathlib import Path
from typing import Literal

import numpy as np
import yaml
from numpy.typing import NDArray
from PIL import Image, UnidentifiedImageError
from pydantic import Field, FiniteFloat, PositiveFloat, model_validator

from openral_core.documents import Document, InvalidDocument, load_document
from openral_core.floor_map import FREE, OCCUPIED, UNKNOWN, FloorMap, check_size
from openral_core.home_map import Pose2

_OPAQUE = 255
"""Alpha of an opaque pixel, 8 bits."""
_SHADES = {OCCUPIED: 0, FREE: 254, UNKNOWN: 205}
"""Grey values that map_saver writes."""
_MAX_RAW = 100
"""Largest value of a cell in the mode raw [%]; above it, the cell is unknown."""


class Nav2MapDocument(Document):
    """Content of `map.yaml`."""

    image: str = Field(min_length=1)
    resolution: PositiveFloat
    origin: tuple[FiniteFloat, FiniteFloat, FiniteFloat]
    negate: bool = False
    occupied_thresh: float = Field(default=0.65, ge=0.0, le=1.0)
    free_thresh: float = Field(default=0.25, ge=0.0, le=1.0)
    mode: Literal["trinary", "scale", "raw"] = "trinary"

    @model_validator(mode="after")
    def _thresholds_are_ordered(self) -> "Nav2MapDocument":
        if self.free_thresh > self.occupied_thresh:
            raise ValueError(
                f"free_thresh {self.free_thresh:g} must not exceed occupied_thresh {self.occupied_thresh:g}"
            )
        return self


def load_nav2_map(path: Path, frame: str = "map") -> FloorMap:
    """Load a map of Nav2.

    Transparent pixels are unknown, and in the mode trinary the grey that map_saver writes for unknown cells,
    although it is below the free_thresh that map_saver writes with it. A cell of the modes scale and raw is
    free or occupied by the thresholds.

    Raises:
        InvalidDocument: If the YAML file or the image cannot be read.
        MapTooLarge: If the image has more pixels than any map has cells.
    """
    document = load_document(Nav2MapDocument, path)
    grey, opaque = _read_image(path, path.parent / document.image)
    if document.mode == "raw":
        known = opaque & (grey <= _MAX_RAW)
        probability = grey / _MAX_RAW
    else:
        unknown = _SHADES[UNKNOWN] if document.mode == "trinary" and not document.negate else -1
        known = opaque & (grey != unknown)
        probability = grey / _OPAQUE if document.negate else 1.0 - grey / _OPAQUE
    cells = np.full(grey.shape, UNKNOWN, np.int8)
    cells[known & (probability < document.free_thresh)] = FREE
    cells[known & (probability > document.occupied_thresh)] = OCCUPIED
    x, y, yaw = document.origin
    return FloorMap(cells[::-1].copy(), document.resolution, Pose2(x=x, y=y, yaw=yaw), frame)


def _read_image(path: Path, image: Path) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
    """Return grey values (0 to 255) and the opaque pixels, top row first."""
    try:
        with Image.open(image) as opened:
            check_size(*opened.size)
            channels = np.asarray(opened.convert("RGBA"), np.float64)
    except (OSError, ValueError, UnidentifiedImageError, Image.DecompressionBombError) as error:
        raise InvalidDocument(path, [f"image: {image} cannot be read: {error}"]) from error
    return channels[..., :3].mean(axis=-1), channels[..., 3] >= _OPAQUE / 2


def save_nav2_map(floor_map: FloorMap, path: Path) -> None:
    """Write a map as `path` (YAML) and a PGM image of the same name, as map_saver does."""
    image = path.with_suffix(".pgm")
    shades = np.full(floor_map.cells.shape, _SHADES[UNKNOWN], np.uint8)
    for value, shade in _SHADES.items():
        shades[floor_map.cells == value] = shade
    Image.fromarray(np.ascontiguousarray(shades[::-1])).save(image)
    origin = floor_map.origin
    content = {
        "image": image.name,
        "mode": "trinary",
        "resolution": floor_map.resolution,
        "origin": [origin.x, origin.y, origin.yaw],
        "negate": 0,
        "occupied_thresh": 0.65,
        "free_thresh": 0.196,
    }
    path.write_text(yaml.safe_dump(content, sort_keys=False), encoding="utf-8")
