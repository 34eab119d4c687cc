"""Model of the robot: a planar base, a lift with a Franka arm, and a pan-tilt head on a mast behind it.

The base has velocity servos, every other joint a position servo. The dimensions are
this project's, those of a typical mobile manipulator for homes; the arm's are Franka's.
"""

import math
from dataclasses import dataclass
from functools import cache

import mujoco
import numpy as np
from numpy.typing import NDArray

from openral_sim.robot.franka import GRIPPER, load_arm
from openral_sim.robot.joints import PREFIX, RobotNames

ARM_PREFIX = f"{PREFIX}arm_"
"""Prefix of everything of the arm."""
BASE_RADIUS = 0.27
"""Radius of the base's footprint in [m]."""
MAST_X = -0.22
"""Position of the mast on base_link in [m], behind the arm."""
ARM_MOUNT = (0.10, 0.0, 0.30)
"""Position of the arm's mount on base_link with the lift down in [m]."""
LIFT_TRAVEL = 0.50
"""Travel of the lift in [m]: lets the hand reach the floor of a drawer and an upper shelf."""
HEAD_HEIGHT = 1.36
"""Height of the head's tilt axis above base_link in [m]: looks down on a table and over a counter."""
HEAD_CAMERA = (0.072, 0.0, 0.01)
"""Position of the camera on head_tilt_link in [m]."""
HEAD_FIELD_OF_VIEW = 55.0
"""Vertical field of view of the head camera in [deg]."""
PAN_LIMIT = 1.5
"""Largest pan to either side in [rad]."""
TILT_LIMITS = (-0.7, 1.0)
"""Range of tilt in [rad], positive down."""

_WHITE = (0.93, 0.94, 0.95, 1.0)  # Housings, RGBA.
_DARK = (0.16, 0.18, 0.21, 1.0)  # Base, sensors and rails, RGBA.
_ACCENT = (0.05, 0.55, 0.60, 1.0)  # Trim, RGBA.
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


@dataclass(frozen=True)
class Servo:
    """A position servo: stiffness [N/m or N m/rad], damping of the same base, force limit."""

    joint: str
    stiffness: float
    damping: float
    force: float


BASE_SERVOS = (("base_x", 6000.0, 2000.0), ("base_y", 6000.0, 2000.0), ("base_yaw", 1500.0, 600.0))
"""Joint, gain [N s/m or N m s/rad] and force limit [N or N m]."""

SERVOS = (
    Servo("lift", 20000.0, 2000.0, 2000.0),
    *(Servo(f"arm_joint{i}", 4500.0, 450.0, 87.0) for i in (1, 2)),
    *(Servo(f"arm_joint{i}", 3500.0, 350.0, 87.0) for i in (3, 4)),
    *(Servo(f"arm_joint{i}", 2000.0, 200.0, 40.0) for i in (5, 6, 7)),
    Servo("head_pan", 60.0, 8.0, 20.0),
    Servo("head_tilt", 60.0, 8.0, 20.0),
)
GRIPPER_SERVO = Servo("arm_left_finger_joint", 3000.0, 150.0, 70.0)


BRAKE_IMPEDANCE = (0.9999, 0.9999, 0.001, 0.5, 2.0)
"""MuJoCo's solimp of a brake; at the default of 0.9 a braked arm that is pushed creeps by 0.04 rad/s."""

BRAKE_RESPONSE = (0.004, 1.0)
"""MuJoCo's solref of a brake: time constant [s], two time steps, and damping ratio."""


def add_actuators(spec: mujoco.MjSpec) -> None:
    """Add one actuator per joint, named like it, and one for the coupled fingers."""
    for braked in spec.joints:
        braked.solimp_friction, braked.solref_friction = BRAKE_IMPEDANCE, BRAKE_RESPONSE
    for joint, gain, force in BASE_SERVOS:
        motor = _actuator(spec, joint, joint, force)
        motor.set_to_velocity(kv=gain)
    for servo in SERVOS:
        motor = _actuator(spec, servo.joint, servo.joint, servo.force)
        motor.set_to_position(kp=servo.stiffness, kv=servo.damping)
    motor = _actuator(spec, "gripper", GRIPPER_SERVO.joint, GRIPPER_SERVO.force)
    motor.set_to_position(kp=GRIPPER_SERVO.stiffness, kv=GRIPPER_SERVO.damping)
    motor.ctrlrange, motor.ctrllimited = (0.0, GRIPPER.finger_travel), True


def _actuator(spec: mujoco.MjSpec, name: str, joint: str, force: float) -> mujoco.MjsActuator:
    return spec.add_actuator(
        name=name,
        target=joint,
        trntype=mujoco.mjtTrn.mjTRN_JOINT,
        forcerange=(-force, force),
        forcelimited=True,
    )


GRASP_DEPTH = 0.240
"""Distance from the arm's flange frame to the point between the finger pads in [m]."""
_HAND_QUAT = (0.92388, 0.0, 0.0, -0.382683)  # -45 degrees about z, as Franka mounts its hand.
_WRIST_TILT = math.radians(12)
"""Tilt of the wrist camera towards the grasp site [rad]."""
_CLOSE_PAIRS = (
    ("torso", "arm_link1"),
    ("arm_link5", "arm_link7"),
    ("arm_link3", "arm_link5"),
    ("arm_link4", "arm_link6"),
    ("arm_link6", "arm_left_finger"),
    ("arm_link6", "arm_right_finger"),
    ("arm_left_finger", "arm_right_finger"),
    ("base_link", "arm_link0"),
)


def add_robot(spec: mujoco.MjSpec, x: float, y: float, yaw: float) -> RobotNames:
    """Compose the robot into a scene, its base at the given pose in map.

    The base's joints read that pose in every state of the model, so qpos is the pose in map. Grasps
    hold best with an elliptic cone and ``impratio`` 10; step with ``implicitfast`` at 2 ms.

    Args:
        x: Position in map in [m].
        y: Position in map in [m].
        yaw: Heading in map in [rad].

    Raises:
        FrankaAssetsMissing: If the arm's asset wheel is not installed.
    """
    spec.attach(_robot_spec(x, y, yaw), prefix=PREFIX, frame=spec.worldbody.add_frame())
    return RobotNames()


@cache
def robot_only_model() -> mujoco.MjModel:
    """Compile the robot alone in an empty world, for inverse kinematics; treat it as read-only."""
    return _robot_alone().compile()


@cache
def reach_model() -> mujoco.MjModel:
    """Compile the robot with only the lift and the arm free, base_link at the origin; read-only."""
    spec, names = _robot_alone(), RobotNames()
    for equality in spec.equalities:
        spec.delete(equality)
    for actuator in spec.actuators:
        spec.delete(actuator)
    for joint in spec.joints:
        if joint.name not in names.reach_joints:
            spec.delete(joint)
    return spec.compile()


def _robot_alone() -> mujoco.MjSpec:
    spec = mujoco.MjSpec()
    add_robot(spec, 0.0, 0.0, 0.0)
    return spec


def _robot_spec(x: float, y: float, yaw: float) -> mujoco.MjSpec:
    spec = mujoco.MjSpec()
    spec.compiler.degree = False
    base = add_base(spec, x, y, yaw)
    torso = add_torso(base)
    add_head(base)
    spec.attach(load_arm(), prefix=ARM_PREFIX.removeprefix(PREFIX), frame=torso.add_frame())
    _equip_hand(spec.body("arm_link7"))
    add_actuators(spec)
    _add_equalities(spec)
    for one, other in _CLOSE_PAIRS:
        spec.add_exclude(bodyname1=one, bodyname2=other)
    return spec


def _equip_hand(hand: mujoco.MjsBody) -> None:
    """Add the grasp site between the pads (z approach, y finger travel) and the wrist camera."""
    hand.add_site(name="grasp", pos=(0, 0, GRASP_DEPTH), quat=_HAND_QUAT, group=4, size=(0.005, 0, 0))
    c, s = math.cos(-math.pi / 4), math.sin(-math.pi / 4)
    ct, st = math.cos(_WRIST_TILT), math.sin(_WRIST_TILT)
    # On the side the fingers do not travel to, tilted towards the grasp point.
    right, down = (-s, c, 0.0), (-c * ct, -s * ct, -st)
    add_camera(hand, "wrist", pos=(0.075 * c, 0.075 * s, 0.11), xyaxes=(*right, *down), fovy=60.0)


def _add_equalities(spec: mujoco.MjSpec) -> None:
    joint = spec.add_equality(name="fingers", type=mujoco.mjtEq.mjEQ_JOINT)
    joint.name1, joint.name2 = "arm_right_finger_joint", "arm_left_finger_joint"
    joint.objtype = mujoco.mjtObj.mjOBJ_JOINT
    joint.data[:5] = (0.0, 1.0, 0.0, 0.0, 0.0)
    given = ((name.removeprefix(PREFIX), "odom_link") for name in RobotNames().handover_welds)
    for name, holder in (("grasp_weld", "arm_link7"), *given):
        weld = spec.add_equality(name=name, type=mujoco.mjtEq.mjEQ_WELD, active=False)
        weld.name1, weld.name2, weld.objtype = holder, "base_link", mujoco.mjtObj.mjOBJ_BODY
    # A hand around a bar: it can turn about it and does not leave it.
    connect = spec.add_equality(name="handle_connect", type=mujoco.mjtEq.mjEQ_CONNECT, active=False)
    connect.name1, connect.name2, connect.objtype = "arm_link7", "base_link", mujoco.mjtObj.mjOBJ_BODY
