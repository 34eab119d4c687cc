"""Composition of a robot in a scene: its model on a planar base, with cameras, servos and constraints.

The base has velocity servos, every other joint a position servo.
"""

import math
from pathlib import Path

import mujoco
import numpy as np

from openral_core.arrays import Array
from openral_sim.robot.description import CameraMount, Servo, SimRobotDescription
from openral_sim.robot.joints import PREFIX, RobotNames
from openral_sim.robot.source import RobotSource

BRAKE_IMPEDANCE = (0.9999, 0.9999, 0.001, 0.5, 2.0)
"""MuJoCo's solimp of a brake; at the default of 0.9 a braked arm that is pushed creeps by 0.04 rad/s."""
BRAKE_RESPONSE = (0.004, 1.0)
"""MuJoCo's solref of a brake: time constant [s], two time steps, and damping ratio."""
BASE = "base_link"
"""Root link of every robot."""

_JOINT = mujoco.mjtJoint


def add_robot(spec: mujoco.MjSpec, source: RobotSource, x: float, y: float, yaw: float) -> None:
    """Add a robot to a scene so that its base's joints read the pose in map: x [m], y [m], yaw [rad].

    Two specifications are attached, since each keeps the unit of its angles.
    """
    part = source.load()
    _equip(part, source.description, yaw)
    spec.attach(_carriage(source.description, x, y), prefix=PREFIX, frame=spec.worldbody.add_frame())
    spec.attach(part, prefix=PREFIX, frame=spec.body(source.description.names.root).add_frame())
    _add_equalities(spec, source.description.names)


def _carriage(description: SimRobotDescription, x: float, y: float) -> mujoco.MjSpec:
    """Return the slides of the base along map's axes."""
    spec, servo = mujoco.MjSpec(), description.base.translation
    body = spec.worldbody.add_body(name="odom_link", pos=(x, y, 0.0), gravcomp=1.0)
    body.mass, body.inertia, body.explicitinertial = 1.0, (0.1, 0.1, 0.1), True
    for name, axis, ref in (("base_x", (1, 0, 0), x), ("base_y", (0, 1, 0), y)):
        _set_brake(body.add_joint(name=name, type=_JOINT.mjJNT_SLIDE, axis=axis, ref=ref))
        _actuator(spec, name, name, servo.force).set_to_velocity(kv=servo.gain)
    return spec


def _equip(part: mujoco.MjSpec, description: SimRobotDescription, yaw: float) -> None:
    """Turn the model of a robot into one with the base's hinge, cameras, grasp point and servos."""
    base = part.body(description.base.link)
    base.name, base.pos = BASE, (0.0, 0.0, 0.0)
    base.quat = (math.cos(yaw / 2), 0.0, 0.0, math.sin(yaw / 2))
    ref = math.degrees(yaw) if part.compiler.degree else yaw
    base.add_joint(name="base_yaw", type=_JOINT.mjJNT_HINGE, axis=(0, 0, 1), ref=ref)
    _set_joints(part, description)
    for name, mount in (("head", description.cameras.head), ("wrist", description.cameras.wrist)):
        _add_camera(part.body(mount.link), name, mount)
    hand = part.body(description.gripper.link)
    grasp, quat = description.gripper.grasp, description.gripper.grasp_quat
    hand.add_site(name="grasp", pos=grasp, quat=quat, group=4, size=(0.005, 0, 0))
    _add_actuators(part, description)
    for one, other in description.allowed_collisions:
        part.add_exclude(bodyname1=one, bodyname2=other)


def _set_joints(spec: mujoco.MjSpec, description: SimRobotDescription) -> None:
    """Set what the description says of each joint's passive behaviour."""
    gripper = description.gripper
    servos = {**description.servos, **dict.fromkeys(gripper.joints, gripper.servo)}
    for name, servo in servos.items():
        joint = spec.joint(name)
        if servo.friction is not None:
            joint.damping = _linear(servo.friction, joint.damping)
            joint.stiffness, joint.frictionloss = _linear(0.0, joint.stiffness), 0.0
        if servo.armature is not None:
            joint.armature = servo.armature
        if servo.range is not None:
            joint.limited = mujoco.mjtLimited.mjLIMITED_TRUE
            in_degrees = spec.compiler.degree and joint.type == _JOINT.mjJNT_HINGE
            joint.range = np.degrees(servo.range) if in_degrees else servo.range


def _linear(value: float, like: float | Array) -> float | Array:
    """Return a linear coefficient; MuJoCo 4 holds those of a polynomial."""
    return np.array([value, 0.0, 0.0]) if np.ndim(like) else value


def _add_camera(body: mujoco.MjsBody, name: str, mount: CameraMount) -> None:
    """Add ``<name>_camera_optical_frame`` (REP 103 axes) and a camera in it."""
    quat = _quat(mount.right, mount.down)
    frame = body.add_body(name=f"{name}_camera_optical_frame", pos=mount.position, quat=quat, gravcomp=1.0)
    frame.mass, frame.inertia, frame.explicitinertial = 0.02, (1e-5, 1e-5, 1e-5), True
    frame.add_camera(name=name, quat=(0, 1, 0, 0), fovy=mount.fovy)


def _quat(right: tuple[float, float, float], down: tuple[float, float, float]) -> Array:
    x, y = np.array(right), np.array(down)
    quat = np.zeros(4)
    mujoco.mju_mat2Quat(quat, np.column_stack([x, y, np.cross(x, y)]).ravel())
    return quat


def _add_actuators(spec: mujoco.MjSpec, description: SimRobotDescription) -> None:
    """Add one actuator per joint, named like it, and one for the coupled fingers."""
    for joint in spec.joints:
        _set_brake(joint)
    drive, gripper = description.base.rotation, description.gripper
    _actuator(spec, "base_yaw", "base_yaw", drive.force).set_to_velocity(kv=drive.gain)
    for name in (*description.reach_joints, *description.head.joints):
        _add_servo(spec, name, name, description.servos[name])
    motor = _add_servo(spec, "gripper", gripper.joints[0], gripper.servo)
    motor.ctrlrange, motor.ctrllimited = (0.0, gripper.travel), True


def _set_brake(joint: mujoco.MjsJoint) -> None:
    joint.solimp_friction, joint.solref_friction = BRAKE_IMPEDANCE, BRAKE_RESPONSE


def _add_servo(spec: mujoco.MjSpec, name: str, joint: str, servo: Servo) -> mujoco.MjsActuator:
    motor = _actuator(spec, name, joint, servo.force)
    motor.set_to_position(kp=servo.stiffness, kv=servo.damping)
    return motor


def _actuator(spec: mujoco.MjSpec, name: str, joint: str, force: float) -> mujoco.MjsActuator:
    return spec.add_actuator(
        name=name,
        target=joint,
        trntype=mujoco.mjtTrn.mjTRN_JOINT,
        forcerange=(-force, force),
        forcelimited=True,
    )


def _add_equalities(spec: mujoco.MjSpec, names: RobotNames) -> None:
    joint = spec.add_equality(name=PREFIX + "fingers", type=mujoco.mjtEq.mjEQ_JOINT)
    joint.name2, joint.name1 = names.finger_joints
    joint.objtype = mujoco.mjtObj.mjOBJ_JOINT
    joint.data[:5] = (0.0, 1.0, 0.0, 0.0, 0.0)
    handovers = ((name, names.root) for name in names.handover_welds)
    for name, holder in ((names.grasp_weld, names.hand), *handovers):
        weld = spec.add_equality(name=name, type=mujoco.mjtEq.mjEQ_WELD, active=False)
        weld.name1, weld.name2, weld.objtype = holder, names.base, mujoco.mjtObj.mjOBJ_BODY
    # A hand around a bar: it can turn about it and does not leave it.
    connect = spec.add_equality(name=names.handle_connect, type=mujoco.mjtEq.mjEQ_CONNECT, active=False)
    connect.name1, connect.name2, connect.objtype = names.hand, names.base, mujoco.mjtObj.mjOBJ_BODY


def reach_spec(spec: mujoco.MjSpec, names: RobotNames) -> mujoco.MjSpec:
    """Leave only the lift and the arm of a robot free."""
    for equality in spec.equalities:
        spec.delete(equality)
    for actuator in spec.actuators:
        spec.delete(actuator)
    for joint in spec.joints:
        if joint.name not in names.reach_joints:
            spec.delete(joint)
    return spec


def mesh_paths(source: RobotSource) -> dict[str, Path]:
    """Return the file of each mesh by its name in a compiled model."""
    return {PREFIX + name: file for name, file in source.mesh_files().items()}
