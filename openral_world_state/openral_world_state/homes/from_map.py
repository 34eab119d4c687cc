"""A home as its map file describes it."""

from openral_core.geometry import Pose
from openral_core.maps import Fixture, HomeMap, Place
from openral_core.scene_graph import NodeKind, SceneNode
from openral_world_state.homes.home import Area, Home
from openral_world_state.homes.sites import Shelf, Site

SOURCE = "map"


def home_of_map(home: HomeMap, map_epoch: int = 0) -> Home:
    """Rooms, sites and agents of a map.

    A place to stand that looks at a fixture becomes that fixture's standing pose, and its names the
    fixture's: the two are one thing to go to.
    """
    served = {place.looks_at: place for place in home.places if place.looks_at}
    spots = (place for place in home.places if not place.looks_at)
    return Home(
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
                size=(0.5, 0.5, agent.height),
                aliases=agent.aliases,
                source=SOURCE,
                map_epoch=map_epoch,
            )
            for agent in home.agents
        ),
        doorways=home.doorways,
    )


def _room(room_id: str, home: HomeMap, map_epoch: int) -> SceneNode:
    room = next(each for each in home.rooms if each.id == room_id)
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


def _fixture(fixture: Fixture, place: Place | None, map_epoch: int) -> Site:
    holds = bool(fixture.surfaces) or fixture.container is not None or place is not None
    names = (place.id, place.name, *place.aliases) if place else ()
    frame = fixture.pose
    return Site(
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
        shelves=tuple(Shelf(surface.z, surface.area) for surface in fixture.surfaces),
        interior=fixture.container.interior if fixture.container else None,
        opens=fixture.container.opens if fixture.container else "hinge",
        drawn=fixture.container.drawn if fixture.container else 0.0,
        standing=_standing(place) if place else None,
    )


def _spot(place: Place, map_epoch: int) -> Site:
    node = SceneNode(
        id=place.id,
        kind=NodeKind.PLACE,
        label=place.name,
        pose=_standing(place),
        aliases=place.aliases,
        source=SOURCE,
        map_epoch=map_epoch,
    )
    return Site(node, place.room, place.pose, standing=_standing(place))


def _standing(place: Place) -> Pose:
    return Pose.planar(place.pose.x, place.pose.y, place.pose.yaw)
