"""What does memory know of this?"""

from dataclasses import dataclass
from enum import IntEnum

from openral_core.geometry import Pose
from openral_core.scene_graph import Presence


class RecallStatus(IntEnum):
    """How a recall ended."""

    FOUND = 0
    NOT_IN_MEMORY = 1
    ONLY_STALE = 2
    AMBIGUOUS = 3
    BAD_QUERY = 4
    INACTIVE = 5
    INTERNAL_ERROR = 6


@dataclass(frozen=True, slots=True)
class RecallQuery:
    """Words to look up; ``near`` in map [m] with ``radius`` [m]; ``max_age`` [s], 0 = any."""

    query: str
    limit: int = 5
    near: tuple[float, float, float] | None = None
    radius: float = 0.0
    max_age: float = 0.0
    room: str = ""


@dataclass(frozen=True, slots=True)
class RecallMatch:
    """One remembered object, poses in map; see RecallMatch.msg."""

    node_id: str
    label: str
    score: float
    pose: Pose
    size: tuple[float, float, float]
    why: str
    viewpoint: Pose | None = None
    room: str = ""
    place: str = ""
    containers: tuple[str, ...] = ()
    must_open: str = ""
    presence: Presence = Presence.PRESENT
    last_seen: float = 0.0
    observations: int = 0
    source: str = ""


@dataclass(frozen=True, slots=True)
class RecallResult:
    """Matches best first; ``near_misses`` say where to look and are never a pose to act on."""

    status: RecallStatus
    message: str
    matches: tuple[RecallMatch, ...] = ()
    near_misses: tuple[RecallMatch, ...] = ()
    nearest_names: tuple[str, ...] = ()
    revision: int = 0
