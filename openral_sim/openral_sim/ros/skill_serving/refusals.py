"""Why a goal does not reach the robot."""

from openral_core.skills import SkillStatus, Verb
from openral_sim.skills.failures import SkillFailed


class SimulationInactive(SkillFailed):
    """Nothing moves while the node is inactive."""

    status = SkillStatus.INACTIVE

    def __init__(self) -> None:
        super().__init__("the simulation is not active; activate its node first")


class RobotBusy(SkillFailed):
    """One goal at a time."""

    status = SkillStatus.BUSY

    def __init__(self, verb: Verb) -> None:
        super().__init__(f"the robot is busy with {verb}; cancel that goal or wait for its end")
