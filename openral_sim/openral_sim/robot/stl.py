"""Triangle meshes from binary STL files, light enough for a software renderer."""

from pathlib import Path

import fast_simplification
import numpy as np
from numpy.typing import NDArray

_HEADER_BYTES = 84
_FACET = np.dtype([("normal", "<3f4"), ("corners", "<9f4"), ("attribute", "<u2")])


def read_stl(path: Path) -> tuple[NDArray[np.float32], NDArray[np.int32]]:
    """Read a binary STL file as shared vertices and faces.

    Returns:
        Vertices in the file's unit, shape (V, 3), and vertex indices, shape (F, 3).
    """
    corners = np.frombuffer(path.read_bytes()[_HEADER_BYTES:], _FACET)["corners"].reshape(-1, 3)
    vertices, index = np.unique(corners, axis=0, return_inverse=True)
    return vertices, index.reshape(-1, 3).astype(np.int32)


def decimate(
    vertices: NDArray[np.float32], faces: NDArray[np.int32], limit: int
) -> tuple[NDArray[np.float32], NDArray[np.int32]]:
    """Reduce a mesh to about ``limit`` faces; a lighter mesh is returned as it is."""
    if len(faces) <= limit:
        return vertices, faces
    reduced, kept = fast_simplification.simplify(vertices, faces, target_count=limit)
    return reduced, kept.astype(np.int32)
