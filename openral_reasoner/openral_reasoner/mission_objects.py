"""Objects, places and people that the peers of one mission reported."""

from dataclasses import dataclass

from openral_core.geometry import Pose
from openral_core.object_states import ObjectState
from openral_core.spatial_memory import Presence, RecallMatch, ResolveResult, SceneNode
from openral_reasoner.context import ObjectSummary
from openral_reasoner.evidence import Node
from openral_reasoner.palette.entries import ControlEntry, PlaceEntry


@dataclass(frozen=True, slots=True)
class MissionObject:
    """Node reported by a peer in this mission; ``words`` is the query that found it.

    A ``hint`` is a near miss of memory: a place to look, never a target to act on. ``disproved`` marks an
    object that a detector did not see at its remembered place. Poses are in map.
    """

    id: str
    label: str
    kind: str
    pose: Pose | None
    words: str = ""
    standing: Pose | None = None
    size: tuple[float, float, float] = (0.0, 0.0, 0.0)
    room: str = ""
    place: str = ""
    containers: tuple[str, ...] = ()
    must_open: str = ""
    stale: bool = False
    hint: bool = False
    disproved: bool = False
    why: str = ""
    states: tuple[ObjectState, ...] = ()

    @classmethod
    def from_match(cls, match: RecallMatch, words: str, *, hint: bool = False) -> "MissionObject":
        """Build from a match of memory or of a detection."""
        return cls(
            id=match.node_id,
            label=match.label,
            kind="object",
            pose=match.pose,
            words=words,
            standing=match.viewpoint,
            size=match.size,
            room=match.room,
            place=match.place,
            containers=match.containers,
            must_open=match.must_open,
            stale=match.presence is not Presence.PRESENT,
            hint=hint,
            why=match.why,
            states=match.states,
        )

    @classmethod
    def from_node(cls, node: SceneNode) -> "MissionObject":
        """Build from a node of the scene graph."""
        return cls(id=node.id, label=node.label, kind=node.kind.value, pose=node.pose, size=node.size)

    @classmethod
    def from_resolve(
        cls, result: ResolveResult, words: str, entry: PlaceEntry | ControlEntry | None = None
    ) -> "MissionObject":
        """Build from a resolved reference; its label is that of the palette's ``entry``, else ``words``."""
        return cls(
            id=result.node_id,
            label=entry.label if entry else words,
            kind=result.kind,
            pose=result.target_pose,
            standing=result.goal_pose,
            size=entry.size if isinstance(entry, PlaceEntry) else (0.0, 0.0, 0.0),
        )

    def node(self) -> Node:
        """Return the node as evidence records it."""
        within = tuple(item for item in (self.place, *self.containers) if item)
        return Node(self.id, self.label, self.kind, self.room, within)

    def summary(self) -> ObjectSummary:
        """Return the summary that the model reads."""
        return ObjectSummary(
            id=self.id,
            label=self.label,
            kind=self.kind,
            room=self.room,
            place=self.place,
            containers=self.containers,
            must_open=self.must_open,
            stale=self.stale,
            why=self.why,
            states=tuple(state.in_words() for state in self.states),
        )


HOME = MissionObject(id="home", label="home", kind="", pose=None)
"""Target of an exploration of everything."""
