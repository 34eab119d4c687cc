"""Woven cloth."""

import numpy as np

from openral_sim.textures.noise import Colour, Image, to_image, value_noise


def fabric(colour: Colour, size: int = 128, seed: int = 7) -> Image:
    """A plain weave: two crossing threads and some wear."""
    threads = np.sin(np.linspace(0, 32 * np.pi, size))
    weave = 0.5 + 0.25 * (threads[:, None] + threads[None, :])
    wear = value_noise(size, (8, 8), seed)
    return to_image(colour, 1.0 - 0.09 * weave - 0.1 * wear)
