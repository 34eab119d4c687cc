"""ROS parameters of the skill server."""

from collections.abc import Container
from pathlib import Path

from pydantic import Field

from openral_core.robot import load_robot
from openral_core.rskills import Registry
from openral_ros.consent import SkillServerOptions
from openral_ros.rskill_folders import rskill_folders


class SkillServerParameters(SkillServerOptions):
    """Parameters of the skill server of a real robot."""

    robot: str = Field(description="path of robot.yaml")
    rskill_folders: tuple[str, ...] = Field(
        default=(), description="folders of the skills' manifests; empty = the installed ones"
    )

    def check_existence(self, changed: Container[str]) -> None:
        """Check robot.yaml and the rSkills, as configuring does."""
        if "robot" in changed:
            load_robot(Path(self.robot))
        if "rskill_folders" in changed:
            Registry.load(rskill_folders(self.rskill_folders))

    record: str = Field(default="", description="folder for recorded trace spans; '' = no recording")
