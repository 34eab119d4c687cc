"""The scene graph of spatial memory, and its queries with their results: recall, resolve, observe, edit."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import IntEnum, StrEnum
from functools import cached_property

from openral_core.errors import OpenRALError, format_choices
from openral_core.geometry import Pose
from openral_core.object_states import ObjectState


class Relation(StrEnum):
    """Read ``source relation target``: mug on table, fridge contains milk."""

    ON = "on"
    IN = "in"
    AT_PLACE = "at_place"
    IN_ROOM = "in_room"
    NEAR = "near"
    CONTAINS = "contains"
    TRAVERSABLE_TO = "traversable_to"
    PART_OF = "part_of"


@dataclass(frozen=True, slots=True)
class SceneEdge:
    """A directed relation; ``weight`` [m] for traversable_to and near, else 0."""

    source: str
    relation: Relation
    target: str
    weight: float = 0.0


class NodeKind(StrEnum):
    """Kind of entity that a node represents."""

    OBJECT = "object"
    PLACE = "place"
    ROOM = "room"
    AGENT = "agent"


class Presence(StrEnum):
    """Belief that a node is still at its remembered pose."""

    PRESENT = "present"
    STALE = "stale"
    GONE = "gone"


class Opening(StrEnum):
    """State of a container's door."""

    UNKNOWN = "unknown"
    CLOSED = "closed"
    OPEN = "open"


CONFIRMED = 0.5
"""Confidence from which a remembered object is more likely real than a false detection [1]."""


@dataclass(frozen=True, slots=True)
class SceneNode:
    """One remembered object, place, room or agent, in the map frame.

    ``size`` [m] along the pose's axes, zero when unknown; ``covariance`` of the position [m^2],
    row-major (9,); times in [s] since the epoch of the robot's clock; ``votes`` maps every reported
    label to its weight, ``label`` being the strongest; ``unprompted`` are the labels that detectors reported
    without being asked, or an operator gave; ``confidence`` is the probability that it exists; ``affordance``
    tells how a fingertip works it (switch, button or knob), ``states`` are those believed.
    """

    id: str
    kind: NodeKind
    label: str
    pose: Pose
    size: tuple[float, float, float] = (0.0, 0.0, 0.0)
    aliases: tuple[str, ...] = ()
    votes: Mapping[str, float] = field(default_factory=dict)
    unprompted: tuple[str, ...] = ()
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
    affordance: str = ""
    states: tuple[ObjectState, ...] = ()


class InvalidSceneGraph(OpenRALError):
    """Inconsistent nodes and edges."""

    def __init__(self, problems: list[str]) -> None:
        self.problems = tuple(problems)
        super().__init__("scene graph is not consistent: " + "; ".join(problems))


@dataclass(frozen=True)
class SceneGraph:
    """Nodes by id and the relations between them, at one ``revision`` of one ``map_epoch``.

    Raises:
        InvalidSceneGraph: If an id is duplicated or an edge refers to a missing node.
    """

    nodes: tuple[SceneNode, ...] = ()
    edges: tuple[SceneEdge, ...] = ()
    map_epoch: int = 0
    revision: int = 0

    def __post_init__(self) -> None:
        problems = []
        if len(self.by_id) != len(self.nodes):
            ids = [node.id for node in self.nodes]
            problems.append(f"duplicate ids: {format_choices(sorted({i for i in ids if ids.count(i) > 1}))}")
        ends = {end for edge in self.edges for end in (edge.source, edge.target)}
        if missing := sorted(ends - self.by_id.keys()):
            problems.append(f"edges refer to missing nodes: {format_choices(missing)}")
        if problems:
            raise InvalidSceneGraph(problems)

    @cached_property
    def by_id(self) -> Mapping[str, SceneNode]:
        """Nodes by id."""
        return {node.id: node for node in self.nodes}

    def of_kind(self, kind: NodeKind) -> tuple[SceneNode, ...]:
        """Return every node of one kind, in order."""
        return tuple(node for node in self.nodes if node.kind is kind)

    def targets(self, source: str, relation: Relation) -> tuple[str, ...]:
        """Return the targets of edges from ``source`` with this relation."""
        return tuple(e.target for e in self.edges if e.source == source and e.relation is relation)

    def sources(self, relation: Relation, target: str) -> tuple[str, ...]:
        """Return the sources of edges to ``target`` with this relation."""
        return tuple(e.source for e in self.edges if e.target == target and e.relation is relation)


class EditOperation(IntEnum):
    """Operations that an operator can apply to a remembered object."""

    RENAME = 0
    MOVE = 1
    FORGET = 2
    MERGE = 3
    UNDO = 4
    STATE = 5


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
    NOTHING_TO_UNDO = 8
    BAD_STATE = 9


@dataclass(frozen=True, slots=True)
class MemoryEdit:
    """An edit of one object; ``operation`` is a number of `EditOperation`, checked by the server.

    RENAME uses ``label``, MOVE ``position`` in map [m], MERGE ``other``, which is merged into ``node_id``.
    UNDO uses nothing else: it takes back the last edit that is not taken back. STATE gives ``node_id``, which
    may be furniture, the state ``label``; ``other`` is "skill" if a skill reported it.
    """

    operation: int
    node_id: str = ""
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
    """Object to look up; ``near`` in map [m] with ``radius`` [m]; ``max_age`` [s], 0 = any.

    With a ``node_id`` only that record is meant, whatever it is called.
    """

    query: str
    limit: int = 5
    near: tuple[float, float, float] | None = None
    radius: float = 0.0
    max_age: float = 0.0
    room: str = ""
    node_id: str = ""


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
    states: tuple[ObjectState, ...] = ()

    @property
    def inside_container_id(self) -> str:
        """Id of the innermost container; "" if there is none."""
        return self.containers[0] if self.containers else ""


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
