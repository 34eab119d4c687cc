"""Queries to spatial memory and their results: recall, resolve, observe and edit."""

from dataclasses import dataclass
from enum import IntEnum

from openral_core.geometry import Pose
from openral_core.scene_graph import Presence


class EditOperation(IntEnum):
    """Operations that an operator can apply to a remembered object."""

    RENAME = 0
    MOVE = 1
    FORGET = 2
    MERGE = 3


class EditStatus(IntEnum):
    """Outcome of an edit."""

    EDITED = 0
    UNKNOWN_OBJECT = 1
    BAD_LABEL = 2
    BAD_POSITION = 3
    SAME_OBJECT = 4
    BAD_OPERATION = 5
    INACTIVE = 6
    INTERNAL_ERROR = 7


@dataclass(frozen=True, slots=True)
class MemoryEdit:
    """An edit of one object; ``operation`` is a number of `EditOperation`, checked by the server.

    RENAME uses ``label``, MOVE ``position`` in map [m], MERGE ``other``, which is merged into ``node_id``.
    """

    operation: int
    node_id: str
    label: str = ""
    position: tuple[float, float, float] = (0.0, 0.0, 0.0)
    other: str = ""


@dataclass(frozen=True, slots=True)
class EditResult:
    """Result of an edit; ``known`` holds similar ids if the requested one does not exist."""

    status: EditStatus
    message: str
    known: tuple[str, ...] = ()
    revision: int = 0


class RecallStatus(IntEnum):
    """Outcome of a recall."""

    FOUND = 0
    NOT_IN_MEMORY = 1
    ONLY_STALE = 2
    AMBIGUOUS = 3
    BAD_QUERY = 4
    INACTIVE = 5
    INTERNAL_ERROR = 6


@dataclass(frozen=True, slots=True)
class RecallQuery:
    """Object to look up; ``near`` in map [m] with ``radius`` [m]; ``max_age`` [s], 0 = any."""

    query: str
    limit: int = 5
    near: tuple[float, float, float] | None = None
    radius: float = 0.0
    max_age: float = 0.0
    room: str = ""


@dataclass(frozen=True, slots=True)
class RecallMatch:
    """One remembered object, poses in map; the fields are those of RecallMatch.msg."""

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
    """Matches, best first; ``near_misses`` are hints for a search, never a pose to act on."""

    status: RecallStatus
    message: str
    matches: tuple[RecallMatch, ...] = ()
    near_misses: tuple[RecallMatch, ...] = ()
    nearest_names: tuple[str, ...] = ()
    revision: int = 0


class ObserveStatus(IntEnum):
    """Outcome of an observation."""

    REMEMBERED = 0
    NO_DEPTH = 1
    STALE_TRANSFORM = 2
    OUT_OF_RANGE = 3
    UNKNOWN_CAMERA = 4
    NO_FRAME = 5
    BAD_REQUEST = 6
    INACTIVE = 7
    INTERNAL_ERROR = 8


@dataclass(frozen=True, slots=True)
class ObserveResult:
    """``matches`` are the stored objects, best score first; ``refused`` gives a reason per rejected box."""

    status: ObserveStatus
    message: str
    matches: tuple[RecallMatch, ...] = ()
    refused: tuple[str, ...] = ()
    revision: int = 0


class ResolveStatus(IntEnum):
    """Outcome of a resolve."""

    FOUND = 0
    NOT_FOUND = 1
    AMBIGUOUS = 2
    BAD_QUERY = 3
    INACTIVE = 4
    UNREACHABLE = 5
    INTERNAL_ERROR = 6


@dataclass(frozen=True, slots=True)
class ResolveQuery:
    """``reference`` is text or a node id; ``requester`` is the agent meant by "me"; ``start`` in map [m]."""

    reference: str
    requester: str = ""
    start: tuple[float, float, float] | None = None


@dataclass(frozen=True, slots=True)
class ResolveResult:
    """Base pose and target pose in map; ``path`` of place ids, ``path_length`` [m]."""

    status: ResolveStatus
    message: str
    goal_pose: Pose | None = None
    target_pose: Pose | None = None
    kind: str = ""
    node_id: str = ""
    path: tuple[str, ...] = ()
    path_length: float = 0.0
    candidates: tuple[str, ...] = ()
