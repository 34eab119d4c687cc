"""The relations of a scene graph, from geometry."""

import math
from collections.abc import Iterable, Iterator

from openral_core.scene_graph import Presence, Relation, SceneEdge
from openral_world_state.homes import Home
from openral_world_state.memories import Memory, Record
from openral_world_state.structures.situations import situation_of

NEAR = 0.5
"""Objects at most this far apart are near each other [m]."""
_MOST_NEAR = 4


def home_edges(home: Home) -> Iterator[SceneEdge]:
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


def object_edges(record: Record, home: Home, memory: Memory, map_epoch: int = 0) -> Iterator[SceneEdge]:
    """What one object is in, on, at and near; nothing of an object that is gone, or of another map."""
    if not _has_place(record, map_epoch):
        return
    situation = situation_of(record, home)
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


def _has_place(record: Record, map_epoch: int) -> bool:
    return record.presence is not Presence.GONE and record.map_epoch == map_epoch


def _among_objects(record: Record, memory: Memory, map_epoch: int) -> Iterator[SceneEdge]:
    around = sorted(memory.near(record.pose.position, NEAR), key=lambda each: (each[1], each[0].id))
    others = [(o, d) for o, d in around if o.id != record.id and _has_place(o, map_epoch)]
    holder = next((other for other, _ in others if rests_on(record, other)), None)
    if holder is not None:
        yield SceneEdge(record.id, Relation.ON, holder.id)
    for other, distance in others[:_MOST_NEAR]:
        yield SceneEdge(record.id, Relation.NEAR, other.id, round(distance, 3))


def rests_on(upper: Record, lower: Record, reach: float = 0.03) -> bool:
    """Whether one object stands on another, or in its hollow."""
    (x, y, z), (u, v, w) = upper.pose.position, lower.pose.position
    inside = math.dist((x, y), (u, v)) <= max(lower.size[0], lower.size[1]) / 2.0
    bottom, top, floor = z - upper.size[2] / 2.0, w + lower.size[2] / 2.0, w - lower.size[2] / 2.0
    wider = max(lower.size[:2]) > max(upper.size[:2])
    return inside and wider and floor + 0.005 < bottom <= top + reach
