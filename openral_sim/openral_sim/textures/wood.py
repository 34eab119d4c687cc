"""Wood grain."""

import numpy as np

from openral_sim.textures.noise import Colour, Image, to_image, value_noise


def wood(colour: Colour, size: int = 256, seed: int = 3) -> Image:
    """Grain that runs along the image's columns, with fine pores and broad rings."""
    warp = value_noise(size, (2, 7), seed)
    across = np.linspace(0.0, 1.0, size)[None, :]
    rings = 0.5 + 0.5 * np.sin(2 * np.pi * (7 * across + 0.9 * warp))
    pores = value_noise(size, (8, 96), seed + 1)
    return to_image(colour, 1.0 - 0.12 * rings - 0.14 * pores)
