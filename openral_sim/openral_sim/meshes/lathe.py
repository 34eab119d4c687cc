"""Surfaces of revolution: mugs, bottles, glasses, cans, bowls, plates."""

import numpy as np

from openral_sim.meshes.mesh import Mesh, grid_mesh


def lathe(profile: list[tuple[float, float]], sides: int = 24) -> Mesh:
    """Turn a profile around z.

    Args:
        profile: Radius and height in [m], from the bottom outside up, then down the inside if it has one.
        sides: Facets around the axis.
    """
    radius, height = np.asarray(profile).T
    angle = np.linspace(0, 2 * np.pi, sides + 1)
    x = radius[:, None] * np.cos(angle)
    y = radius[:, None] * np.sin(angle)
    z = np.broadcast_to(height[:, None], x.shape)
    mesh = grid_mesh(np.stack([x, y, z], -1))
    along = np.concatenate([[0.0], np.cumsum(np.hypot(np.diff(radius), np.diff(height)))])
    v = np.repeat(along / along[-1], sides + 1)
    return Mesh(mesh.vertices, mesh.faces, np.stack([mesh.uv[:, 0], v], -1))
