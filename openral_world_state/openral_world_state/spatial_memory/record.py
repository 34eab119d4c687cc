"""Record of a remembered object, and the table that holds the numbers of all records as columns."""

from dataclasses import dataclass, field

import numpy as np

from openral_core.geometry import Pose
from openral_core.spatial_memory import NodeKind, Opening, Presence, SceneNode

Triple = tuple[float, float, float]
OPERATOR_LABEL_WEIGHT = 1000.0
"""Vote of a label that an operator gave [1]: above the largest weight of a detector's label."""
MIN_VOTE_FRACTION = 0.2
"""Fraction of the strongest label's votes from which a label counts [1]; below, it is a misdetection."""


@dataclass(slots=True)
class ObjectRecord:
    """A remembered object; after a change in place it is passed to `SpatialMemory.touch`.

    Position in map [m], ``size`` [m], ``covariance`` of the position [m^2], row-major (9,), times in ROS
    time [s]. ``votes`` are the weights of its labels, ``unprompted`` the newest that no query asked for;
    ``misses`` counts the views that showed its place empty, the last at ``last_checked`` [s];
    ``viewpoint`` is the position of the camera that saw it last [m]; ``carried`` is True while the
    gripper holds it, ``grasped`` from then on: it exists, however rarely it is detected. ``confidence``
    is the probability that it exists, and ``evidence`` the part of its log-odds from the last viewpoint,
    ``evidence_from`` [m], which is not stored.
    """

    id: str
    label: str
    pose: Pose
    size: Triple = (0.0, 0.0, 0.0)
    votes: dict[str, float] = field(default_factory=dict)
    unprompted: tuple[str, ...] = ()
    covariance: tuple[float, ...] = (0.0,) * 9
    confidence: float = 1.0
    presence: Presence = Presence.PRESENT
    first_seen: float = 0.0
    last_seen: float = 0.0
    observations: int = 0
    source: str = ""
    map_epoch: int = 0
    aliases: tuple[str, ...] = ()
    misses: int = 0
    last_checked: float = 0.0
    viewpoint: Triple | None = None
    carried: bool = False
    grasped: bool = False
    is_container: bool = False
    occludes_contents: bool = False
    opening: Opening = Opening.UNKNOWN
    evidence: float = field(default=0.0, compare=False)
    evidence_from: Triple | None = field(default=None, compare=False)

    @property
    def vote_fractions(self) -> dict[str, float]:
        """Labels and aliases with their fractions of the strongest label's votes; an alias has 1."""
        if len(self.votes) == 1 and not self.aliases:
            return {self.label: 1.0}
        most = max(self.votes.values(), default=1.0) or 1.0
        return {
            **{label: weight / most for label, weight in self.votes.items()},
            **dict.fromkeys(self.aliases, 1.0),
        }

    @property
    def names(self) -> tuple[str, ...]:
        """Labels and aliases, the strongest first."""
        return (self.label, *(vote for vote in self.votes if vote != self.label), *self.aliases)

    @property
    def is_certain(self) -> bool:
        """True if it exists however rarely it is detected: the gripper held it, or an operator named it."""
        return self.grasped or max(self.votes.values(), default=0.0) >= OPERATOR_LABEL_WEIGHT

    @property
    def is_missing(self) -> bool:
        """True if the last check of its place did not find it."""
        return not self.carried and (self.misses > 0 or self.presence is not Presence.PRESENT)

    def node(self) -> SceneNode:
        """Convert to a node of the scene graph."""
        return SceneNode(
            id=self.id,
            kind=NodeKind.OBJECT,
            label=self.label,
            pose=self.pose,
            size=self.size,
            aliases=self.aliases,
            votes=dict(self.votes),
            unprompted=self.unprompted,
            covariance=self.covariance,
            confidence=self.confidence,
            presence=self.presence,
            is_container=self.is_container,
            occludes_contents=self.occludes_contents,
            opening=self.opening,
            first_seen=self.first_seen,
            last_seen=self.last_seen,
            observations=self.observations,
            source=self.source,
            map_epoch=self.map_epoch,
        )


def record_from_node(node: SceneNode) -> ObjectRecord:
    """Create a record from a node of kind object."""
    return ObjectRecord(
        id=node.id,
        label=node.label,
        pose=node.pose,
        size=node.size,
        votes=dict(node.votes) or {node.label: 1.0},
        unprompted=tuple(node.unprompted),
        covariance=tuple(node.covariance),
        confidence=node.confidence,
        presence=node.presence,
        first_seen=node.first_seen,
        last_seen=node.last_seen,
        observations=node.observations,
        source=node.source,
        map_epoch=node.map_epoch,
        aliases=tuple(node.aliases),
        is_container=node.is_container,
        occludes_contents=node.occludes_contents,
        opening=node.opening,
    )


PRESENCES = tuple(Presence)
_CODES = {presence: code for code, presence in enumerate(PRESENCES)}


class ObjectTable:
    """Columns of numbers, one slot per record; a removed record's slot is reused.

    ``position`` (N, 3) [m], ``last_seen`` [s], ``confidence`` in [0, 1], ``presence`` as index of
    `PRESENCES`, ``map_epoch``.
    """

    def __init__(self, capacity: int = 1024) -> None:
        self._slots: dict[str, int] = {}
        self._free: list[int] = []
        self.records: list[ObjectRecord | None] = []
        self.position = np.zeros((capacity, 3))
        self.last_seen = np.zeros(capacity)
        self.confidence = np.zeros(capacity)
        self.presence = np.zeros(capacity, np.int8)
        self.map_epoch = np.zeros(capacity, np.int64)

    def put(self, record: ObjectRecord) -> int:
        """Write a record's numbers; return its slot."""
        slot = self._slots.get(record.id)
        if slot is None:
            if not self._free:
                self._free.append(len(self.records))
                self.records.append(None)
            slot = self._slots[record.id] = self._free.pop()
        if slot >= len(self.last_seen):
            for name in ("position", "last_seen", "confidence", "presence", "map_epoch"):
                column = getattr(self, name)
                setattr(self, name, np.concatenate((column, np.zeros_like(column))))
        self.records[slot] = record
        self.position[slot] = record.pose.position
        self.last_seen[slot] = record.last_seen
        self.confidence[slot] = record.confidence
        self.presence[slot] = _CODES[record.presence]
        self.map_epoch[slot] = record.map_epoch
        return slot

    def remove(self, name: str) -> None:
        """Free the slot of an id, if it has one."""
        slot = self._slots.pop(name, None)
        if slot is not None:
            self.records[slot] = None
            self.presence[slot] = 0
            self._free.append(slot)

    def record(self, slot: int) -> ObjectRecord:
        """Return the record of a slot in use."""
        record = self.records[slot]
        if record is None:
            raise IndexError(slot)
        return record
