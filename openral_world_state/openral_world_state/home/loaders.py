"""Build the static map of a home from its map file, or from a stored scene graph if there is no map file."""

from openral_core.geometry import Pose
from openral_core.home_map import Box3, Fixture, HomeMap, Place, Pose2, Rectangle, Room
from openral_core.spatial_memory import NodeKind, Relation, SceneGraph, SceneNode
from openral_world_state.home.model import Area, SiteFixture, StaticMap, SupportSurface

SOURCE = "map"
_WALL = 0.02
"""Thickness of a container's walls, which a stored graph does not tell [m]; that of a cabinet's boards."""
_AGENT_WIDTH = 0.5
"""Width of a person's box [m]: about the breadth of an adult's shoulders."""


def static_map_from_home(home: HomeMap, map_epoch: int = 0) -> StaticMap:
    """Build the static map from a map file.

    A place that looks at a fixture becomes that fixture's base pose, and its names become the fixture's:
    both name one destination.
    """
    served = {place.looks_at: place for place in home.places if place.looks_at}
    spots = (place for place in home.places if not place.looks_at)
    return StaticMap(
        areas=tuple(Area(_room(room.id, home, map_epoch), room) for room in home.rooms),
        sites=(
            *(_fixture(fixture, served.get(fixture.id), map_epoch) for fixture in home.fixtures),
            *(_spot(place, map_epoch) for place in spots),
        ),
        agents=tuple(
            SceneNode(
                id=agent.id,
                kind=NodeKind.AGENT,
                label=agent.name,
                pose=Pose.planar(agent.pose.x, agent.pose.y, agent.pose.yaw),
                size=(_AGENT_WIDTH, _AGENT_WIDTH, agent.height),
                aliases=agent.aliases,
                source=SOURCE,
                map_epoch=map_epoch,
            )
            for agent in home.agents
        ),
        doorways=home.doorways,
    )


def _room(room_id: str, home: HomeMap, map_epoch: int) -> SceneNode:
    room = next(known for known in home.rooms if known.id == room_id)
    xs, ys = zip(*room.polygon, strict=True)
    return SceneNode(
        id=room.id,
        kind=NodeKind.ROOM,
        label=room.name,
        pose=Pose(((min(xs) + max(xs)) / 2.0, (min(ys) + max(ys)) / 2.0, 0.0)),
        size=(max(xs) - min(xs), max(ys) - min(ys), 0.0),
        aliases=room.aliases,
        source=SOURCE,
        map_epoch=map_epoch,
    )


def _fixture(fixture: Fixture, place: Place | None, map_epoch: int) -> SiteFixture:
    holds = bool(fixture.surfaces) or fixture.container is not None or place is not None
    names = (place.id, place.name, *place.aliases) if place else ()
    frame = fixture.pose
    return SiteFixture(
        node=SceneNode(
            id=fixture.id,
            kind=NodeKind.PLACE if holds else NodeKind.OBJECT,
            label=fixture.name,
            pose=Pose.planar(frame.x, frame.y, frame.yaw, fixture.height / 2.0),
            size=(fixture.depth, fixture.width, fixture.height),
            aliases=tuple(dict.fromkeys((*fixture.aliases, *names))),
            is_container=fixture.container is not None,
            occludes_contents=fixture.container is not None and fixture.container.occludes_contents,
            source=SOURCE,
            map_epoch=map_epoch,
        ),
        room=fixture.room,
        frame=frame,
        footprint=fixture.footprint,
        height=fixture.height,
        shelves=tuple(SupportSurface(surface.z, surface.area) for surface in fixture.surfaces),
        interior=fixture.container.interior if fixture.container else None,
        opens=fixture.container.opens if fixture.container else "hinge",
        drawn=fixture.container.drawer_travel if fixture.container else 0.0,
        base_pose=_base_pose(place) if place else None,
    )


def _spot(place: Place, map_epoch: int) -> SiteFixture:
    node = SceneNode(
        id=place.id,
        kind=NodeKind.PLACE,
        label=place.name,
        pose=_base_pose(place),
        aliases=place.aliases,
        source=SOURCE,
        map_epoch=map_epoch,
    )
    return SiteFixture(node, place.room, place.pose, base_pose=_base_pose(place))


def _base_pose(place: Place) -> Pose:
    return Pose.planar(place.pose.x, place.pose.y, place.pose.yaw)


def static_map_from_graph(graph: SceneGraph) -> StaticMap:
    """Build the static map from a graph's boxes: a place has its top as surface, a container an interior."""
    places = [
        *graph.of_kind(NodeKind.PLACE),
        *(n for n in graph.of_kind(NodeKind.OBJECT) if n.source == "map"),
    ]
    return StaticMap(
        areas=tuple(Area(node, _outline(node)) for node in graph.of_kind(NodeKind.ROOM)),
        sites=tuple(_site(node, graph) for node in places),
        agents=graph.of_kind(NodeKind.AGENT),
    )


def _outline(node: SceneNode) -> Room:
    (x, y, _), (dx, dy, _) = node.pose.position, node.size
    a, b = max(dx, 0.1) / 2.0, max(dy, 0.1) / 2.0
    corners = ((x - a, y - b), (x + a, y - b), (x + a, y + b), (x - a, y + b))
    return Room(id=node.id, name=node.label, aliases=node.aliases, polygon=corners)


def _site(node: SceneNode, graph: SceneGraph) -> SiteFixture:
    (x, y, z), (depth, width, height) = node.pose.position, node.size
    rooms = graph.targets(node.id, Relation.IN_ROOM)
    frame = Pose2(x=x, y=y, yaw=node.pose.yaw)
    if min(node.size) <= 0.0:
        return SiteFixture(node, rooms[0] if rooms else "", frame, base_pose=node.pose)
    area = Rectangle(min=(-depth / 2.0, -width / 2.0), max=(depth / 2.0, width / 2.0))
    low, high = z - height / 2.0, z + height / 2.0
    inside = Box3(
        min=(area.min[0] + _WALL, area.min[1] + _WALL, low),
        max=(area.max[0] - _WALL, area.max[1] - _WALL, high),
    )
    return SiteFixture(
        node=node,
        room=rooms[0] if rooms else "",
        frame=frame,
        footprint=area,
        height=high,
        shelves=(SupportSurface(high, area),),
        interior=inside if node.is_container else None,
    )
