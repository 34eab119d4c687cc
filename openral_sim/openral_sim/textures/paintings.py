"""Pictures to hang on a wall, and the view from a window."""

import numpy as np

from openral_sim.textures.noise import Colour, Image, value_noise


def landscape(sky: Colour, land: Colour, size: int = 256, seed: int = 17) -> Image:
    """Hills under a sky, paler with distance."""
    rows = np.linspace(0.0, 1.0, size)[:, None]
    image = np.asarray(sky) * (0.75 + 0.25 * rows)[..., None] * np.ones((size, size, 1))
    for layer in range(3):
        ridge = 0.45 + 0.17 * layer + 0.25 * (value_noise(size, (2, 4 + layer), seed + layer)[0] - 0.5)
        below = rows > ridge[None, :]
        mix = (layer + 1) / 3
        image[below] = np.asarray(land) * mix + np.asarray(sky) * (1 - mix) * 0.8
    return np.clip(image * 255, 0, 255).astype(np.uint8)
