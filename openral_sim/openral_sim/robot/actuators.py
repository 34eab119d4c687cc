"""The robot's servos: velocity for the base, position for everything else."""

from dataclasses import dataclass

import mujoco


@dataclass(frozen=True)
class Servo:
    """A position servo: stiffness [N/m or N m/rad], damping of the same base, force limit."""

    joint: str
    stiffness: float
    damping: float
    force: float


BASE = (("base_x", 6000.0, 2000.0), ("base_y", 6000.0, 2000.0), ("base_yaw", 1500.0, 600.0))
"""Joint, gain [N s/m or N m s/rad] and force limit [N or N m]."""

SERVOS = (
    Servo("lift", 20000.0, 2000.0, 2000.0),
    *(Servo(f"arm_joint{i}", 4500.0, 450.0, 87.0) for i in (1, 2)),
    *(Servo(f"arm_joint{i}", 3500.0, 350.0, 87.0) for i in (3, 4)),
    *(Servo(f"arm_joint{i}", 2000.0, 200.0, 40.0) for i in (5, 6, 7)),
    Servo("head_pan", 60.0, 8.0, 20.0),
    Servo("head_tilt", 60.0, 8.0, 20.0),
)
GRIPPER = Servo("arm_left_finger_joint", 3000.0, 150.0, 70.0)
FINGER_TRAVEL = 0.04


def add_actuators(spec: mujoco.MjSpec) -> None:
    """Add one actuator per joint, named like it, and one for the coupled fingers."""
    for joint, gain, force in BASE:
        motor = _actuator(spec, joint, joint, force)
        motor.set_to_velocity(kv=gain)
    for servo in SERVOS:
        motor = _actuator(spec, servo.joint, servo.joint, servo.force)
        motor.set_to_position(kp=servo.stiffness, kv=servo.damping)
    motor = _actuator(spec, "gripper", GRIPPER.joint, GRIPPER.force)
    motor.set_to_position(kp=GRIPPER.stiffness, kv=GRIPPER.damping)
    motor.ctrlrange, motor.ctrllimited = (0.0, FINGER_TRAVEL), True


def _actuator(spec: mujoco.MjSpec, name: str, joint: str, force: float) -> mujoco.MjsActuator:
    return spec.add_actuator(
        name=name,
        target=joint,
        trntype=mujoco.mjtTrn.mjTRN_JOINT,
        forcerange=(-force, force),
        forcelimited=True,
    )
