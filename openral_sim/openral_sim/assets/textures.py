"""Procedural textures: value noise, plaster, wood, tiles, fabric, bread crust, labels and landscapes.

Every function returns an RGB image; ``colour`` and the like are red, green, blue in [0, 1], ``size`` is the
edge length in [px], and ``seed`` fixes the noise.
"""

import numpy as np
from PIL import Image as PilImage
from PIL import ImageDraw, ImageFont
from scipy.ndimage import zoom

from openral_core.arrays import Array, Image, Indices, Mask

Colour = tuple[float, float, float]


def value_noise(size: int, cells: tuple[int, int], seed: int) -> Array:
    """Generate smooth noise in [0, 1] over a grid of `cells` (rows, columns), shape (size, size)."""
    grid = np.random.default_rng(seed).random(cells)
    smooth = zoom(grid, (size / cells[0], size / cells[1]), order=3, mode="grid-wrap", grid_mode=True)
    noise: Array = np.clip(smooth, 0.0, 1.0)
    return noise


def to_image(colour: Colour, shade: Array) -> Image:
    """Multiply a colour by a shade, shape (H, W); return an RGB image, shape (H, W, 3)."""
    rgb = np.asarray(colour) * shade[..., None] * 255.0
    return np.clip(rgb, 0, 255).astype(np.uint8)


def speckle(colour: Colour, contrast: float = 0.08, size: int = 128, seed: int = 1) -> Image:
    """Generate a plain surface with fine and broad unevenness: plaster, stone, enamel."""
    broad = value_noise(size, (6, 6), seed)
    fine = np.random.default_rng(seed + 1).random((size, size))
    return to_image(colour, 1.0 - contrast * (0.6 * broad + 0.4 * fine))


def crust(scores: int = 5, size: int = 256, seed: int = 13) -> Image:
    """Generate a baguette's crust: columns run along the loaf, its top has slanted pale scores."""
    bake = value_noise(size, (10, 14), seed)[..., None]
    dark, light = np.array([150.0, 88.0, 34.0]), np.array([214.0, 150.0, 76.0])
    image: Array = dark + (light - dark) * bake
    rows, columns = np.mgrid[0:size, 0:size] / size
    phase = (columns * scores + 1.3 * (rows - 0.5)) % 1.0
    scored = (np.abs(phase - 0.5) < 0.15) & (np.abs(rows - 0.5) < 0.13)
    image[scored] = np.array([240, 210, 150]) - 26 * bake[scored]
    return np.clip(image, 0, 255).astype(np.uint8)


def fabric(colour: Colour, size: int = 128, seed: int = 7) -> Image:
    """Generate a plain weave: two crossing threads and some wear."""
    threads = np.sin(np.linspace(0, 32 * np.pi, size))
    weave = 0.5 + 0.25 * (threads[:, None] + threads[None, :])
    wear = value_noise(size, (8, 8), seed)
    return to_image(colour, 1.0 - 0.09 * weave - 0.1 * wear)


def banded_label(
    text: str, base: Colour, band: Colour, ink: Colour, repeats: int = 3, size: int = 256
) -> Image:
    """Generate packaging to wrap around an axis: a band of colour with `repeats` copies of a word."""
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


def landscape(sky: Colour, land: Colour, size: int = 256, seed: int = 17) -> Image:
    """Generate hills under a sky, paler with distance: a painting, or the view from a window."""
    rows = np.linspace(0.0, 1.0, size)[:, None]
    image = np.asarray(sky) * (0.75 + 0.25 * rows)[..., None] * np.ones((size, size, 1))
    for layer in range(3):
        ridge = 0.45 + 0.17 * layer + 0.25 * (value_noise(size, (2, 4 + layer), seed + layer)[0] - 0.5)
        below = rows > ridge[None, :]
        mix = (layer + 1) / 3
        image[below] = np.asarray(land) * mix + np.asarray(sky) * (1 - mix) * 0.8
    return np.clip(image * 255, 0, 255).astype(np.uint8)


def wood(colour: Colour, size: int = 256, seed: int = 3) -> Image:
    """Generate wood grain along the image's columns, with fine pores and broad rings."""
    warp = value_noise(size, (2, 7), seed)
    across = np.linspace(0.0, 1.0, size)[None, :]
    rings = 0.5 + 0.5 * np.sin(2 * np.pi * (7 * across + 0.9 * warp))
    pores = value_noise(size, (8, 96), seed + 1)
    return to_image(colour, 1.0 - 0.12 * rings - 0.14 * pores)


def tiles(colour: Colour, grout: Colour, rows: int = 2, columns: int = 2, size: int = 256) -> Image:
    """Generate `rows` x `columns` square tiles with grout lines between them."""
    image = speckle(colour, 0.1, size, seed=5)
    row, column = (np.arange(size) * rows) // size, (np.arange(size) * columns) // size
    tint = 1.0 - 0.06 * ((row[:, None] * 7 + column[None, :] * 3) % 4) / 3
    image = (image * tint[..., None]).astype(np.uint8)
    ink = (np.asarray(grout) * 255).astype(np.uint8)
    image[_near_step(row)] = ink
    image[:, _near_step(column)] = ink
    return image


def _near_step(index: Indices) -> Mask:
    """Mark the first two pixels of every new index, where a grout line lies."""
    step = index != np.roll(index, 1)
    near: Mask = step | np.roll(step, 1)
    return near


def planks(colour: Colour, count: int = 6, size: int = 512) -> Image:
    """Generate floor boards side by side, each with its own tint and end joint."""
    image = wood(colour, size, seed=11)
    width = size // count
    for board in range(count):
        strip = image[:, board * width : (board + 1) * width]
        tint = 0.86 + 0.14 * ((board * 5) % 7) / 6
        strip[:] = (np.roll(strip, 97 * board, axis=0) * tint).astype(np.uint8)
        strip[:, :2] = strip[:, :2] // 2
        joint = (board * 211) % size
        strip[joint : joint + 2] = strip[joint : joint + 2] // 2
    return image
