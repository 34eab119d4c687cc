"""What memory holds of one object."""
# MERGED The numbers of all records side by side, so that thousands are judged at once.

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from openral_core.geometry import Pose
from openral_core.scene_graph import NodeKind, Opening, Presence, SceneNode

Triple = tuple[float, float, float]
OPERATORS_WORD = 1000.0
"""Weight of a label that an operator gave: more than the votes of detectors ever add up to."""


@dataclass(slots=True)
class ObjectRecord:
    """A remembered object; changed in place by its memory alone.

    ``misses`` counts looks at its place that did not find it; ``looked`` is the stamp of the last
    one [s]; ``eye`` where it was last seen from [m]; ``carried`` while the gripper holds it.
    """

    id: str
    label: str
    pose: Pose
    size: Triple = (0.0, 0.0, 0.0)
    votes: dict[str, float] = field(default_factory=dict)
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
    looked: float = 0.0
    eye: Triple | None = None
    carried: bool = False
    is_container: bool = False
    occludes_contents: bool = False
    opening: Opening = Opening.UNKNOWN

    @property
    def shares(self) -> dict[str, float]:
        """Every label and alias with its share of the strongest label's votes; an alias always counts."""
        if len(self.votes) == 1 and not self.aliases:
            return {self.label: 1.0}
        most = max(self.votes.values(), default=1.0) or 1.0
        return {
            **{label: weight / most for label, weight in self.votes.items()},
            **dict.fromkeys(self.aliases, 1.0),
        }

    @property
    def names(self) -> tuple[str, ...]:
        """Every label and alias, the strongest first."""
        return (self.label, *(vote for vote in self.votes if vote != self.label), *self.aliases)

    @property
    def is_missing(self) -> bool:
        """Whether the last look at its place did not find it."""
        return not self.carried and (self.misses > 0 or self.presence is not Presence.PRESENT)

    def node(self) -> SceneNode:
        """As a node of the scene graph."""
        return SceneNode(
            id=self.id,
            kind=NodeKind.OBJECT,
            label=self.label,
            pose=self.pose,
            size=self.size,
            aliases=self.aliases,
            votes=dict(self.votes),
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


def record_of(node: SceneNode) -> ObjectRecord:
    """A record from a node of kind object."""
    return ObjectRecord(
        id=node.id,
        label=node.label,
        pose=node.pose,
        size=node.size,
        votes=dict(node.votes) or {node.label: 1.0},
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


PRESENCES = (Presence.PRESENT, Presence.STALE, Presence.GONE)
_CODES = {presence: code for code, presence in enumerate(PRESENCES)}


class ObjectTable:
    """One slot per record; a slot is used again once its record is forgotten.

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
        """Write a record's numbers; its slot."""
        slot = self._slots.get(record.id)
        if slot is None:
            slot = self._slots[record.id] = self._new_slot()
        self.records[slot] = record
        self.position[slot] = record.pose.position
        self.last_seen[slot] = record.last_seen
        self.confidence[slot] = record.confidence
        self.presence[slot] = _CODES[record.presence]
        self.map_epoch[slot] = record.map_epoch
        return slot

    def remove(self, name: str) -> None:
        """Free the slot of an id; one that has none is no error."""
        slot = self._slots.pop(name, None)
        if slot is not None:
            self.records[slot] = None
            self.presence[slot] = 0
            self._free.append(slot)

    def record(self, slot: int) -> ObjectRecord:
        """The record of a slot in use."""
        record = self.records[slot]
        if record is None:
            raise IndexError(slot)
        return record

    def _new_slot(self) -> int:
        if self._free:
            return self._free.pop()
        self.records.append(None)
        if len(self.records) > len(self.last_seen):
            for name in ("position", "last_seen", "confidence", "presence", "map_epoch"):
                setattr(self, name, _doubled(getattr(self, name)))
        return len(self.records) - 1


def _doubled(column: NDArray[np.generic]) -> NDArray[np.generic]:
    return np.concatenate((column, np.zeros_like(column)))
