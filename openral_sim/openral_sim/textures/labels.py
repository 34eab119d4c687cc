"""Printed packaging: a band of colour with a word on it."""

import numpy as np
from PIL import Image as PilImage
from PIL import ImageDraw, ImageFont

from openral_sim.textures.noise import Colour, Image


def banded_label(text: str, base: Colour, band: Colour, ink: Colour, size: int = 256) -> Image:
    """Packaging wrapped around its axis: the word shows three times, rows run from top to bottom."""
    picture = PilImage.new("RGB", (size, size), _rgb(base))
    draw = ImageDraw.Draw(picture)
    draw.rectangle((0, size * 0.3, size, size * 0.72), fill=_rgb(band))
    draw.rectangle((0, size * 0.27, size, size * 0.29), fill=_rgb(ink))
    font = ImageFont.load_default(size / (1.6 + 0.9 * len(text)) * 1.1)
    for repeat in range(3):
        draw.text(((repeat + 0.5) * size / 3, size / 2), text, _rgb(ink), font, anchor="mm")
    return np.asarray(picture, dtype=np.uint8)


def _rgb(colour: Colour) -> tuple[int, int, int]:
    red, green, blue = (round(255 * channel) for channel in colour)
    return red, green, blue
