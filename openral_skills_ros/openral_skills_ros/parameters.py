"""ROS parameters of the skill server."""

from pydantic import Field

from openral_ros.consent import SkillServerOptions


class SkillServerParameters(SkillServerOptions):
    """Parameters of the skill server of a real robot."""

    robot: str = Field(description="path of robot.yaml")
    rskill_folders: tuple[str, ...] = Field(
        default=("rskills",), description="folders of the skills' manifests"
    )
    record: str = Field(default="", description="folder for recorded trace spans; '' = no recording")
