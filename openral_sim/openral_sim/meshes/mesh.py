"""A triangle mesh, grids of quads turned into one, and adding one to a model."""

from dataclasses import dataclass

import mujoco
import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True)
class Mesh:
    """Vertices [m] (V, 3), faces (F, 3) counter-clockwise seen from outside, texture coordinates (V, 2)."""

    vertices: NDArray[np.float64]
    faces: NDArray[np.int32]
    uv: NDArray[np.float64]


def grid_mesh(points: NDArray[np.float64]) -> Mesh:
    """A sheet of quads over a grid of points (rows, columns, 3); degenerate triangles are dropped.

    The outside is where columns x rows point, by the right-hand rule.
    """
    rows, columns = points.shape[:2]
    index = np.arange(rows * columns).reshape(rows, columns)
    a, b, c, d = index[:-1, :-1], index[:-1, 1:], index[1:, 1:], index[1:, :-1]
    faces = np.concatenate([np.stack(t, -1).reshape(-1, 3) for t in ((a, b, c), (a, c, d))])
    vertices = points.reshape(-1, 3)
    corners = vertices[faces]
    area = np.linalg.norm(np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0]), axis=1)
    v, u = np.meshgrid(np.linspace(0, 1, rows), np.linspace(0, 1, columns), indexing="ij")
    return Mesh(vertices, faces[area > 1e-10].astype(np.int32), np.stack([u, v], -1).reshape(-1, 2))


def use_mesh(spec: mujoco.MjSpec, name: str, mesh: Mesh) -> str:
    """Add a mesh to the specification once.

    Returns:
        The mesh's name.
    """
    if spec.mesh(name) is None:
        spec.add_mesh(
            name=name,
            uservert=mesh.vertices.ravel(),
            userface=mesh.faces.ravel(),
            usertexcoord=mesh.uv.ravel(),
            inertia=mujoco.mjtMeshInertia.mjMESH_INERTIA_SHELL,
        )
    return name
