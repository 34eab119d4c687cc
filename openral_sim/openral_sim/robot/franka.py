"""The arm of the robot `franka`: Franka's kinematic chain and gripper, from an installed wheel.

Source: ``kitchen_franka/franka_assets`` of gymnasium-robotics (Apache-2.0; see NOTICE). Its STL meshes are
decimated to suit a software renderer.
"""

from pathlib import Path

import mujoco
import numpy as np

from openral_core.grasping.gripper import GripperGeometry
from openral_sim.robot.meshes import embed

_WRAPPER = '<mujoco><include file="assets.xml"/><worldbody><include file="chain.xml"/></worldbody></mujoco>'
ARM_PREFIX = "arm_"
"""Prefix of everything of the arm, on its robot."""


def _spec_of(folder: Path) -> mujoco.MjSpec:
    files = {name: (folder / name).read_bytes() for name in ("assets.xml", "chain.xml")}
    return mujoco.MjSpec.from_string(_WRAPPER, include=files)


def mesh_files(folder: Path) -> dict[str, Path]:
    """Return the file of each mesh by its name on the robot."""
    return {ARM_PREFIX + mesh.name: folder / "meshes" / mesh.file for mesh in _spec_of(folder).meshes}


def load_arm(folder: Path, gripper: GripperGeometry) -> mujoco.MjSpec:
    """Load the arm with decimated meshes, our joint names, our finger pads and no actuators."""
    spec = _spec_of(folder)
    spec.nuser_actuator = -1
    for mesh in spec.meshes:
        embed(mesh, folder / "meshes" / mesh.file)
    for body in spec.bodies[1:]:
        set_damping(body)
    for side, y in (("left", 1.0), ("right", -1.0)):
        replace_pads(spec, gripper, side, y)
    for body in spec.bodies[1:]:
        _rename(body)
    return spec


def set_damping(body: mujoco.MjsBody) -> None:
    """Give the joints the damping of a controlled arm; the file's own values suit a torque demo."""
    body.gravcomp = 1.0
    for joint in body.joints:
        joint.damping = np.array([2.0, 0.0, 0.0]) if np.ndim(joint.damping) else 2.0
        joint.armature = 0.1


def replace_pads(spec: mujoco.MjSpec, gripper: GripperGeometry, side: str, y: float) -> None:
    """Replace the file's thirteen capsules by a flat pad and a knuckle: fewer contacts, same outline."""
    finger = spec.body(f"panda0_{side}finger")
    for geom in finger.geoms:
        if geom.type != mujoco.mjtGeom.mjGEOM_MESH:
            spec.delete(geom)
    for name, size, pos in (
        ("pad", gripper.pad_half_size, (0.0, y * gripper.pad_half_size[1], 0.072)),
        ("knuckle", gripper.knuckle_half_size, (0.0, y * 0.014, 0.025)),
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
