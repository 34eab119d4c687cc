"""ROS parameters of the simulation node."""

from enum import StrEnum

from pydantic import Field

from openral_ros.consent import SkillServerOptions
from openral_ros.parameters import Parameters
from openral_sim.odometry import DriftName
from openral_sim.rendering.sensor import SensorName
from openral_sim.robot.catalogue import DEFAULT_ROBOT


class WorldParameters(Parameters):
    """Parameters of a simulated world and its cameras."""

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


class WorldSource(StrEnum):
    """Source of what the planners know of the world."""

    MODEL = "model"
    PERCEIVED = "perceived"


class SimParameters(WorldParameters, SkillServerOptions):
    """Parameters of the simulation node; rates are in [Hz] of simulated time."""

    rskill_folders: tuple[str, ...] = Field(
        default=(), description="folders of the skills' manifests; empty = the installed ones"
    )
    floor: WorldSource = Field(
        default=WorldSource.MODEL,
        description="floor on which the base plans: the model's geometry, or perceived, the topic map",
    )
    robot: str = Field(
        default=DEFAULT_ROBOT,
        description="robot that is simulated: franka, fetch, or the file of its description",
    )
    arm_world: WorldSource = Field(
        default=WorldSource.MODEL,
        description="what the arm must not hit: the model's geometry, or perceived, what head and wrist see",
    )
    drift: DriftName = Field(
        default=DriftName.OFF,
        description="errors of the odometry, off or mild; map -> odom then has to come on tf",
    )
    record: str = Field(default="", description="folder for recorded trace spans; '' = no recording")
