"""The skill server: ExecuteRskill goals to the robot, and what became of them."""

from openral_sim.ros.skill_serving.server import SkillServer

__all__ = ["SkillServer"]
