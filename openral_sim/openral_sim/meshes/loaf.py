"""A long loaf with tapered ends and a flat bottom."""

import numpy as np

from openral_sim.meshes.mesh import Mesh, grid_mesh


def loaf(length: float, width: float, height: float, rings: int = 15, sides: int = 18) -> Mesh:
    """A loaf along y, centred, resting flat on z = -height / 2; all in [m].

    Texture rows run around it (its top at the middle), columns along it.
    """
    along = np.cos(np.linspace(np.pi, 0, rings))
    taper = np.sqrt(np.clip(1 - np.abs(along) ** 5, 0.0, 1.0))
    angle = np.linspace(-np.pi / 2, 1.5 * np.pi, sides + 1)
    x = -0.5 * width * np.cos(angle)[:, None] * taper
    z = np.maximum(0.5 * height * np.sin(angle)[:, None] * (0.35 + 0.65 * taper), -0.42 * height)
    z = (z + 0.42 * height) / 0.92 - 0.5 * height
    y = np.broadcast_to(0.5 * length * along, x.shape)
    z = np.where(taper > 0, z, -0.1 * height)
    return grid_mesh(np.stack([x, y, z], -1)[:, ::-1])
