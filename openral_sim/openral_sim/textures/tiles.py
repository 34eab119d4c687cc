"""Floor and wall coverings: square tiles and wooden planks."""

import numpy as np
from numpy.typing import NDArray

from openral_sim.textures.noise import Colour, Image, speckle
from openral_sim.textures.wood import wood


def tiles(colour: Colour, grout: Colour, rows: int = 2, columns: int = 2, size: int = 256) -> Image:
    """Tiles with grout lines between `rows` and `columns` of them."""
    image = speckle(colour, 0.1, size, seed=5)
    row, column = (np.arange(size) * rows) // size, (np.arange(size) * columns) // size
    tint = 1.0 - 0.06 * ((row[:, None] * 7 + column[None, :] * 3) % 4) / 3
    image = (image * tint[..., None]).astype(np.uint8)
    ink = (np.asarray(grout) * 255).astype(np.uint8)
    image[_near_step(row)] = ink
    image[:, _near_step(column)] = ink
    return image


def _near_step(index: NDArray[np.intp]) -> NDArray[np.bool_]:
    """Where a line lies: at the first pixels of every new index."""
    step = index != np.roll(index, 1)
    near: NDArray[np.bool_] = step | np.roll(step, 1)
    return near


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
