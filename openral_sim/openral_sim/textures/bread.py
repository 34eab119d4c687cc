"""The crust of a baguette."""

import numpy as np
from numpy.typing import NDArray

from openral_sim.textures.noise import Image, value_noise


def crust(scores: int = 5, size: int = 256, seed: int = 13) -> Image:
    """Baked crust; columns run along the loaf, the middle rows (its top) carry slanted pale scores."""
    bake = value_noise(size, (10, 14), seed)[..., None]
    dark, light = np.array([150.0, 88.0, 34.0]), np.array([214.0, 150.0, 76.0])
    image: NDArray[np.float64] = dark + (light - dark) * bake
    rows, columns = np.mgrid[0:size, 0:size] / size
    phase = (columns * scores + 1.3 * (rows - 0.5)) % 1.0
    scored = (np.abs(phase - 0.5) < 0.15) & (np.abs(rows - 0.5) < 0.13)
    image[scored] = np.array([240, 210, 150]) - 26 * bake[scored]
    return np.clip(image, 0, 255).astype(np.uint8)
