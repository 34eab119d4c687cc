"""Triangle meshes of objects: printed boxes, gabled cartons, surfaces of revolution, loaves and tubes."""

from dataclasses import dataclass

import mujoco
import numpy as np
from numpy.typing import NDArray

from openral_core.arrays import Array, Points


@dataclass(frozen=True)
class Mesh:
    """Vertices [m] (V, 3), faces (F, 3) counter-clockwise seen from outside, texture coordinates (V, 2)."""

    vertices: Points
    faces: NDArray[np.int32]
    uv: Array


def grid_mesh(points: Array) -> Mesh:
    """Triangulate a grid of points, shape (rows, columns, 3), dropping degenerate triangles.

    The outside is the direction of columns x rows, by the right-hand rule.
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
    """Add a mesh if the specification does not have it; return its name."""
    if spec.mesh(name) is None:
        spec.add_mesh(
            name=name,
            uservert=mesh.vertices.ravel(),
            userface=mesh.faces.ravel(),
            usertexcoord=mesh.uv.ravel(),
            inertia=mujoco.mjtMeshInertia.mjMESH_INERTIA_SHELL,
        )
    return name


# Outward normal, right and up direction of each side of a box.
_BOX_SIDES = (
    ((1, 0, 0), (0, 1, 0), (0, 0, 1)),
    ((-1, 0, 0), (0, -1, 0), (0, 0, 1)),
    ((0, 1, 0), (-1, 0, 0), (0, 0, 1)),
    ((0, -1, 0), (1, 0, 0), (0, 0, 1)),
    ((0, 0, 1), (0, 1, 0), (-1, 0, 0)),
    ((0, 0, -1), (0, 1, 0), (1, 0, 0)),
)


def printed_box(size: tuple[float, float, float]) -> Mesh:
    """Build a centred box of a size [m] with the whole texture on each side, upright on the four walls."""
    corners, uv = [], []
    for outward, right, up in np.array(_BOX_SIDES, dtype=np.float64):
        for u, v in ((0, 0), (1, 0), (1, 1), (0, 1)):
            corners.append((outward + (2 * u - 1) * right + (2 * v - 1) * up) * np.array(size) / 2)
            uv.append((u, v))
    first = 4 * np.arange(6)[:, None]
    faces = np.concatenate([first + np.array([0, 1, 2]), first + np.array([0, 2, 3])])
    return Mesh(np.array(corners), faces.astype(np.int32), np.array(uv, dtype=np.float64))


CARTON_SHOULDER = 0.78
"""Height at which a carton's gable begins, as a fraction of its height [-]."""
CARTON_FIN = 0.93
"""Height at which the gable's two sides meet in the sealed fin, as a fraction of its height [-]."""


def gabled_carton(width: float, height: float) -> Mesh:
    """Build a milk carton of square base, centred, its ridge along y; all in [m].

    Every wall shows the whole texture from top to bottom.
    """
    w, base, ridge = width / 2, -height / 2, height / 2
    shoulder, fin = base + CARTON_SHOULDER * height, base + CARTON_FIN * height
    quads = [
        [(w, -w, base), (w, w, base), (w, w, shoulder), (w, -w, shoulder)],
        [(-w, w, base), (-w, -w, base), (-w, -w, shoulder), (-w, w, shoulder)],
        [(w, w, base), (-w, w, base), (-w, w, shoulder), (w, w, shoulder)],
        [(-w, -w, base), (w, -w, base), (w, -w, shoulder), (-w, -w, shoulder)],
        [(w, -w, shoulder), (w, w, shoulder), (0, w, fin), (0, -w, fin)],
        [(-w, w, shoulder), (-w, -w, shoulder), (0, -w, fin), (0, w, fin)],
        [(0.002, -w, fin), (0.002, w, fin), (0.002, w, ridge), (0.002, -w, ridge)],
        [(-0.002, w, fin), (-0.002, -w, fin), (-0.002, -w, ridge), (-0.002, w, ridge)],
        [(w, w, shoulder), (-w, w, shoulder), (0, w, fin), (0, w, fin)],
        [(-w, -w, shoulder), (w, -w, shoulder), (0, -w, fin), (0, -w, fin)],
    ]
    vertices = np.array(quads, dtype=np.float64).reshape(-1, 3)
    first = 4 * np.arange(len(quads))[:, None]
    faces = np.concatenate([first + np.array([0, 1, 2]), first + np.array([0, 2, 3])])
    degenerate = np.all(vertices[faces[:, 1]] == vertices[faces[:, 2]], axis=1) | np.all(
        vertices[faces[:, 0]] == vertices[faces[:, 2]], axis=1
    )
    corner_u = np.tile([0.0, 1.0, 1.0, 0.0], len(quads))
    v = (vertices[:, 2] - base) / height
    return Mesh(vertices, faces[~degenerate].astype(np.int32), np.stack([corner_u, v], -1))


def lathe(profile: list[tuple[float, float]], sides: int = 24) -> Mesh:
    """Build a surface of revolution about z.

    Args:
        profile: Radius and height in [m]: up the outside, then down the inside of a hollow one.
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


def loaf(length: float, width: float, height: float, rings: int = 15, sides: int = 18) -> Mesh:
    """Build a loaf along y, centred, with tapered ends and a flat bottom at z = -height / 2; all in [m].

    Texture rows run around it, with its top at the middle row; columns run along it.
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


def tube(path: Points, radius: float, sides: int = 8) -> Mesh:
    """Build a round tube along a path in the x-z plane, path points in [m], shape (N, 3)."""
    tangent = np.gradient(path, axis=0)
    tangent /= np.linalg.norm(tangent, axis=1, keepdims=True)
    side = np.array([0.0, 1.0, 0.0])
    normal = np.cross(side, tangent)
    angle = np.linspace(0, 2 * np.pi, sides + 1)[None, :, None]
    ring = np.cos(angle) * normal[:, None] + np.sin(angle) * np.cross(tangent, normal)[:, None]
    return grid_mesh(path[:, None] + radius * ring)
