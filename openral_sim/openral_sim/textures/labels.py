"""Printed packaging: a band of colour with a word on it."""

import numpy as np
from PIL import Image as PilImage
from PIL import ImageDraw, ImageFont

from openral_sim.textures.noise import Colour, Image


def banded_label(
    text: str, base: Colour, band: Colour, ink: Colour, repeats: int = 3, size: int = 256
) -> Image:
    """Packaging wrapped around its axis: the word shows `repeats` times, rows run from top to bottom."""
    picture = PilImage.new("RGB", (size, size), _rgb(base))
    draw = ImageDraw.Draw(picture)
    draw.rectangle((0, size * 0.3, size, size * 0.72), fill=_rgb(band))
    draw.rectangle((0, size * 0.27, size, size * 0.29), fill=_rgb(ink))
    font = ImageFont.load_default(3.3 / repeats * size / (1.6 + 2.1 * len(text)))
    for repeat in range(repeats):
        draw.text(((repeat + 0.5) * size / repeats, size / 2), text, _rgb(ink), font, anchor="mm")
    return np.asarray(picture, dtype=np.uint8)


def _rgb(colour: Colour) -> tuple[int, int, int]:
    red, green, blue = (round(255 * channel) for channel in colour)
    return red, green, blue
