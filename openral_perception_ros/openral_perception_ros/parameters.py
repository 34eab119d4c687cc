"""Parameters of a detector node."""

from collections.abc import Container, Iterable, Sequence

from pydantic import Field

from openral_core.backoff import CircuitBreaker
from openral_perception_ros.camera_schedule import CameraLimit
from openral_perception_ros.detector import InvalidCamera, check_device, find_detector, parse_cameras
from openral_perception_ros.engines import LoadOptions
from openral_perception_ros.inference.worker_supervisor import WorkerLimits
from openral_ros.parameters import Parameters
from openral_ros.rskill_folders import rskill_folders

MOST = 1000.0
"""Largest rate of a camera [Hz], and largest share [1]; the least is the inverse."""


def camera_numbers(texts: Iterable[str], ids: Sequence[str]) -> dict[str, float]:
    """Parse entries such as ``head:=2.5``.

    Raises:
        InvalidCamera: If an entry names none of the cameras ``ids``, or has no positive number.
    """
    numbers = dict[str, float]()
    for text in texts:
        camera, _, number = text.partition(":=")
        if camera not in ids:
            raise InvalidCamera(text, f"not one of the cameras {', '.join(ids)}")
        try:
            numbers[camera] = float(number)
        except ValueError:
            numbers[camera] = 0.0
        if not 1.0 / MOST <= numbers[camera] <= MOST:
            raise InvalidCamera(text, f"a number from {1.0 / MOST:g} to {MOST:g} must follow ':='")
    return numbers


class DetectorParameters(Parameters):
    """Parameters of a detector node; times in [s]."""

    rskill: str = Field(
        description="detector to run: id, alias or slug of an rSkill, or the path of its folder"
    )
    rskill_folders: tuple[str, ...] = Field(
        default=(), description="folders searched for rSkills by name; [] = the installed ones"
    )
    cameras: tuple[str, ...] = Field(
        default=("head",),
        min_length=1,
        description="'id' (topics below the robot's namespace) or 'id:=topic base'; primary camera first",
    )
    primary_camera: str = Field(default="", description="camera to look through first; '' = the first one")
    image_topic: str = Field(default="", description="image topic of the only camera, instead of `cameras`")
    compressed: bool = Field(default=False, description="subscribe to image_raw/compressed for colour images")
    default: bool = Field(default=False, description="also serve ../locate_in_view")
    rate: float = Field(
        default=10.0,
        gt=0.0,
        le=1000.0,
        description="maximum rate at which a continuous detector looks at one camera [Hz]",
    )
    camera_rates: tuple[str, ...] = Field(
        default=(), description="'id:=rate' of the cameras whose maximum is another one [Hz]"
    )
    camera_shares: tuple[str, ...] = Field(
        default=(),
        description="'id:=share' of the cameras that get more or less than 1 share of a continuous detector, "
        "which counts while it is too slow for all",
    )
    max_frame_age: float = Field(
        default=2.0, gt=0.0, description="requests on older frames are answered STALE_FRAME"
    )
    deadline: float = Field(default=5.0, gt=0.0, description="deadline of requests that set none")
    load_deadline: float = Field(
        default=120.0, gt=0.0, description="time limit for loading the model on activation"
    )
    inference_deadline: float = Field(
        default=30.0, gt=0.0, description="a worker that takes longer for one inference is killed"
    )
    queue: int = Field(
        default=8, ge=1, le=1000, description="maximum queued requests; further ones are answered BUSY"
    )
    restarts: int = Field(
        default=3, ge=0, le=100, description="quick restarts of a lost worker within ten minutes"
    )
    cool_down: float = Field(
        default=60.0,
        gt=0.0,
        le=3600.0,
        description="pause before the next restart once these are used up",
    )
    longest_cool_down: float = Field(
        default=900.0,
        gt=0.0,
        le=86400.0,
        description="upper bound of that pause, which doubles with every failed restart",
    )
    record: str = Field(default="", description="folder for recorded trace spans; '' = do not record")
    seed: int = Field(default=0, ge=0, description="seed of simulated noise")
    device: str = Field(default="cpu", description="device of the model: cpu, cuda, cuda:1, tensorrt")
    weights_folder: str = Field(default="", description="folder of weights; '' = the standard hub cache")
    remote_code: bool = Field(
        default=False, description="allow a checkpoint of a pinned revision to run its own code"
    )
    environments: str = Field(
        default=".environments", description="folder of Python environments made by `openral weights prepare`"
    )

    def check_existence(self, changed: Container[str]) -> None:
        """Check the rSkill, the cameras and the device, as configuring does."""
        if "rskill" in changed or "rskill_folders" in changed:
            find_detector(self.rskill, rskill_folders(self.rskill_folders))
        if any(name in changed for name in ("cameras", "primary_camera", "image_topic")):
            parse_cameras(self.ordered_cameras)
        if any(name in changed for name in ("camera_rates", "camera_shares")):
            self.camera_limits  # noqa: B018
        if "device" in changed:
            check_device(self.device)

    @property
    def ordered_cameras(self) -> tuple[str, ...]:
        """The cameras, the primary one first.

        Raises:
            InvalidCamera: If the primary camera is none of them.
        """
        if self.image_topic:
            return (f"{self.primary_camera or 'head'}:={self.image_topic.removesuffix('/image_raw')}",)
        ids = [each.partition(":=")[0] for each in self.cameras]
        if self.primary_camera and self.primary_camera not in ids:
            raise InvalidCamera(self.primary_camera, f"primary_camera is none of {', '.join(ids)}")
        return tuple(sorted(self.cameras, key=lambda each: each.partition(":=")[0] != self.primary_camera))

    @property
    def camera_limits(self) -> dict[str, CameraLimit]:
        """Rate and share of each camera.

        Raises:
            InvalidCamera: If an entry names none of them, or has no positive number.
        """
        ids = [camera.id for camera in parse_cameras(self.ordered_cameras)]
        rates, shares = (camera_numbers(texts, ids) for texts in (self.camera_rates, self.camera_shares))
        return {id_: CameraLimit(rates.get(id_, self.rate), shares.get(id_, 1.0)) for id_ in ids}

    @property
    def limits(self) -> WorkerLimits:
        """Limits of the worker."""
        policy = CircuitBreaker(
            limit=self.restarts, cool_down=self.cool_down, max_cooldown=self.longest_cool_down
        )
        return WorkerLimits(self.load_deadline, self.inference_deadline, self.queue, policy)

    @property
    def load_options(self) -> LoadOptions:
        """Load options the worker gets in addition to the manifest."""
        return LoadOptions(self.seed, self.device, self.weights_folder, self.remote_code)
