"""Robots of the simulation: each is a description, a model, and what the planners derive from them."""

from openral_sim.choices import DEFAULT_ROBOT
from openral_sim.robot.control import RobotControl
from openral_sim.robot.joints import PREFIX, RobotNames
from openral_sim.robot.meshes import RobotAssetsMissing
from openral_sim.robot.sim_robot import SimRobot, load_sim_robot

__all__ = [
    "DEFAULT_ROBOT",
    "PREFIX",
    "RobotAssetsMissing",
    "RobotControl",
    "RobotNames",
    "SimRobot",
    "load_sim_robot",
]
