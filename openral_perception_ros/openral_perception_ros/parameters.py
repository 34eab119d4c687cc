"""Parameters of a detector node."""

from pydantic import Field

from openral_perception_ros.engines import LoadOptions
from openral_perception_ros.inference.restart_policy import CircuitBreaker, WorkerLimits
from openral_ros.parameters import Parameters


class DetectorParameters(Parameters):
    """Times in [s]."""

    rskill: str = Field(description="the detector: id, alias or slug of an rSkill, or the path of its folder")
    rskill_folders: tuple[str, ...] = Field(
        default=(), description="where rSkills are looked up by name; [] = where they are installed"
    )
    cameras: tuple[str, ...] = Field(
        default=("head",),
        min_length=1,
        description="'id', below the robot's namespace, or 'id:=topic base'; the primary first",
    )
    compressed: bool = Field(default=False, description="receive colour images as image_raw/compressed")
    default: bool = Field(default=False, description="also answer ../locate_in_view")
    rate: float = Field(
        default=10.0, gt=0.0, le=1000.0, description="most looks of a continuous detector [Hz]"
    )
    max_frame_age: float = Field(default=2.0, gt=0.0, description="an older frame is STALE_FRAME")
    deadline: float = Field(default=5.0, gt=0.0, description="of a request that names none")
    load_deadline: float = Field(default=120.0, gt=0.0, description="to load the model when activated")
    inference_deadline: float = Field(
        default=30.0, gt=0.0, description="a worker silent for longer is killed"
    )
    queue: int = Field(default=8, ge=1, le=1000, description="requests that may wait; more are BUSY")
    restarts: int = Field(default=3, ge=0, le=100, description="of a lost worker within ten minutes")
    cool_down: float = Field(
        default=60.0,
        gt=0.0,
        le=3600.0,
        description="before a worker that was lost more often is tried",
    )
    longest_cool_down: float = Field(
        default=900.0, gt=0.0, le=86400.0, description="it doubles with each worker that is lost on trial"
    )
    record: str = Field(default="", description="folder for recorded spans; '' = none")
    seed: int = Field(default=0, ge=0, description="of simulated noise")
    device: str = Field(default="cpu", description="where the model runs: cpu, cuda, cuda:1, tensorrt")
    weights_folder: str = Field(default="", description="where weights lie; '' = the standard hub cache")
    remote_code: bool = Field(
        default=False, description="let a checkpoint of a pinned revision run its own code"
    )
    environments: str = Field(
        default=".environments", description="where `openral weights prepare` puts them"
    )

    @property
    def limits(self) -> WorkerLimits:
        """The bounds of the worker."""
        policy = CircuitBreaker(limit=self.restarts, cool_down=self.cool_down, longest=self.longest_cool_down)
        return WorkerLimits(self.load_deadline, self.inference_deadline, self.queue, policy)

    @property
    def load_options(self) -> LoadOptions:
        """What the worker is told besides the manifest."""
        return LoadOptions(self.seed, self.device, self.weights_folder, self.remote_code)
