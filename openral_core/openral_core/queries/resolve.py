"""Where is this, and how does one get there?"""

from dataclasses import dataclass
from enum import IntEnum

from openral_core.geometry import Pose


class ResolveStatus(IntEnum):
    """How a resolve ended."""

    FOUND = 0
    NOT_FOUND = 1
    AMBIGUOUS = 2
    BAD_QUERY = 3
    INACTIVE = 4
    UNREACHABLE = 5
    INTERNAL_ERROR = 6


@dataclass(frozen=True, slots=True)
class ResolveQuery:
    """``reference`` in words or a node id; ``requester`` is who "me" means; ``start`` in map [m]."""

    reference: str
    requester: str = ""
    start: tuple[float, float, float] | None = None


@dataclass(frozen=True, slots=True)
class ResolveResult:
    """A standing pose and the thing's own pose, in map; ``path`` of place ids, ``path_length`` [m]."""

    status: ResolveStatus
    message: str
    goal_pose: Pose | None = None
    target_pose: Pose | None = None
    kind: str = ""
    node_id: str = ""
    path: tuple[str, ...] = ()
    path_length: float = 0.0
    candidates: tuple[str, ...] = ()
