"""Floor and wall coverings: square tiles and wooden planks."""

import numpy as np

from openral_sim.textures.noise import Colour, Image, speckle
from openral_sim.textures.wood import wood


def tiles(colour: Colour, grout: Colour, count: int = 2, size: int = 256) -> Image:
    """Square tiles with grout lines, `count` along each side."""
    image = speckle(colour, 0.1, size, seed=5)
    pitch = size // count
    for row in range(count):
        for column in range(count):
            tint = 1.0 - 0.06 * ((row * 7 + column * 3) % 4) / 3
            cell = image[row * pitch : (row + 1) * pitch, column * pitch : (column + 1) * pitch]
            cell[:] = (cell * tint).astype(np.uint8)
    line = np.arange(size) % pitch < max(2, size // 85)
    image[line, :] = image[:, line] = (np.asarray(grout) * 255).astype(np.uint8)[None, None]
    return image


def planks(colour: Colour, count: int = 6, size: int = 512) -> Image:
    """Wooden floor boards side by side, each with its own tint and end joint."""
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
