"""Detections, detector descriptions and results of locate requests; boxes in [px] of the source image."""

import math
from dataclasses import dataclass
from enum import IntEnum

from openral_core.errors import OpenRALError
from openral_core.rskills import Mode, Name, Vocabulary


class InvalidDetection(OpenRALError):
    """A detection with an impossible box, label or score."""

    def __init__(self, what: str, value: object, expected: str) -> None:
        super().__init__(f"{what} {value!r} is not valid: expected {expected}")


@dataclass(frozen=True, slots=True)
class Box:
    """Axis-aligned rectangle [px] in the source image; x right, y down."""

    x_min: float
    y_min: float
    x_max: float
    y_max: float

    def __post_init__(self) -> None:
        edges = (self.x_min, self.y_min, self.x_max, self.y_max)
        if not all(map(math.isfinite, edges)) or self.x_max <= self.x_min or self.y_max <= self.y_min:
            raise InvalidDetection("box", edges, "finite x_min < x_max and y_min < y_max [px]")

    @property
    def width(self) -> float:
        """[px]."""
        return self.x_max - self.x_min

    @property
    def height(self) -> float:
        """[px]."""
        return self.y_max - self.y_min

    @property
    def center(self) -> tuple[float, float]:
        """(x, y) [px]."""
        return (self.x_min + self.x_max) / 2.0, (self.y_min + self.y_max) / 2.0

    def clipped(self, width: int, height: int) -> "Box | None":
        """Return the part of the box inside an image of this size, or None if it lies outside."""
        x_min, x_max = max(0.0, self.x_min), min(float(width), self.x_max)
        y_min, y_max = max(0.0, self.y_min), min(float(height), self.y_max)
        return Box(x_min, y_min, x_max, y_max) if x_max > x_min and y_max > y_min else None

    @property
    def area(self) -> float:
        """[px^2]."""
        return self.width * self.height

    def intersection(self, other: "Box") -> float:
        """Area that both boxes cover [px^2]."""
        width = min(self.x_max, other.x_max) - max(self.x_min, other.x_min)
        height = min(self.y_max, other.y_max) - max(self.y_min, other.y_min)
        return max(0.0, width) * max(0.0, height)

    def iou(self, other: "Box") -> float:
        """Intersection over union in [0, 1]."""
        shared = self.intersection(other)
        return shared / (self.area + other.area - shared)


@dataclass(frozen=True, slots=True)
class Detection:
    """One object in one image.

    ``score`` is in [0, 1]; ``label`` is a label of the vocabulary or the queried phrase;
    ``track`` is the detector's hint and never an identity.
    """

    box: Box
    label: str
    score: float
    track: str = ""

    def __post_init__(self) -> None:
        if not self.label.strip():
            raise InvalidDetection("label", self.label, "at least one printable character")
        if not 0.0 <= self.score <= 1.0:
            raise InvalidDetection("score", self.score, "a number in [0, 1]")


@dataclass(frozen=True, slots=True)
class UnplacedDetection:
    """Object in a current image that memory cannot place in the map, for lack of depth or of a transform.

    ``where`` is its part of the image in words, "" if that is not known; ``age`` is that of the image [s].
    ``centre`` is that of its box, relative to the size of the image and measured from its upper left [1].
    """

    camera: str
    label: str
    score: float
    where: str = ""
    age: float = 0.0
    centre: tuple[float, float] | None = None

    def __str__(self) -> str:
        where = f", {self.where}" if self.where else ""
        return f"{self.label} ({self.camera}{where}; score {self.score:.2f}, {self.age:.1f} s ago)"


def part_of_image(x: float, y: float) -> str:
    """Describe a point, relative to the size of the image in [0, 1] and measured from its upper left."""
    row = ("upper", "", "lower")[min(max(int(y * 3.0), 0), 2)]
    column = ("left", "", "right")[min(max(int(x * 3.0), 0), 2)]
    return " ".join(filter(None, (row, column))) or "middle"


class LocateStatus(IntEnum):
    """Outcome of one `locate_in_view` request; only NOT_IN_VIEW is evidence of absence."""

    FOUND = 0
    NOT_IN_VIEW = 1
    NOT_IN_VOCABULARY = 2
    NO_FRAME = 3
    STALE_FRAME = 4
    UNKNOWN_CAMERA = 5
    WRONG_DETECTOR = 6
    BAD_QUERY = 7
    INACTIVE = 8
    LOADING = 9
    BUSY = 10
    TIMEOUT = 11
    OUT_OF_MEMORY = 12
    DETECTOR_ERROR = 13


class LifecycleState(IntEnum):
    """Primary states of lifecycle_msgs/State."""

    UNKNOWN = 0
    UNCONFIGURED = 1
    INACTIVE = 2
    ACTIVE = 3
    FINALIZED = 4


class Health(IntEnum):
    """Health of an active detector; ``DEGRADED`` means that it detects nothing for minutes."""

    OK = 0
    RESTARTING = 1
    DEGRADED = 2


@dataclass(frozen=True, slots=True)
class DetectorInfo:
    """One detector of the running graph. Memory in [MB], latency in [s].

    ``memory_measured`` is its memory while active, ``memory_resident`` its memory now.
    ``health_message`` is the reason why ``health`` is not OK.
    """

    name: Name
    mode: Mode
    engine: str
    vocabulary: Vocabulary
    description: str
    labels: tuple[str, ...]
    cameras: tuple[str, ...]
    licence: str
    commercial_use: bool
    memory_declared: float
    latency: float
    memory_measured: float = 0.0
    memory_resident: float = 0.0
    scores_calibrated: bool = True
    is_default: bool = False
    state: LifecycleState = LifecycleState.UNKNOWN
    health: Health = Health.OK
    health_message: str = ""

    @property
    def degraded(self) -> bool:
        """True if the detector is active but cannot detect for a while."""
        return self.state is LifecycleState.ACTIVE and self.health is Health.DEGRADED


@dataclass(frozen=True, slots=True)
class LocateResult:
    """The result of one locate request; times in [s]."""

    status: LocateStatus
    message: str
    query: str
    camera: str
    detector: str
    detections: tuple[Detection, ...] = ()
    frame_age: float = 0.0
    queue_time: float = 0.0
    inference_time: float = 0.0
