"""Skill goals: what is admitted to the robot."""

from openral_sim.goals.admission import AdmittedGoal, admit

__all__ = ["AdmittedGoal", "admit"]
