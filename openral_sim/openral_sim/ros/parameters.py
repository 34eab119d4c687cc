"""ROS parameters of the simulation node."""

from pydantic import Field

from openral_ros.consent import SkillServerOptions
from openral_sim.rendering.sensor import SensorName


class SimParameters(SkillServerOptions):
    """Parameters of the simulation node; rates are in [Hz] of simulated time."""

    scene: str = Field(description="path of the scene's YAML file")
    seed: int = Field(default=0, ge=0, description="seed of the objects' placements")
    real_time_factor: float = Field(
        default=1.0,
        ge=0.0,
        le=100.0,
        description="maximum simulated seconds per wall-clock second; 0 = unlimited",
    )
    camera_rate: float = Field(
        default=0.0, ge=0.0, le=50.0, description="images per second; 0 = the rate in the scene"
    )
    shadows: bool = Field(
        default=False, description="render shadows, which take three quarters of the rendering time"
    )
    sensors: SensorName = Field(
        default=SensorName.OFF, description="errors of the cameras: off, mild or realsense"
    )
    publish_semantic: bool = Field(
        default=True, description="publish semantic instance images and their labels"
    )
    reliable_images: bool = Field(
        default=False,
        description="publish images reliably, as RViz expects by default; one hung subscriber delays all",
    )
    rskill_folders: tuple[str, ...] = Field(
        default=("rskills",), description="folders of the skills' manifests"
    )
    record: str = Field(default="", description="folder for recorded trace spans; '' = no recording")
