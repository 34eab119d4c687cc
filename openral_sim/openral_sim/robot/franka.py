"""The arm: Franka's kinematic chain and gripper, read from an installed wheel's asset folder.

Source: ``kitchen_franka/franka_assets`` of gymnasium-robotics (Apache-2.0; see NOTICE). Its STL meshes are
decimated to suit a software renderer.
"""

from functools import cache
from importlib.util import find_spec
from pathlib import Path

import fast_simplification
import mujoco
import numpy as np
from numpy.typing import NDArray

from openral_core.errors import OpenRALError
from openral_core.grasping.gripper import GripperGeometry

PIP_COMMAND = "pip install --no-deps gymnasium-robotics==1.4.2"
_ASSETS = Path("envs/assets/kitchen_franka/franka_assets")
_WRAPPER = '<mujoco><include file="assets.xml"/><worldbody><include file="chain.xml"/></worldbody></mujoco>'
_MAX_VISUAL_FACES = 900
"""Number of faces of a decimated mesh [1]; light enough for a software renderer."""
_HEADER_BYTES = 84  # Fixed by the binary STL format: 80 bytes of text and the number of facets.
_FACET = np.dtype([("normal", "<3f4"), ("corners", "<9f4"), ("attribute", "<u2")])


GRIPPER = GripperGeometry(
    finger_travel=0.04,  # range of the Panda hand's finger joints
    pad_half_size=(0.010, 0.006, 0.022),  # the flat part of its fingertips
    knuckle_half_size=(0.016, 0.010, 0.025),
    tip_length=0.020,  # rounded up from 19.4 mm
)
"""The gripper of this robot."""


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


class FrankaAssetsMissing(OpenRALError):
    """The Python package with the arm's meshes is not installed."""

    def __init__(self, looked_in: str) -> None:
        super().__init__(f"Franka arm meshes not found in {looked_in}; install them with: {PIP_COMMAND}")


def assets_folder() -> Path:
    """Find the arm's asset folder without importing the package that contains it.

    Raises:
        FrankaAssetsMissing: If the package or the folder in it is missing.
    """
    found = find_spec("gymnasium_robotics")
    if found is None or found.origin is None:
        raise FrankaAssetsMissing("this Python environment (no package gymnasium_robotics)")
    folder = Path(found.origin).parent / _ASSETS
    if not (folder / "chain.xml").is_file():
        raise FrankaAssetsMissing(str(folder))
    return folder


def _spec_of(folder: Path) -> mujoco.MjSpec:
    files = {name: (folder / name).read_bytes() for name in ("assets.xml", "chain.xml")}
    return mujoco.MjSpec.from_string(_WRAPPER, include=files)


def mesh_files() -> dict[str, Path]:
    """Return the file of each mesh by its name in the arm's model.

    Raises:
        FrankaAssetsMissing: If the asset wheel is not installed.
    """
    folder = assets_folder()
    return {mesh.name: folder / "meshes" / mesh.file for mesh in _spec_of(folder).meshes}


def load_arm() -> mujoco.MjSpec:
    """Load the arm with decimated meshes, our joint names, our finger pads and no actuators.

    Raises:
        FrankaAssetsMissing: If the asset wheel is not installed.
    """
    folder = assets_folder()
    spec = _spec_of(folder)
    spec.nuser_actuator = -1
    for mesh in spec.meshes:
        _embed(mesh, folder / "meshes" / mesh.file)
    for body in spec.bodies[1:]:
        set_damping(body)
    for side, y in (("left", 1.0), ("right", -1.0)):
        replace_pads(spec, side, y)
    for body in spec.bodies[1:]:
        _rename(body)
    return spec


@cache
def visual_mesh(path: Path) -> tuple[NDArray[np.float32], NDArray[np.int32]]:
    """Read and decimate a mesh of the arm, once per process: a simulation composes the robot three times."""
    return decimate(*read_stl(path), limit=_MAX_VISUAL_FACES)


def _embed(mesh: mujoco.MjsMesh, path: Path) -> None:
    vertices, faces = visual_mesh(path)
    mesh.file = ""
    mesh.uservert = vertices.ravel().tolist()
    mesh.userface = faces.ravel().tolist()


def set_damping(body: mujoco.MjsBody) -> None:
    """Give the joints the damping of a controlled arm; the file's own values suit a torque demo."""
    body.gravcomp = 1.0
    for joint in body.joints:
        joint.damping = np.array([2.0, 0.0, 0.0]) if np.ndim(joint.damping) else 2.0
        joint.armature = 0.1


def replace_pads(spec: mujoco.MjSpec, side: str, y: float) -> None:
    """Replace the file's thirteen capsules by a flat pad and a knuckle: fewer contacts, same outline."""
    finger = spec.body(f"panda0_{side}finger")
    for geom in finger.geoms:
        if geom.type != mujoco.mjtGeom.mjGEOM_MESH:
            spec.delete(geom)
    for name, size, pos in (
        ("pad", GRIPPER.pad_half_size, (0.0, y * GRIPPER.pad_half_size[1], 0.072)),
        ("knuckle", GRIPPER.knuckle_half_size, (0.0, y * 0.014, 0.025)),
    ):
        finger.add_geom(
            name=f"{side}_{name}",
            type=mujoco.mjtGeom.mjGEOM_BOX,
            size=size,
            pos=pos,
            group=3,
            condim=4,
            friction=(1.2, 0.02, 0.0005),
            contype=1,
            conaffinity=1,
        )


def _rename(body: mujoco.MjsBody) -> None:
    body.name = body.name.removeprefix("panda0_").replace("finger", "_finger")
    for joint in body.joints:
        joint.name = f"{body.name}_joint" if "finger" in joint.name else f"joint{joint.name[-1]}"
