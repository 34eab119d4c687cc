"""Model of the robot `franka`: a base, a lift with a Franka arm, and a pan-tilt head on a mast behind it.

The dimensions are this project's, those of a typical mobile manipulator for homes; the arm's are Franka's.
"""

from pathlib import Path

import mujoco

from openral_core.grasping.gripper import GripperGeometry
from openral_sim.robot.franka import ARM_PREFIX, load_arm

BASE_RADIUS = 0.27
"""Radius of the base in [m]."""
MAST_X = -0.22
"""Position of the mast on base_link in [m], behind the arm."""
ARM_MOUNT = (0.10, 0.0, 0.30)
"""Position of the arm's mount on base_link with the lift down in [m]."""
LIFT_TRAVEL = 0.50
"""Travel of the lift in [m]: lets the hand reach the floor of a drawer and an upper shelf."""
HEAD_HEIGHT = 1.36
"""Height of the head's tilt axis above base_link in [m]: looks down on a table and over a counter."""
PAN_LIMIT = 1.5
"""Largest pan to either side in [rad]."""
TILT_LIMITS = (-0.7, 1.0)
"""Range of tilt in [rad], positive down."""

_WHITE = (0.93, 0.94, 0.95, 1.0)  # Housings, RGBA.
_DARK = (0.16, 0.18, 0.21, 1.0)  # Base, sensors and rails, RGBA.
_ACCENT = (0.05, 0.55, 0.60, 1.0)  # Trim, RGBA.
_GEOM = mujoco.mjtGeom
_JOINT = mujoco.mjtJoint


def compose(folder: Path, gripper: GripperGeometry) -> mujoco.MjSpec:
    """Compose the robot, its base at the origin, with the arm's files in a folder."""
    spec = mujoco.MjSpec()
    spec.compiler.degree = False
    base = spec.worldbody.add_body(name="base_link", gravcomp=1.0)
    _add_base(base)
    torso = _add_torso(base)
    _add_head(base)
    spec.attach(load_arm(folder, gripper), prefix=ARM_PREFIX, frame=torso.add_frame())
    return spec


def _add_base(base: mujoco.MjsBody) -> None:
    _cylinder(base, (BASE_RADIUS, 0.075), (0, 0, 0.095), _DARK, 30.0)
    _cylinder(base, (BASE_RADIUS - 0.015, 0.025), (0, 0, 0.195), _WHITE, 10.0)
    _cylinder(base, (BASE_RADIUS + 0.002, 0.008), (0, 0, 0.160), _ACCENT, 0.5)


def _add_torso(base: mujoco.MjsBody) -> mujoco.MjsBody:
    """Add the mast and, sliding along it, the shelf that carries the arm."""
    _box(base, (0.045, 0.07, 0.52), (MAST_X, 0, 0.72), _WHITE, 8.0)
    _box(base, (0.004, 0.02, 0.50), (MAST_X + 0.046, 0, 0.72), _DARK, 0.2)
    torso = base.add_body(name="torso", pos=ARM_MOUNT, gravcomp=1.0)
    torso.add_joint(
        name="lift", type=_JOINT.mjJNT_SLIDE, axis=(0, 0, 1), range=(0.0, LIFT_TRAVEL), damping=(20, 0, 0)
    )
    _box(torso, (0.125, 0.085, 0.025), (-0.045, 0, -0.026), _ACCENT, 5.0)
    return torso


def _add_head(base: mujoco.MjsBody) -> None:
    """Add a pan-tilt head."""
    pan = base.add_body(name="head_pan_link", pos=(MAST_X, 0, HEAD_HEIGHT - 0.08), gravcomp=1.0)
    pan.add_joint(
        name="head_pan", axis=(0, 0, 1), range=(-PAN_LIMIT, PAN_LIMIT), damping=(2, 0, 0), armature=0.01
    )
    _cylinder(pan, (0.035, 0.03), (0, 0, 0), _DARK, 0.5)
    tilt = pan.add_body(name="head_tilt_link", pos=(0, 0, 0.08), gravcomp=1.0)
    tilt.add_joint(name="head_tilt", axis=(0, 1, 0), range=TILT_LIMITS, damping=(2, 0, 0), armature=0.01)
    _box(tilt, (0.055, 0.09, 0.055), (0.01, 0, 0.01), _WHITE, 1.0)
    _box(tilt, (0.004, 0.078, 0.035), (0.066, 0, 0.01), _DARK, 0.1)


def _box(
    body: mujoco.MjsBody,
    half: tuple[float, float, float],
    pos: tuple[float, float, float],
    rgba: tuple[float, float, float, float],
    mass: float,
) -> None:
    body.add_geom(type=_GEOM.mjGEOM_BOX, size=half, pos=pos, rgba=rgba, mass=mass)


def _cylinder(
    body: mujoco.MjsBody,
    radius_half: tuple[float, float],
    pos: tuple[float, float, float],
    rgba: tuple[float, float, float, float],
    mass: float,
) -> None:
    body.add_geom(type=_GEOM.mjGEOM_CYLINDER, size=(*radius_half, 0), pos=pos, rgba=rgba, mass=mass)
