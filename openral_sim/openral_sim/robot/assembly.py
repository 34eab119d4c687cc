"""Put the robot together and into a scene."""

import math
from functools import cache

import mujoco

from openral_sim.robot.actuators import add_actuators
from openral_sim.robot.body import add_base, add_camera, add_head, add_torso
from openral_sim.robot.franka import load_arm
from openral_sim.robot.names import PREFIX, RobotNames

GRASP_DEPTH = 0.240
"""Distance from the arm's flange frame to the point between the finger pads in [m]."""
_HAND_QUAT = (0.92388, 0.0, 0.0, -0.382683)
_WRIST_TILT = math.radians(12)
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
    return _alone().compile()


@cache
def reach_model() -> mujoco.MjModel:
    """Compile the robot with only the lift and the arm free, base_link at the origin; read-only."""
    spec, names = _alone(), RobotNames()
    for equality in spec.equalities:
        spec.delete(equality)
    for actuator in spec.actuators:
        spec.delete(actuator)
    for joint in spec.joints:
        if joint.name not in names.reach_joints:
            spec.delete(joint)
    return spec.compile()


def _alone() -> mujoco.MjSpec:
    spec = mujoco.MjSpec()
    add_robot(spec, 0.0, 0.0, 0.0)
    return spec


def _robot_spec(x: float, y: float, yaw: float) -> mujoco.MjSpec:
    spec = mujoco.MjSpec()
    spec.compiler.degree = False
    base = add_base(spec, x, y, yaw)
    torso = add_torso(base)
    add_head(base)
    spec.attach(load_arm(), prefix="arm_", frame=torso.add_frame())
    _equip_hand(spec.body("arm_link7"))
    add_actuators(spec)
    _add_equalities(spec)
    for one, other in _CLOSE_PAIRS:
        spec.add_exclude(bodyname1=one, bodyname2=other)
    return spec


def _equip_hand(hand: mujoco.MjsBody) -> None:
    """Mark the point between the pads (z approach, y finger travel) and hang a camera beside the hand."""
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
