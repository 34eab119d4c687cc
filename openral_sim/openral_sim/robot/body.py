"""The robot's own body: a planar base, a lift for the arm and a head on a mast behind it."""

import math

import mujoco
import numpy as np
from numpy.typing import NDArray

BASE_RADIUS = 0.27
"""Footprint of the base in [m]."""
MAST_X = -0.22
ARM_MOUNT = (0.10, 0.0, 0.30)
"""Where the arm stands on base_link with the lift down, in [m]."""
LIFT_TRAVEL = 0.50
HEAD_HEIGHT = 1.36
HEAD_CAMERA = (0.072, 0.0, 0.01)
"""Where the camera sits on the head, which pans and tilts, in [m]."""
HEAD_FIELD_OF_VIEW = 55.0
"""From top to bottom in [deg]."""
PAN_LIMIT = 1.5
TILT_LIMITS = (-0.7, 1.0)

_WHITE = (0.93, 0.94, 0.95, 1.0)
_DARK = (0.16, 0.18, 0.21, 1.0)
_ACCENT = (0.05, 0.55, 0.60, 1.0)
_GEOM = mujoco.mjtGeom
_JOINT = mujoco.mjtJoint


def add_base(spec: mujoco.MjSpec, x: float, y: float, yaw: float) -> mujoco.MjsBody:
    """Add the planar base so that its joints read the pose in map: x [m], y [m], yaw [rad]."""
    carriage = spec.worldbody.add_body(name="odom_link", pos=(x, y, 0.0), gravcomp=1.0)
    carriage.mass, carriage.inertia, carriage.explicitinertial = 1.0, (0.1, 0.1, 0.1), True
    carriage.add_joint(name="base_x", type=_JOINT.mjJNT_SLIDE, axis=(1, 0, 0), ref=x)
    carriage.add_joint(name="base_y", type=_JOINT.mjJNT_SLIDE, axis=(0, 1, 0), ref=y)
    quat = (math.cos(yaw / 2), 0.0, 0.0, math.sin(yaw / 2))
    base = carriage.add_body(name="base_link", quat=quat, gravcomp=1.0)
    base.add_joint(name="base_yaw", type=_JOINT.mjJNT_HINGE, axis=(0, 0, 1), ref=yaw)
    _cylinder(base, (BASE_RADIUS, 0.075), (0, 0, 0.095), _DARK, 30.0)
    _cylinder(base, (BASE_RADIUS - 0.015, 0.025), (0, 0, 0.195), _WHITE, 10.0)
    _cylinder(base, (BASE_RADIUS + 0.002, 0.008), (0, 0, 0.160), _ACCENT, 0.5)
    return base


def add_torso(base: mujoco.MjsBody) -> mujoco.MjsBody:
    """Add the mast and, sliding along it, the shelf that carries the arm."""
    _box(base, (0.045, 0.07, 0.52), (MAST_X, 0, 0.72), _WHITE, 8.0)
    _box(base, (0.004, 0.02, 0.50), (MAST_X + 0.046, 0, 0.72), _DARK, 0.2)
    torso = base.add_body(name="torso", pos=ARM_MOUNT, gravcomp=1.0)
    torso.add_joint(
        name="lift", type=_JOINT.mjJNT_SLIDE, axis=(0, 0, 1), range=(0.0, LIFT_TRAVEL), damping=(20, 0, 0)
    )
    _box(torso, (0.125, 0.085, 0.025), (-0.045, 0, -0.026), _ACCENT, 5.0)
    return torso


def add_head(base: mujoco.MjsBody) -> None:
    """Add a pan-tilt head whose camera frame is ``head_camera_optical_frame``."""
    pan = base.add_body(name="head_pan_link", pos=(MAST_X, 0, HEAD_HEIGHT - 0.08), gravcomp=1.0)
    pan.add_joint(
        name="head_pan", axis=(0, 0, 1), range=(-PAN_LIMIT, PAN_LIMIT), damping=(2, 0, 0), armature=0.01
    )
    _cylinder(pan, (0.035, 0.03), (0, 0, 0), _DARK, 0.5)
    tilt = pan.add_body(name="head_tilt_link", pos=(0, 0, 0.08), gravcomp=1.0)
    tilt.add_joint(name="head_tilt", axis=(0, 1, 0), range=TILT_LIMITS, damping=(2, 0, 0), armature=0.01)
    _box(tilt, (0.055, 0.09, 0.055), (0.01, 0, 0.01), _WHITE, 1.0)
    _box(tilt, (0.004, 0.078, 0.035), (0.066, 0, 0.01), _DARK, 0.1)
    add_camera(tilt, "head", pos=HEAD_CAMERA, xyaxes=(0, -1, 0, 0, 0, -1), fovy=HEAD_FIELD_OF_VIEW)


def add_camera(
    body: mujoco.MjsBody,
    name: str,
    pos: tuple[float, float, float],
    xyaxes: tuple[float, ...],
    fovy: float,
) -> None:
    """Add ``<name>_camera_optical_frame`` (REP 103 axes, given by its x and y) and a camera in it."""
    frame = body.add_body(name=f"{name}_camera_optical_frame", pos=pos, quat=_quat(xyaxes), gravcomp=1.0)
    frame.mass, frame.inertia, frame.explicitinertial = 0.02, (1e-5, 1e-5, 1e-5), True
    frame.add_camera(name=name, quat=(0, 1, 0, 0), fovy=fovy)


def _quat(xyaxes: tuple[float, ...]) -> NDArray[np.float64]:
    x, y = np.array(xyaxes[:3]), np.array(xyaxes[3:])
    quat = np.zeros(4)
    mujoco.mju_mat2Quat(quat, np.column_stack([x, y, np.cross(x, y)]).ravel())
    return quat


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
