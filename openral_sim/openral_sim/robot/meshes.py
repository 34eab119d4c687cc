"""Mesh files of installed packages: found by path, and decimated to suit a software renderer."""

from functools import cache
from importlib.util import find_spec
from pathlib import Path

import fast_simplification
import mujoco
import numpy as np
from numpy.typing import NDArray

from openral_core.arrays import Array32
from openral_core.errors import OpenRALError

_MAX_VISUAL_FACES = 900
"""Number of faces of a decimated mesh [1]; light enough for a software renderer."""
_HEADER_BYTES = 84  # Fixed by the binary STL format: 80 bytes of text and the number of facets.
_FACET = np.dtype([("normal", "<3f4"), ("corners", "<9f4"), ("attribute", "<u2")])


class RobotAssetsMissing(OpenRALError):
    """The folder with a robot's model or meshes does not exist."""

    def __init__(self, looked_in: str, install: str) -> None:
        mend = f"; install it with: {install}" if install else ""
        super().__init__(f"robot model not found in {looked_in}{mend}")


def assets_folder(place: str, beside: Path, install: str) -> Path:
    """Return a folder beside a file, or one in an installed package, which is not imported.

    Args:
        place: ``folder`` or ``package:folder``.
        beside: Folder that a relative path starts from.
        install: Command that installs the package.

    Raises:
        RobotAssetsMissing: If the package or the folder is missing.
    """
    package, colon, inside = place.partition(":")
    folder = beside / place
    if colon:
        spec = find_spec(package)
        if spec is None or spec.origin is None:
            raise RobotAssetsMissing(f"this Python environment (no package {package})", install)
        folder = Path(spec.origin).parent / inside
    if not folder.is_dir():
        raise RobotAssetsMissing(str(folder), install)
    return folder


def read_stl(path: Path) -> tuple[Array32, NDArray[np.int32]]:
    """Read a binary STL file as shared vertices and faces.

    Returns:
        Vertices in the file's unit, shape (V, 3), and vertex indices, shape (F, 3).
    """
    corners = np.frombuffer(path.read_bytes()[_HEADER_BYTES:], _FACET)["corners"].reshape(-1, 3)
    vertices, index = np.unique(corners, axis=0, return_inverse=True)
    return vertices, index.reshape(-1, 3).astype(np.int32)


def decimate(vertices: Array32, faces: NDArray[np.int32], limit: int) -> tuple[Array32, NDArray[np.int32]]:
    """Reduce a mesh to about ``limit`` faces; a lighter mesh is returned as it is."""
    if len(faces) <= limit:
        return vertices, faces
    reduced, reduced_faces = fast_simplification.simplify(vertices, faces, target_count=limit)
    return reduced, reduced_faces.astype(np.int32)


@cache
def visual_mesh(path: Path) -> tuple[Array32, NDArray[np.int32]]:
    """Read and decimate a mesh, once per process: a simulation composes the robot three times."""
    return decimate(*read_stl(path), limit=_MAX_VISUAL_FACES)


def embed(mesh: mujoco.MjsMesh, path: Path) -> None:
    """Give a mesh of a specification the decimated content of an STL file; of another format, the file."""
    if path.suffix.lower() != ".stl":
        mesh.file = str(path)
        return
    vertices, faces = visual_mesh(path)
    mesh.file = ""
    mesh.uservert = vertices.ravel().tolist()
    mesh.userface = faces.ravel().tolist()
