"""One picture of many: what the head camera saw after each step, with a line of words."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageDraw

_WIDTH, _HEIGHT, _LINE = 240, 180, 26
_COLUMNS, _QUALITY = 6, 88
_PAPER, _INK = (250, 250, 248), (40, 40, 40)


@dataclass(frozen=True, eq=False)
class Still:
    """A picture, uint8 (H, W, 3), and what it shows."""

    rgb: NDArray[np.uint8]
    words: str


def contact_sheet(stills: Sequence[Still]) -> Image.Image:
    """The stills in reading order."""
    columns = min(_COLUMNS, max(1, len(stills)))
    rows = -(-len(stills) // columns)
    sheet = Image.new("RGB", (columns * _WIDTH, max(1, rows) * (_HEIGHT + _LINE)), _PAPER)
    pen = ImageDraw.Draw(sheet)
    for number, still in enumerate(stills):
        x, y = number % columns * _WIDTH, number // columns * (_HEIGHT + _LINE)
        sheet.paste(Image.fromarray(still.rgb).resize((_WIDTH - 4, _HEIGHT - 4)), (x + 2, y + 2))
        pen.text((x + 4, y + _HEIGHT + 2), still.words, fill=_INK)
    return sheet


def save_sheet(stills: Sequence[Still], path: Path) -> None:
    """Write a contact sheet as JPEG."""
    path.parent.mkdir(parents=True, exist_ok=True)
    contact_sheet(stills).save(path, quality=_QUALITY, optimize=True)
