"""Options of a deployment: one model behind the command line and the launch arguments; invalid ones."""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum
from functools import partial
from pathlib import Path
from typing import Self

from pydantic import Field
from pydantic.fields import FieldInfo

from openral_bringup.graph.problems import Flag, InvalidOption, Problem, Problems
from openral_core.discovery import Discovery
from openral_core.documents import Document
from openral_reasoner_ros.brains import Brain, PromptForm

DEFAULT = ("head", "wrist")
STREAMS = ("image_raw", "depth", "camera_info", "depth/camera_info", "semantic", "labels")
_ID = re.compile(r"[a-zA-Z][a-zA-Z0-9_]*")
_BASE = re.compile(r"/[a-zA-Z0-9_/]*[a-zA-Z0-9_]")


class InvalidCameraChoice(InvalidOption):
    """Text that does not describe a camera."""

    def __init__(self, word: str) -> None:
        example = f"head=/front/camera for /front/camera/{STREAMS[0]}"
        super().__init__(Flag("camera", word), f": expected an id, or id=/topics as in {example}")


@dataclass(frozen=True, slots=True)
class CameraChoice:
    """Camera by id; ``base`` is the absolute name that its topics begin with."""

    id: str
    base: str

    @classmethod
    def parse(cls, word: str, namespace: str) -> Self:
        """Parse ``id``, with topics below ``<namespace>/id``, or ``id=/topics``.

        Raises:
            InvalidCameraChoice: If the word matches neither form.
        """
        camera, equals, base = word.partition("=")
        base = base.removesuffix(f"/{STREAMS[0]}")
        if not _ID.fullmatch(camera) or (equals and not _BASE.fullmatch(base)):
            raise InvalidCameraChoice(word)
        return cls(camera, base or f"{namespace}/{camera}")

    @property
    def parameter(self) -> str:
        """Entry of a detector's parameter `cameras`."""
        return f"{self.id}:={self.base}"


def merged(cameras: Iterable[str]) -> tuple[str, ...]:
    """Return the default cameras with these on top: a known id gets other topics, a new one is added."""
    changes = {camera.partition("=")[0]: camera for camera in cameras}
    return tuple(({camera: camera for camera in DEFAULT} | changes).values())


def remaps_of(cameras: Iterable[CameraChoice], namespace: str) -> dict[str, str]:
    """Return the remaps of a node that subscribes to ``<id>/<stream>``, for cameras with other topics."""
    return {
        f"{namespace}/{camera.id}/{stream}": f"{camera.base}/{stream}"
        for camera in cameras
        if camera.base != f"{namespace}/{camera.id}"
        for stream in STREAMS
    }


class DetectorSet(StrEnum):
    """Named sets of detectors.

    ``embedded`` are small, shipped and know renders only; ``real`` are small, fetched at the first start and
    know photographs; ``groundtruth`` has the simulator's labels; ``default`` are large ones for a GPU.
    """

    EMBEDDED = "embedded"
    REAL = "real"
    GROUNDTRUTH = "groundtruth"
    DEFAULT = "default"


CONTINUOUS = {
    DetectorSet.EMBEDDED: ("home-tiny",),
    DetectorSet.REAL: ("coco-nano",),
    DetectorSet.GROUNDTRUTH: ("sim-groundtruth",),
    DetectorSet.DEFAULT: ("omdet-turbo-indoor",),
}
ON_DEMAND = {
    DetectorSet.EMBEDDED: ("home-tiny-locator",),
    DetectorSet.REAL: ("coco-nano-locator",),
    DetectorSet.GROUNDTRUTH: ("sim-groundtruth-locator",),
    DetectorSet.DEFAULT: ("omdet-turbo-locator",),
}


class Sensors(StrEnum):
    """Errors of the simulated cameras: none, those of a good camera, those of a RealSense D400."""

    OFF = "off"
    MILD = "mild"
    REALSENSE = "realsense"


class Drift(StrEnum):
    """Errors of the simulated odometry: none, or those of good wheels without a gyroscope."""

    OFF = "off"
    MILD = "mild"


class Floor(StrEnum):
    """Floor on which the simulated base plans: that of the simulator's model, or of the topic map."""

    MODEL = "model"
    PERCEIVED = "perceived"


_NAMESPACE = re.compile(r"(/[a-zA-Z_][a-zA-Z0-9_]*)*")
LOCATE_ANYTHING = "locateanything-3b-nf4"
DEFAULT_SCENE = "home"
"""Name of a shipped scene."""
OF_SIMULATION = (
    "scene",
    "sim_robot",
    "cameras",
    "namespace",
    "seed",
    "real_time_factor",
    "sensors",
    "floor",
    "drift",
)
"""Options of a simulated robot; robot.yaml names the cameras and the namespace of a real one."""
OF_ROBOT = ("robot",)
"""Options of a real robot."""
RENAMED = {"accept_licence": "accepted_licences"}
"""Flags and launch arguments whose option has another name."""
RENAMED_IN_SIMULATION = {**RENAMED, "robot": "sim_robot"}
"""The same of a simulated robot."""
CAMERA_FLAG = {"camera": "cameras"}
"""Flag whose option and launch argument have another name."""
DEFAULT_SIM_ROBOT = "franka"
"""Name of the simulation's default robot."""


SHIPPED, NO_MAP = "shipped", "none"
"""Maps that are no file: that of the scene or robot, and none."""


class LogLevel(StrEnum):
    """Lowest severity that is logged."""

    DEBUG = "debug"
    INFO = "info"
    WARN = "warn"
    ERROR = "error"


class DeploymentOptions(Document):
    """Options of one deployment, from which `deploy_sim.py` and the launch file derive flags and arguments.

    Detectors may be given by id, alias or slug; ``overrides`` maps a node to parameters and their values.
    """

    robot: Path = Field(default=Path(), description="robot.yaml, or name of a shipped one")
    sim_robot: str = Field(
        default=DEFAULT_SIM_ROBOT,
        description="simulated robot: franka, fetch (non-commercial licence), or the file of its description",
    )
    scene: Path = Field(description="scene file, name of a shipped scene, or generated:SEED[:ROOMS]")
    detectors: DetectorSet = Field(default=DetectorSet.EMBEDDED, description="set of detectors")
    continuous: tuple[str, ...] = Field(default=(), description="continuous detector, instead of the set's")
    on_demand: tuple[str, ...] = Field(
        default=(), description="on-demand locator, instead of the set's; the first is the default one"
    )
    accepted_licences: tuple[str, ...] = Field(default=(), description="licence to accept")
    weights_dir: str = Field(default="", description="folder of the detectors' weights; empty = user's cache")
    device: str = Field(default="cpu", description="device of the detectors: cpu, cuda, cuda:1, tensorrt")
    cameras: tuple[str, ...] = Field(default=DEFAULT, description="camera as ID or ID=/TOPICS, primary first")
    brain: Brain = Field(default=Brain.SCRIPTED, description="decision model")
    model: str = Field(default="", description="model name of the anthropic or openai brain, or a local file")
    base_url: str = Field(default="", description="API endpoint of the brain; empty = the vendor's own")
    prompt: PromptForm = Field(
        default=PromptForm.AUTO,
        description="prompt of the brain: tools, or the legal next calls to pick from",
    )
    tools: tuple[str, ...] = Field(default=(), description="tool of another package to offer to the brain")
    locate_anything: bool = Field(
        default=False, description="add the locator for complex queries (non-commercial licence)"
    )
    mapper: bool = Field(
        default=False, description="build the topic map, occupancy of the floor, from depth images"
    )
    map: str = Field(
        default=SHIPPED,
        description="map of the home: shipped with the scene or robot, none to find it, or a file",
    )
    gpu_budget_mb: float = Field(
        default=0.0, ge=0.0, description="memory budget of detectors and skills [MB]; 0 = the GPU's"
    )
    max_restarts: int = Field(default=5, ge=0, description="restarts in a row before a node is left down")
    run: tuple[str, ...] = Field(default=(), description="start only this node on this host")
    composed: bool = Field(
        default=False, description="run detectors, memory, mapper, reasoner and bring-up in one process"
    )
    log_level: LogLevel = Field(default=LogLevel.INFO, description="lowest severity that nodes log")
    check_fields: bool = Field(
        default=False, description="check the type of every message field (for development)"
    )
    spatial_memory_path: str = Field(
        default="", description="file to load the spatial memory from and save it to"
    )
    seed: int = Field(default=0, ge=0, description="seed of object poses and detector noise")
    real_time_factor: float = Field(
        default=1.0, ge=0.0, description="speed limit of the simulation; 0 = unlimited"
    )
    sensors: Sensors = Field(default=Sensors.OFF, description="errors of the simulated cameras")
    floor: Floor = Field(
        default=Floor.MODEL,
        description="floor on which the simulated base plans: model, or perceived, which needs the mapper",
    )
    drift: Drift = Field(
        default=Drift.OFF,
        description="errors of the simulated odometry: off, or mild, which the mapper corrects",
    )
    handoff_timeout: float = Field(
        default=0.0, ge=0.0, description="longest wait for a human's answer [s]; 0 ends the mission at once"
    )
    record: str = Field(default="", description="folder of the recording: spans and events")
    policy: str = Field(default="", description="consent policy, a YAML file; empty = robot.yaml's, or none")
    namespace: str = Field(default="", description="namespace of the whole graph, as in /robot1")
    discovery: Discovery = Field(
        default=Discovery.LOCAL,
        description="machines whose nodes can see and command the graph: local, this one, or subnet",
    )
    overrides: dict[str, dict[str, object]] = Field(
        default_factory=dict, description="node -> parameter -> value"
    )

    @property
    def simulated(self) -> bool:
        """True if the robot is a simulated one."""
        return self.robot == Path()

    @property
    def finds_home(self) -> bool:
        """True if the robot finds rooms and furniture by itself; it then builds the floor too."""
        return self.map == NO_MAP

    @property
    def chosen_map(self) -> str:
        """File of the map that was given, "" for none or that of the scene or robot."""
        return "" if self.map in (SHIPPED, NO_MAP) else str(Path(self.map).resolve())

    @property
    def name_problems(self) -> tuple[Problem, ...]:
        """Problems with the names of cameras and namespace, which every node description needs."""
        problems = Problems()
        if not _NAMESPACE.fullmatch(self.namespace):
            expected = ": expected names that each begin with a slash, as in /robot1"
            problems.collected.append(Problem(Flag("namespace", self.namespace), expected))
        for word in self.cameras or ("",):
            problems.attempt(partial(CameraChoice.parse, word, self.namespace), None)
        return tuple(problems.collected)

    @property
    def with_valid_names(self) -> "DeploymentOptions":
        """The options with invalid names replaced by defaults, so that everything else can be checked too."""
        if not self.name_problems:
            return self
        namespace = self.namespace if _NAMESPACE.fullmatch(self.namespace) else ""
        return self.model_copy(update={"namespace": namespace, "cameras": DEFAULT})

    @property
    def fetches(self) -> bool:
        """True if missing weights are fetched unasked: those of the set ``real`` are small and pinned."""
        return self.detectors is DetectorSet.REAL and not (self.continuous or self.on_demand)

    @property
    def chosen_continuous(self) -> tuple[str, ...]:
        """Continuous detectors given by name, else those of the set."""
        return self.continuous or (() if self.on_demand else CONTINUOUS[self.detectors])

    @property
    def chosen_on_demand(self) -> tuple[str, ...]:
        """On-demand detectors given by name, else those of the set; the first is the default one."""
        chosen = self.on_demand or (() if self.continuous else ON_DEMAND[self.detectors])
        extra = (LOCATE_ANYTHING,) if self.locate_anything and LOCATE_ANYTHING not in chosen else ()
        return (*chosen, *extra)

    @property
    def chosen_cameras(self) -> tuple[CameraChoice, ...]:
        """Cameras, the primary first, one per id."""
        chosen = (CameraChoice.parse(word, self.namespace) for word in self.cameras)
        return tuple({camera.id: camera for camera in chosen}.values())


def with_default(option: str, field: FieldInfo, *, simulated: bool) -> FieldInfo:
    """Return the field of an option with the default of its robot: real images need real detectors."""
    if option != "detectors" or simulated:
        return field
    return FieldInfo.merge_field_infos(field, default=DetectorSet.DEFAULT)
