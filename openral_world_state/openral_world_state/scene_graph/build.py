"""The relations of a scene graph, from geometry."""
# MERGED Where a remembered object is, in words of the home.

import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from openral_core.scene_graph import Opening, Presence, Relation, SceneEdge
from openral_world_state.home.model import SiteFixture, StaticMap
from openral_world_state.spatial_memory.memory import SpatialMemory
from openral_world_state.spatial_memory.record import ObjectRecord

_BESIDE = 0.8


@dataclass(frozen=True, slots=True)
class HomeLocation:
    """Room and place ids ("" unknown); ``on`` or ``inside`` which site, None when neither."""

    room: str
    place: str
    on: SiteFixture | None = None
    inside: SiteFixture | None = None

    @property
    def site(self) -> SiteFixture | None:
        """What the object is in or on."""
        return self.inside or self.on


def locate_in_home(record: ObjectRecord, home: StaticMap) -> HomeLocation:
    """Where an object is, from geometry alone; a carried one is nowhere but with the robot."""
    point = record.pose.position
    room = home.room_at(point)
    if record.carried:
        return HomeLocation(room, "")
    inside = home.container_at(point)
    if inside is not None:
        return HomeLocation(inside.room or room, inside.node.id, inside=inside)
    on = home.support_of(point, point[2] - record.size[2] / 2.0)
    if on is not None:
        return HomeLocation(on.room or room, on.node.id, on=on)
    near = home.nearest_site(point, _BESIDE)
    return HomeLocation(room, near.node.id if near else "")


def must_open(inside: SiteFixture | None, openings: dict[str, Opening]) -> str:
    """Id of the occluding container to open before its contents can be reached; "" when none."""
    if inside is None or not inside.node.occludes_contents:
        return ""
    return "" if openings.get(inside.node.id, inside.node.opening) is Opening.OPEN else inside.node.id


NEAR = 0.5
"""Objects at most this far apart are near each other [m]."""
_MOST_NEAR = 4


def home_edges(home: StaticMap) -> Iterator[SceneEdge]:
    """Sites and agents in their rooms."""
    for site in home.sites:
        if site.room:
            yield SceneEdge(site.node.id, Relation.IN_ROOM, site.room)
    for agent in home.agents:
        if room := home.room_at(agent.pose.position):
            yield SceneEdge(agent.id, Relation.IN_ROOM, room)


def route_edges(routes: Iterable[tuple[str, str, float]]) -> Iterator[SceneEdge]:
    """Places one can drive between, both ways."""
    for first, second, length in routes:
        yield SceneEdge(first, Relation.TRAVERSABLE_TO, second, length)
        yield SceneEdge(second, Relation.TRAVERSABLE_TO, first, length)


def object_edges(
    record: ObjectRecord, home: StaticMap, memory: SpatialMemory, map_epoch: int = 0
) -> Iterator[SceneEdge]:
    """What one object is in, on, at and near; nothing of an object that is gone, or of another map."""
    if not _has_place(record, map_epoch):
        return
    situation = locate_in_home(record, home)
    if situation.room:
        yield SceneEdge(record.id, Relation.IN_ROOM, situation.room)
    if situation.place:
        yield SceneEdge(record.id, Relation.AT_PLACE, situation.place)
    if situation.inside is not None:
        yield SceneEdge(record.id, Relation.IN, situation.inside.node.id)
        yield SceneEdge(situation.inside.node.id, Relation.CONTAINS, record.id)
    elif situation.on is not None:
        yield SceneEdge(record.id, Relation.ON, situation.on.node.id)
    yield from _among_objects(record, memory, map_epoch)


def _has_place(record: ObjectRecord, map_epoch: int) -> bool:
    return record.presence is not Presence.GONE and record.map_epoch == map_epoch


def _among_objects(record: ObjectRecord, memory: SpatialMemory, map_epoch: int) -> Iterator[SceneEdge]:
    around = sorted(memory.near(record.pose.position, NEAR), key=lambda each: (each[1], each[0].id))
    others = [(o, d) for o, d in around if o.id != record.id and _has_place(o, map_epoch)]
    holder = next((other for other, _ in others if is_supported_by(record, other)), None)
    if holder is not None:
        yield SceneEdge(record.id, Relation.ON, holder.id)
    for other, distance in others[:_MOST_NEAR]:
        yield SceneEdge(record.id, Relation.NEAR, other.id, round(distance, 3))


def is_supported_by(upper: ObjectRecord, lower: ObjectRecord, reach: float = 0.03) -> bool:
    """Whether one object stands on another, or in its hollow."""
    (x, y, z), (u, v, w) = upper.pose.position, lower.pose.position
    inside = math.dist((x, y), (u, v)) <= max(lower.size[0], lower.size[1]) / 2.0
    bottom, top, floor = z - upper.size[2] / 2.0, w + lower.size[2] / 2.0, w - lower.size[2] / 2.0
    wider = max(lower.size[:2]) > max(upper.size[:2])
    return inside and wider and floor + 0.005 < bottom <= top + reach
