"""Parameters of the simulation node."""

from pydantic import Field

from openral_ros.parameters import Parameters


class SimParameters(Parameters):
    """Rates in [Hz] of simulated time."""

    scene: str = Field(description="path of the scene's YAML file")
    seed: int = Field(default=0, ge=0, description="draws the objects' placements")
    real_time_factor: float = Field(
        default=1.0,
        ge=0.0,
        le=100.0,
        description="simulated seconds per second at most; 0 = as fast as it can",
    )
    camera_rate: float = Field(
        default=0.0, ge=0.0, le=50.0, description="images a second; 0 = what the scene says"
    )
    shadows: bool = Field(default=False, description="draw shadows, three quarters of a picture's cost")
    publish_semantic: bool = Field(default=True, description="publish instance images and their labels")
    reliable_images: bool = Field(
        default=False,
        description="images also for reliable subscribers, as RViz's default; a hung one delays all",
    )
    rskill_folders: tuple[str, ...] = Field(
        default=("rskills",), description="where the skills' manifests lie"
    )
    record: str = Field(default="", description="folder for recorded spans; '' = none")
