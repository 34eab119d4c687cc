"""What a user can choose; one model behind the command line and the launch arguments."""
# MERGED Cameras as chosen: an id, or an id with the topics its images come below.

import re
from collections.abc import Iterable, Mapping
from enum import StrEnum
from pathlib import Path

from pydantic import Field

from openral_bringup.graph.node_spec import NodeSpec
from openral_core.documents import Document
from openral_core.errors import OpenRALError

DEFAULT = ("head", "wrist")
STREAMS = ("image_raw", "depth", "camera_info", "semantic", "labels")
_ID = re.compile(r"[a-zA-Z][a-zA-Z0-9_]*")
_BASE = re.compile(r"/[a-zA-Z0-9_/]*[a-zA-Z0-9_]")


class InvalidCameraChoice(OpenRALError):
    """Words that are no camera."""

    def __init__(self, word: str) -> None:
        super().__init__(
            f"--camera {word}: expected an id, or id=/topics as in head=/front/camera "
            f"for /front/camera/{STREAMS[0]}"
        )


def camera_bases(words: Iterable[str], namespace: str) -> dict[str, str]:
    """Camera ids, the primary first, with the absolute name that their topics lie below.

    Raises:
        InvalidCameraChoice: If a word is not ``id`` or ``id=/topics``.
    """
    return {each: base or f"{namespace}/{each}" for each, base in map(_split, words)}


def check_compressed(nodes: Iterable[NodeSpec], namespace: str, problems: list[str]) -> None:
    """Add to ``problems`` each detector that asks the simulation for compressed images: it has raw ones."""
    for node in nodes:
        given = node.parameters.get("cameras")
        cameras = [word.partition(":=")[::2] for word in given] if isinstance(given, list) else []
        simulated = [name for name, base in cameras if name in DEFAULT and base == f"{namespace}/{name}"]
        if node.parameters.get("compressed") and simulated:
            problems.append(
                f"--set {node.key}.compressed=true: the simulation publishes no "
                f"{simulated[0]}/{STREAMS[0]}/compressed; leave it out, or name a camera that does, "
                f"as in --camera {simulated[0]}=/front/camera"
            )


def merged(words: Iterable[str]) -> tuple[str, ...]:
    """The default cameras with these on top: a known id gets another topic, a new one is added."""
    given = {word.partition("=")[0]: word for word in words}
    return tuple(({each: each for each in DEFAULT} | given).values())


def remaps_of(bases: Mapping[str, str], namespace: str) -> dict[str, str]:
    """What a node that listens to ``<id>/<stream>`` has to be told, for cameras that are elsewhere."""
    return {
        f"{namespace}/{camera}/{stream}": f"{base}/{stream}"
        for camera, base in bases.items()
        if base != f"{namespace}/{camera}"
        for stream in STREAMS
    }


def _split(word: str) -> tuple[str, str]:
    camera, equals, base = word.partition("=")
    base = base.removesuffix(f"/{STREAMS[0]}")
    if not _ID.fullmatch(camera) or (equals and not _BASE.fullmatch(base)):
        raise InvalidCameraChoice(word)
    return camera, base


class DetectorSet(StrEnum):
    """Named choices of detectors."""

    EMBEDDED = "embedded"
    DEFAULT = "default"


CONTINUOUS = {DetectorSet.EMBEDDED: ("sim-groundtruth",), DetectorSet.DEFAULT: ("omdet-turbo-indoor",)}
ON_DEMAND = {
    DetectorSet.EMBEDDED: ("sim-groundtruth-locator",),
    DetectorSet.DEFAULT: ("omdet-turbo-locator",),
}


class Brain(StrEnum):
    """What decides the next tool call."""

    SCRIPTED = "scripted"
    ANTHROPIC = "anthropic"
    OPENAI = "openai"


_NAMESPACE = re.compile(r"(/[a-zA-Z_][a-zA-Z0-9_]*)*")
_NOT_A_NAMESPACE = "--namespace {}: expected names that each begin with a slash, as in /robot1"
LOCATE_ANYTHING = "locateanything-3b-nf4"


class LogLevel(StrEnum):
    """From which severity on nodes speak."""

    DEBUG = "debug"
    INFO = "info"
    WARN = "warn"
    ERROR = "error"


class DeploymentOptions(Document):
    """One deployment, as chosen.

    Detector ids may be aliases or slugs; ``overrides`` maps a node to parameters and their values.
    """

    scene: Path
    detectors: DetectorSet = DetectorSet.EMBEDDED
    continuous: tuple[str, ...] = ()
    on_demand: tuple[str, ...] = ()
    accepted_licences: tuple[str, ...] = ()
    weights_dir: str = Field(default="", description="where weights lie; '' = the user's cache")
    device: str = Field(default="cpu", description="where models run: cpu, cuda, cuda:1, tensorrt")
    cameras: tuple[str, ...] = DEFAULT
    brain: Brain = Brain.SCRIPTED
    model: str = ""
    base_url: str = ""
    locate_anything: bool = Field(default=False, description="a locator for complex words, non-commercial")
    gpu_budget_mb: float = Field(default=0.0, ge=0.0, description="memory of all detectors and skills [MB]")
    max_restarts: int = Field(default=5, ge=0, description="of a node that dies again and again")
    run: tuple[str, ...] = Field(default=(), description="nodes to start here; () = all, none elsewhere")
    log_level: LogLevel = LogLevel.INFO
    check_fields: bool = Field(default=False, description="check every field's type, for development")
    spatial_memory_path: str = ""
    seed: int = Field(default=0, ge=0)
    real_time_factor: float = Field(default=1.0, ge=0.0, description="0 = as fast as it can")
    handoff_timeout: float = Field(default=0.0, ge=0.0, description="wait for a human [s]; 0 = end at once")
    record: str = ""
    namespace: str = ""
    overrides: dict[str, dict[str, object]] = Field(
        default_factory=dict, description="node -> parameter -> value"
    )

    @property
    def misnamed(self) -> tuple[str, ...]:
        """What is wrong with the names of cameras and namespace, without which no node can be described."""
        found = [] if _NAMESPACE.fullmatch(self.namespace) else [_NOT_A_NAMESPACE.format(self.namespace)]
        for word in self.cameras:
            try:
                camera_bases((word,), self.namespace)
            except InvalidCameraChoice as error:
                found.append(str(error))
        return tuple(found)

    @property
    def well_named(self) -> "DeploymentOptions":
        """The same without what is misnamed, so that everything else can be checked too."""
        if not self.misnamed:
            return self
        namespace = self.namespace if _NAMESPACE.fullmatch(self.namespace) else ""
        return self.model_copy(update={"namespace": namespace, "cameras": DEFAULT})

    @property
    def chosen_continuous(self) -> tuple[str, ...]:
        """Continuous detectors named by hand, else those of the set."""
        return self.continuous or (() if self.on_demand else CONTINUOUS[self.detectors])

    @property
    def chosen_on_demand(self) -> tuple[str, ...]:
        """On-demand locators named by hand, else those of the set; the first is the default one."""
        chosen = self.on_demand or (() if self.continuous else ON_DEMAND[self.detectors])
        wanted = self.locate_anything and LOCATE_ANYTHING not in chosen
        return (*chosen, LOCATE_ANYTHING) if wanted else chosen

    @property
    def camera_bases(self) -> dict[str, str]:
        """Camera ids, the primary first, with the absolute name that their topics lie below."""
        return camera_bases(self.cameras, self.namespace)
