"""Tubes along a path: handles."""

import numpy as np
from numpy.typing import NDArray

from openral_sim.meshes.mesh import Mesh, grid_mesh


def tube(path: NDArray[np.float64], radius: float, sides: int = 8) -> Mesh:
    """A round tube along a planar path in the x-z plane, path points in [m], shape (N, 3)."""
    tangent = np.gradient(path, axis=0)
    tangent /= np.linalg.norm(tangent, axis=1, keepdims=True)
    side = np.array([0.0, 1.0, 0.0])
    normal = np.cross(side, tangent)
    angle = np.linspace(0, 2 * np.pi, sides + 1)[None, :, None]
    ring = np.cos(angle) * normal[:, None] + np.sin(angle) * np.cross(tangent, normal)[:, None]
    return grid_mesh(path[:, None] + radius * ring)
