"""Relations of the scene graph, and the location of an object in the home, from geometry."""

import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from openral_core.spatial_memory import Opening, Presence, Relation, SceneEdge
from openral_world_state.home.model import SiteFixture, StaticMap
from openral_world_state.spatial_memory.memory import SpatialMemory
from openral_world_state.spatial_memory.record import ObjectRecord

NEAR = 0.5
"""Distance up to which two objects are near each other [m]: the edge length of the spatial index."""
_MAX_NEAR = 4
"""Largest number of NEAR edges per object [1], so that a cluttered table does not flood the graph."""
_MAX_PLACE_DISTANCE = 0.8
"""Distance from a site up to which an object is at that place [m]: within an arm's reach of it."""
_SUPPORT_TOLERANCE = 0.03
"""Height above a support up to which an object stands on it [m]: the error of lifted heights."""
_MIN_RISE = 0.005
"""Height above another object's lowest point from which one can stand in or on it [m]."""


@dataclass(frozen=True, slots=True)
class HomeLocation:
    """Room and place ids ("" unknown), and the site that the object is ``on`` or ``inside``, if any."""

    room: str
    place: str
    on: SiteFixture | None = None
    inside: SiteFixture | None = None

    @property
    def site(self) -> SiteFixture | None:
        """Site that the object is in or on."""
        return self.inside or self.on


def locate_in_home(record: ObjectRecord, home: StaticMap) -> HomeLocation:
    """Locate an object from geometry alone; a carried one has a room, but no place."""
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
    near = home.nearest_site(point, _MAX_PLACE_DISTANCE)
    return HomeLocation(room, near.node.id if near else "")


def must_open(inside: SiteFixture | None, openings: dict[str, Opening]) -> str:
    """Id of the occluding container to open before its contents can be reached; "" if there is none."""
    if inside is None or not inside.node.occludes_contents:
        return ""
    return "" if openings.get(inside.node.id, inside.node.opening) is Opening.OPEN else inside.node.id


def home_edges(home: StaticMap) -> Iterator[SceneEdge]:
    """Yield the rooms of sites and agents."""
    for site in home.sites:
        if site.room:
            yield SceneEdge(site.node.id, Relation.IN_ROOM, site.room)
    for agent in home.agents:
        if room := home.room_at(agent.pose.position):
            yield SceneEdge(agent.id, Relation.IN_ROOM, room)


def route_edges(routes: Iterable[tuple[str, str, float]]) -> Iterator[SceneEdge]:
    """Yield the places that the robot can drive between, in both directions."""
    for first, second, length in routes:
        yield SceneEdge(first, Relation.TRAVERSABLE_TO, second, length)
        yield SceneEdge(second, Relation.TRAVERSABLE_TO, first, length)


def object_edges(
    record: ObjectRecord, home: StaticMap, memory: SpatialMemory, map_epoch: int = 0
) -> Iterator[SceneEdge]:
    """Yield what an object is in, on, at and near; nothing for one that is gone, or of another map epoch."""
    if not _has_place(record, map_epoch):
        return
    location = locate_in_home(record, home)
    if location.room:
        yield SceneEdge(record.id, Relation.IN_ROOM, location.room)
    if location.place:
        yield SceneEdge(record.id, Relation.AT_PLACE, location.place)
    if location.inside is not None:
        yield SceneEdge(record.id, Relation.IN, location.inside.node.id)
        yield SceneEdge(location.inside.node.id, Relation.CONTAINS, record.id)
    elif location.on is not None:
        yield SceneEdge(record.id, Relation.ON, location.on.node.id)
    yield from _object_relations(record, memory, map_epoch)


def _has_place(record: ObjectRecord, map_epoch: int) -> bool:
    return record.presence is not Presence.GONE and record.map_epoch == map_epoch


def _object_relations(record: ObjectRecord, memory: SpatialMemory, map_epoch: int) -> Iterator[SceneEdge]:
    around = sorted(memory.near(record.pose.position, NEAR), key=lambda found: (found[1], found[0].id))
    others = [(o, d) for o, d in around if o.id != record.id and _has_place(o, map_epoch)]
    holder = next((other for other, _ in others if is_supported_by(record, other)), None)
    if holder is not None:
        yield SceneEdge(record.id, Relation.ON, holder.id)
    for other, distance in others[:_MAX_NEAR]:
        yield SceneEdge(record.id, Relation.NEAR, other.id, round(distance, 3))


def is_supported_by(upper: ObjectRecord, lower: ObjectRecord) -> bool:
    """Tell if one object stands on another, or in its hollow."""
    (x, y, z), (u, v, w) = upper.pose.position, lower.pose.position
    inside = math.dist((x, y), (u, v)) <= max(lower.size[0], lower.size[1]) / 2.0
    bottom, top, floor = z - upper.size[2] / 2.0, w + lower.size[2] / 2.0, w - lower.size[2] / 2.0
    wider = max(lower.size[:2]) > max(upper.size[:2])
    return inside and wider and floor + _MIN_RISE < bottom <= top + _SUPPORT_TOLERANCE
