"""The simulated robot: a planar base, a lift, a Franka arm and a pan-tilt head."""

from openral_sim.robot.assembly import add_robot, reach_model, robot_only_model
from openral_sim.robot.body import BASE_RADIUS
from openral_sim.robot.control import RobotControl
from openral_sim.robot.franka import FrankaAssetsMissing
from openral_sim.robot.names import PREFIX, RobotNames
from openral_sim.robot.postures import TUCKED, stand_tucked

__all__ = [
    "BASE_RADIUS",
    "PREFIX",
    "TUCKED",
    "FrankaAssetsMissing",
    "RobotControl",
    "RobotNames",
    "add_robot",
    "reach_model",
    "robot_only_model",
    "stand_tucked",
]
