"""Nav2's map files: `map.yaml` with an image.

Source: nav2_map_server of ROS 2 Jazzy and its documentation (modes trinary, scale and raw).
"""

import io
import struct
import warnings
import zlib
from pathlib import Path
from typing import Annotated, Literal

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageFile
from pydantic import BeforeValidator, ConfigDict, Field, FiniteFloat, model_validator

from openral_core.documents import Document, InvalidDocument, load_document
from openral_core.files import read_bytes
from openral_core.floor_map import (
    FREE,
    LARGEST_RESOLUTION,
    MAX_CELLS,
    OCCUPIED,
    SMALLEST_RESOLUTION,
    UNKNOWN,
    FloorMap,
    cells_from_percent,
    check_size,
)
from openral_core.home_map import Pose2
from openral_core.lazy_modules import lazy_module

cv2 = lazy_module("cv2")
_WHITE = 255
"""Largest value of a pixel, 8 bits; an opaque pixel has this alpha."""
_WIDE = 257
"""Value of 16 bits that is 1 in 8 bits."""
_HALF_PERCENT = 0.005
"""Part of the range between the thresholds that the mode scale rounds up to occupied [1]."""
_WIDE_WHITE = _WIDE * _WHITE
_UNKNOWN_SHADE = 205
"""Grey value that map_saver writes for unknown floor."""
_MODES = ("1", "L", "LA", "P", "RGB", "RGBA")
_DEEP_FORMATS, _DEEP_MODES = ("PNG", "PPM"), ("I", "I;16")
_FORMATS = ("PNG", "PPM", "BMP", "GIF", "JPEG", "TIFF", "WEBP")
_DECODING_ERRORS = (OSError, SyntaxError, EOFError, struct.error, zlib.error, Image.DecompressionBombError)
_LUMA = np.array([0.299, 0.587, 0.114])
"""Weights of red, green and blue in the grey value (ITU-R BT.601) in Nav2 [1]."""
_MAX_FILE = 8 * MAX_CELLS
"""Largest image file [bytes]: one pixel of the largest map has four channels of 16 bits."""


class Nav2MapDocument(Document):
    """Content of `map.yaml`; keys of other programs are ignored, as Nav2 does."""

    model_config = ConfigDict(extra="ignore")

    image: str = Field(min_length=1)
    resolution: float = Field(ge=SMALLEST_RESOLUTION, le=LARGEST_RESOLUTION)
    origin: tuple[FiniteFloat, FiniteFloat, FiniteFloat]
    negate: int = 0
    occupied_thresh: float = Field(default=0.65, ge=0.0, le=1.0)
    free_thresh: float = Field(default=0.25, ge=0.0, le=1.0)
    mode: Annotated[
        Literal["trinary", "scale", "raw"],
        BeforeValidator(lambda mode: mode.lower() if isinstance(mode, str) else mode),
    ] = "trinary"

    @model_validator(mode="after")
    def _thresholds_are_ordered(self) -> "Nav2MapDocument":
        if self.free_thresh > self.occupied_thresh:
            raise ValueError(
                f"free_thresh {self.free_thresh:g} must not exceed occupied_thresh {self.occupied_thresh:g}"
            )
        return self


def load_nav2_map(path: Path, frame: str = "map") -> FloorMap:
    """Load a map of Nav2, as its map_server does, except that a cell is free only if it surely is.

    Unknown rather than free are, in the mode trinary, the grey that map_saver writes for unknown cells,
    although it is below the free_thresh that map_saver writes with it; in the mode raw, pixels that are not
    opaque; in the mode scale, what is between the thresholds. What is at both thresholds is occupied.

    Raises:
        InvalidDocument: If the YAML file or the image cannot be read.
        MapTooLarge: If the image has more pixels than any map has cells.
    """
    document = load_document(Nav2MapDocument, path)
    grey, opaque = _read_image(path, path.parent / document.image, exact=document.mode == "raw")
    cells = _raw_cells(grey, opaque) if document.mode == "raw" else _graded_cells(document, grey, opaque)
    x, y, yaw = document.origin
    return FloorMap(cells[::-1].copy(), document.resolution, Pose2(x=x, y=y, yaw=yaw), frame)


def _raw_cells(grey: NDArray[np.uint8], opaque: NDArray[np.bool_]) -> NDArray[np.int8]:
    cells = cells_from_percent(np.where(grey <= OCCUPIED, grey, UNKNOWN).astype(np.int8))
    cells[~opaque & (cells == FREE)] = UNKNOWN
    return cells


def _graded_cells(
    document: Nav2MapDocument, grey: NDArray[np.uint8], opaque: NDArray[np.bool_]
) -> NDArray[np.int8]:
    """Return the cells of the modes trinary and scale."""
    # Single precision decides, as in Nav2, on which side of a threshold a grey value is.
    shade = np.arange(_WHITE + 1, dtype=np.float32) / np.float32(_WHITE)
    occupancy = shade if document.negate else np.float32(1.0) - shade
    free, occupied = document.free_thresh, document.occupied_thresh
    if document.mode == "scale":
        occupied -= _HALF_PERCENT * (occupied - free)
    cells = np.full(occupancy.shape, UNKNOWN, np.int8)
    cells[occupancy <= np.float32(free)] = FREE
    cells[occupancy >= np.float32(occupied)] = OCCUPIED
    if document.mode == "trinary" and not document.negate and cells[_UNKNOWN_SHADE] == FREE:
        cells[_UNKNOWN_SHADE] = UNKNOWN
    return np.where(opaque, cells[grey], np.int8(UNKNOWN))


def _read_image(path: Path, image: Path, exact: bool) -> tuple[NDArray[np.uint8], NDArray[np.bool_]]:
    """Return grey values of 8 bits and the opaque pixels, top row first.

    Args:
        path: Map file that names the image.
        exact: Refuse values that 8 bits do not hold.
    """
    try:
        channels = _decode(read_bytes(image, _MAX_FILE))
    except (*_DECODING_ERRORS, ValueError) as error:
        raise InvalidDocument(path, [f"image: {image} cannot be read: {error}"]) from error
    scale = 1 if channels.dtype == np.uint16 else _WIDE
    if exact and (channels % (_WIDE // scale)).any():
        raise InvalidDocument(
            path, [f"image: {image} has values of more than 8 bits: the mode raw takes none"]
        )
    grey = channels[..., 0] if channels.shape[-1] < 3 else channels[..., :3] @ _LUMA
    # GraphicsMagick, with which Nav2 reads, rounds to 16 bits and then down to 8.
    darker = np.asarray(np.floor(grey * float(scale) + 0.5) // _WIDE, np.uint8)
    if channels.shape[-1] % 2:
        return darker, np.ones(darker.shape, bool)
    return darker, np.asarray(channels[..., -1] == np.iinfo(channels.dtype).max)


def _decode(data: bytes) -> NDArray[np.uint8] | NDArray[np.uint16]:
    """Return grey, grey and alpha, colours, or colours and alpha, shape (H, W, 1 to 4), in the image's depth.

    Raises:
        ValueError: If it is a kind of image whose values are not sure to be kept.
    """
    with warnings.catch_warnings(), Image.open(io.BytesIO(data), formats=_FORMATS) as opened:
        warnings.simplefilter("ignore", Image.DecompressionBombWarning)  # its size is checked here
        check_size(*opened.size)
        stored = str(opened.tile[0].args) if opened.tile else ""
        is_deep = opened.mode in _DEEP_MODES or ";16" in stored
        is_exact = (
            opened.format in _DEEP_FORMATS if is_deep else opened.mode in _MODES and "BGRX" not in stored
        )
        if not is_exact:
            raise ValueError(f"{opened.format} of mode {opened.mode} {stored}: save it as PNG or PGM")
        maximum = _declared_maximum(opened)
        if opened.mode not in _DEEP_MODES and (is_deep or maximum > _WHITE):  # Pillow keeps 8 bits of each
            return _decode_wide(data, maximum or _WIDE_WHITE)
        transparent = opened.info.get("transparency")
        if opened.mode == "P":
            return np.asarray(opened.convert("RGBA"))
        pixels = np.asarray(opened)
    if pixels.dtype == bool:
        pixels = pixels * np.uint8(_WHITE)
    channels = np.atleast_3d(pixels.astype(np.uint16) if opened.mode == "I" else pixels)
    if maximum:
        channels = _stretched(np.rint(channels * (maximum / np.iinfo(channels.dtype).max)), maximum)
    return channels if transparent is None else _with_alpha(channels, transparent, stored)


def _declared_maximum(opened: ImageFile.ImageFile) -> int:
    """Return the value of white that a PGM or PPM file declares; 0 if it is that of its depth."""
    scaled = opened.format == "PPM" and opened.tile[0].codec_name != "raw"
    arguments = opened.tile[0].args if scaled else ()
    return int(arguments[1]) if isinstance(arguments, tuple) and len(arguments) > 1 else 0


def _stretched(values: NDArray[np.number], maximum: int) -> NDArray[np.uint16]:
    return (values.astype(np.uint64) * _WIDE_WHITE // maximum).astype(np.uint16)


def _decode_wide(data: bytes, maximum: int) -> NDArray[np.uint16]:
    decoded = cv2.imdecode(np.frombuffer(data, np.uint8), cv2.IMREAD_UNCHANGED)
    if decoded is None or decoded.dtype != np.uint16:
        raise ValueError("its 16 bits cannot be decoded: save it as PNG of 8 bits")
    return _stretched(np.concatenate((decoded[..., 2::-1], decoded[..., 3:]), axis=-1), maximum)


def _with_alpha(channels: NDArray[np.uint8], transparent: object, stored: str) -> NDArray[np.uint8]:
    """Append the alpha of an image with one transparent value, which is given in the bits of the file."""
    bits = int(stored.partition(";")[2] or 8) if ";16" not in stored else 8
    value = np.array(transparent) * (_WHITE // (2**bits - 1))
    opaque = (channels != value).any(axis=-1, keepdims=True)
    return np.concatenate((channels, opaque * np.iinfo(channels.dtype).max), axis=-1).astype(channels.dtype)
