"""Nodes of the scene graph."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from openral_core.geometry import Pose


class NodeKind(StrEnum):
    """What a node stands for."""

    OBJECT = "object"
    PLACE = "place"
    ROOM = "room"
    AGENT = "agent"


class Presence(StrEnum):
    """How sure memory is that a node is still where it was."""

    PRESENT = "present"
    STALE = "stale"
    GONE = "gone"


class Opening(StrEnum):
    """State of a container's door."""

    UNKNOWN = "unknown"
    CLOSED = "closed"
    OPEN = "open"


@dataclass(frozen=True, slots=True)
class SceneNode:
    """One remembered thing, in the map frame.

    ``size`` [m] along the pose's axes, zero when unknown; ``covariance`` of the position [m^2],
    row-major (9,); times in [s] since the epoch of the robot's clock; ``votes`` maps every label
    ever given to its weight, ``label`` being the strongest.
    """

    id: str
    kind: NodeKind
    label: str
    pose: Pose
    size: tuple[float, float, float] = (0.0, 0.0, 0.0)
    aliases: tuple[str, ...] = ()
    votes: Mapping[str, float] = field(default_factory=dict)
    covariance: tuple[float, ...] = (0.0,) * 9
    confidence: float = 1.0
    presence: Presence = Presence.PRESENT
    is_container: bool = False
    occludes_contents: bool = False
    opening: Opening = Opening.UNKNOWN
    first_seen: float = 0.0
    last_seen: float = 0.0
    observations: int = 0
    source: str = ""
    map_epoch: int = 0
