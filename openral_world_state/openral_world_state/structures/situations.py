"""Where a remembered object is, in words of the home."""

from dataclasses import dataclass

from openral_core.scene_graph import Opening
from openral_world_state.homes import Home, Site
from openral_world_state.memories import Record

_BESIDE = 0.8


@dataclass(frozen=True, slots=True)
class Situation:
    """Room and place ids ("" unknown); ``on`` or ``inside`` which site, None when neither."""

    room: str
    place: str
    on: Site | None = None
    inside: Site | None = None

    @property
    def site(self) -> Site | None:
        """What the object is in or on."""
        return self.inside or self.on


def situation_of(record: Record, home: Home) -> Situation:
    """Where an object is, from geometry alone; a carried one is nowhere but with the robot."""
    point = record.pose.position
    room = home.room_at(point)
    if record.carried:
        return Situation(room, "")
    inside = home.container_at(point)
    if inside is not None:
        return Situation(inside.room or room, inside.node.id, inside=inside)
    on = home.support_of(point, point[2] - record.size[2] / 2.0)
    if on is not None:
        return Situation(on.room or room, on.node.id, on=on)
    near = home.nearest_site(point, _BESIDE)
    return Situation(room, near.node.id if near else "")


def must_open(inside: Site | None, openings: dict[str, Opening]) -> str:
    """Id of the occluding container to open before its contents can be reached; "" when none."""
    if inside is None or not inside.node.occludes_contents:
        return ""
    return "" if openings.get(inside.node.id, inside.node.opening) is Opening.OPEN else inside.node.id
