"""The simulated robot: a planar base, a lift, a Franka arm and a pan-tilt head."""

from openral_sim.robot.control import RobotControl
from openral_sim.robot.franka import GRIPPER, FrankaAssetsMissing
from openral_sim.robot.joints import PREFIX, TUCKED, RobotNames, set_stowed
from openral_sim.robot.model import BASE_RADIUS, add_robot, reach_model, robot_only_model

__all__ = [
    "BASE_RADIUS",
    "GRIPPER",
    "PREFIX",
    "TUCKED",
    "FrankaAssetsMissing",
    "RobotControl",
    "RobotNames",
    "add_robot",
    "reach_model",
    "robot_only_model",
    "set_stowed",
]
