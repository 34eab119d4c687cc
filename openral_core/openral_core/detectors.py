"""Detector descriptions and results of locate requests."""

from dataclasses import dataclass
from enum import IntEnum, StrEnum

from openral_core.detections import Detection
from openral_core.names import Name


class Mode(StrEnum):
    """Trigger of a detector: every frame, or a request."""

    CONTINUOUS = "continuous"
    ON_DEMAND = "on_demand"


class Vocabulary(StrEnum):
    """Labels that a detector can report: a fixed list, or any text."""

    CLOSED = "closed"
    OPEN = "open"


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
    """Health of an active detector; ``GIVEN_UP`` means that it detects nothing for minutes."""

    OK = 0
    RESTARTING = 1
    GIVEN_UP = 2


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
        return self.state is LifecycleState.ACTIVE and self.health is Health.GIVEN_UP


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
