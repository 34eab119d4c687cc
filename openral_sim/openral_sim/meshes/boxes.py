"""Boxes whose six sides each show a part of one picture."""

import numpy as np

from openral_sim.meshes.mesh import Mesh

_SIDES = (
    ((1, 0, 0), (0, 1, 0), (0, 0, 1)),
    ((-1, 0, 0), (0, -1, 0), (0, 0, 1)),
    ((0, 1, 0), (-1, 0, 0), (0, 0, 1)),
    ((0, -1, 0), (1, 0, 0), (0, 0, 1)),
    ((0, 0, 1), (0, 1, 0), (-1, 0, 0)),
    ((0, 0, -1), (0, 1, 0), (1, 0, 0)),
)


def printed_box(size: tuple[float, float, float]) -> Mesh:
    """A centred box [m] with the whole picture on each side, upright on the four walls."""
    corners, uv = [], []
    for outward, right, up in np.array(_SIDES, dtype=np.float64):
        for u, v in ((0, 0), (1, 0), (1, 1), (0, 1)):
            corners.append((outward + (2 * u - 1) * right + (2 * v - 1) * up) * np.array(size) / 2)
            uv.append((u, v))
    first = 4 * np.arange(6)[:, None]
    faces = np.concatenate([first + np.array([0, 1, 2]), first + np.array([0, 2, 3])])
    return Mesh(np.array(corners), faces.astype(np.int32), np.array(uv, dtype=np.float64))
