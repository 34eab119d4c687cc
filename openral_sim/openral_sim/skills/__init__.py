"""What the robot can do, one file per verb, each a generator stepped once per control period."""

from openral_sim.skills.context import CONTROL_PERIOD, Person, SimWorld, SkillContext
from openral_sim.skills.feedback import Feedback, Running
from openral_sim.skills.running import run
from openral_sim.skills.verbs import SERVED

__all__ = ["CONTROL_PERIOD", "SERVED", "Feedback", "Person", "Running", "SimWorld", "SkillContext", "run"]
