"""Objects and places known to a mission, with the poses that stay in the core."""

from dataclasses import dataclass, replace

from openral_core.geometry import Pose
from openral_core.spatial_memory import Presence, RecallMatch, ResolveResult
from openral_reasoner.context import ObjectSummary
from openral_reasoner.success.evidence import Node


@dataclass(frozen=True, slots=True)
class KnownObject:
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

    @classmethod
    def remembered(cls, match: RecallMatch, words: str, *, hint: bool = False) -> "KnownObject":
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
        )

    @classmethod
    def resolved(cls, result: ResolveResult, label: str) -> "KnownObject":
        """Build from a resolved place, room, agent or object."""
        return cls(
            id=result.node_id,
            label=label,
            kind=result.kind,
            pose=result.target_pose,
            standing=result.goal_pose,
        )

    def node(self) -> Node:
        """Return the node as evidence records it."""
        within = tuple(each for each in (self.place, *self.containers) if each)
        return Node(self.id, self.label, self.kind, self.room, within)

    def gone(self) -> "KnownObject":
        """Return the object marked as not at its place."""
        return replace(self, disproved=True)

    def opened(self) -> "KnownObject":
        """Return the object after its container was opened."""
        return replace(self, must_open="")

    def found(self) -> ObjectSummary:
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
        )
