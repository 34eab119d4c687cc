"""What this mission has been told of, with the poses that only the core holds."""

from dataclasses import dataclass, replace

from openral_core.geometry import Pose
from openral_core.memory_queries import RecallMatch, ResolveResult
from openral_core.scene_graph import Presence
from openral_reasoner.context import ObjectSummary
from openral_reasoner.success.evidence import Node


@dataclass(frozen=True, slots=True)
class KnownObject:
    """A node that a peer answered with in this mission; ``words`` are those it was asked by.

    ``hint`` marks a near miss: somewhere to look, never something to act on. ``disproved`` marks what
    a look has shown not to be where memory has it. Poses are in map.
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
        """From what memory, or a look, said."""
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
        """From what memory said of a place, room, agent or object."""
        return cls(
            id=result.node_id,
            label=label,
            kind=result.kind,
            pose=result.target_pose,
            standing=result.goal_pose,
        )

    def node(self) -> Node:
        """As evidence has it."""
        within = tuple(each for each in (self.place, *self.containers) if each)
        return Node(self.id, self.label, self.kind, self.room, within)

    def gone(self) -> "KnownObject":
        """Looked for and not there."""
        return replace(self, disproved=True)

    def opened(self) -> "KnownObject":
        """Nothing closed hides it any more."""
        return replace(self, must_open="")

    def found(self) -> ObjectSummary:
        """As the model may know it."""
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
