"""Folded cardboard: a carton with a gabled top."""

import numpy as np

from openral_sim.meshes.mesh import Mesh

_SHOULDER = 0.78
_FIN = 0.93


def gabled_carton(width: float, height: float) -> Mesh:
    """A milk carton of square base, centred, its ridge along y; all in [m].

    Every wall shows the whole texture, top to bottom.
    """
    w, base, ridge = width / 2, -height / 2, height / 2
    shoulder, fin = base + _SHOULDER * height, base + _FIN * height
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
