"""A remembered object as the answer to a question."""

from dataclasses import dataclass, field

from openral_core.geometry import Pose
from openral_core.queries import RecallMatch
from openral_core.scene_graph import Opening, Presence
from openral_core.text import Relation
from openral_world_state.floors import Floor, approach
from openral_world_state.homes import Home
from openral_world_state.memories import Record
from openral_world_state.recalls.ranking import Answer
from openral_world_state.structures import must_open, situation_of

_HOW = {
    Relation.EQUAL: "is called that",
    Relation.NARROWER: "is a kind of that",
    Relation.BROADER: "is less specific",
    Relation.RELATED: "is similar",
}


@dataclass(frozen=True, slots=True)
class Describer:
    """Adds to a record where it is and where to stand for it; ``standoff`` [m]."""

    home: Home
    floor: Floor | None
    standoff: float
    openings: dict[str, Opening] = field(default_factory=dict)

    def match(self, found: Answer) -> RecallMatch:
        """One answer to a recall."""
        record = found.record
        situation = situation_of(record, self.home)
        inside = situation.inside
        return RecallMatch(
            node_id=record.id,
            label=record.label,
            score=round(min(1.0, found.score), 4),
            pose=record.pose,
            size=record.size,
            why=self._why(found, situation.place, situation.room),
            viewpoint=self.viewpoint(record),
            room=situation.room,
            place=situation.place,
            containers=(inside.node.id,) if inside else (),
            must_open=must_open(inside, self.openings),
            presence=record.presence,
            last_seen=record.last_seen,
            observations=record.observations,
            source=record.source,
        )

    def viewpoint(self, record: Record) -> Pose | None:
        """A reachable standing pose from which to see and reach it; None when none is known."""
        if self.floor is None:
            return None
        seen_from = (record.eye[0], record.eye[1]) if record.eye else None
        target = (record.pose.position[0], record.pose.position[1])
        site = situation_of(record, self.home).site
        return approach(self.floor, target, self.standoff, site, seen_from)

    def _why(self, found: Answer, place: str, room: str) -> str:
        record = found.record
        name = record.label if found.label == record.label else f"{record.label}, also {found.label},"
        where = f" at {place}" if place else f" in {room}" if room else ""
        presence = "" if record.presence is Presence.PRESENT else f", {record.presence.value}"
        how = f"means about that, {found.likeness:.2f}" if found.likeness else _HOW[found.relation]
        return f"{record.id} ({name} {how}){where}{presence}"
