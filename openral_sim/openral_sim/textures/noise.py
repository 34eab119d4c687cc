"""Smooth value noise, and the plain speckled surface made of it."""

import numpy as np
from numpy.typing import NDArray
from scipy.ndimage import zoom

Image = NDArray[np.uint8]
Colour = tuple[float, float, float]


def value_noise(size: int, cells: tuple[int, int], seed: int) -> NDArray[np.float64]:
    """Noise in 0..1 that varies over `cells` (rows, columns), shape (size, size)."""
    grid = np.random.default_rng(seed).random(cells)
    smooth = zoom(grid, (size / cells[0], size / cells[1]), order=3, mode="grid-wrap", grid_mode=True)
    noise: NDArray[np.float64] = np.clip(smooth, 0.0, 1.0)
    return noise


def to_image(colour: Colour, shade: NDArray[np.float64]) -> Image:
    """A colour times a shade (H, W) as an RGB image (H, W, 3)."""
    rgb = np.asarray(colour) * shade[..., None] * 255.0
    return np.clip(rgb, 0, 255).astype(np.uint8)


def speckle(colour: Colour, contrast: float = 0.08, size: int = 128, seed: int = 1) -> Image:
    """A plain surface with fine and broad unevenness: plaster, stone, enamel."""
    broad = value_noise(size, (6, 6), seed)
    fine = np.random.default_rng(seed + 1).random((size, size))
    return to_image(colour, 1.0 - contrast * (0.6 * broad + 0.4 * fine))
