"""Static map of a home: rooms, furniture with its surfaces and containers, places to stand, and people.

It is built from the map file, or from a stored scene graph if there is none.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property

from openral_core.geometry import Pose
from openral_core.home_map import (
    Appliance,
    Box3,
    Control,
    Doorway,
    Fixture,
    HomeMap,
    NoGoZone,
    Opens,
    Place,
    Pose2,
    Rectangle,
    Room,
)
from openral_core.spatial_memory import NodeKind, Relation, SceneGraph, SceneNode

Triple = tuple[float, float, float]


@dataclass(frozen=True)
class SupportSurface:
    """A horizontal area of a site, ``height`` [m] above the floor, in the site's own frame."""

    height: float
    area: Rectangle


@dataclass(frozen=True)
class SiteFixture:
    """A piece of furniture, or a spot on the floor, as a node with its geometry.

    Args:
        node: Kind place, or object for furniture that holds nothing.
        room: Id of the room it is in, "" when unknown.
        frame: On the floor at the middle of its footprint.
        footprint: In ``frame`` [m]; None for a spot on the floor.
        height: Of its body [m].
        shelves: Surfaces that support objects.
        interior: Volume of the container, in ``frame`` [m].
        opens: Kind of its door.
        drawn: Travel of a drawer between closed and wide open [m].
        base_pose: Pose of the robot's base to use it, if the map has one.
    """

    node: SceneNode
    room: str
    frame: Pose2
    footprint: Rectangle | None = None
    height: float = 0.0
    shelves: tuple[SupportSurface, ...] = ()
    interior: Box3 | None = None
    opens: Opens = "hinge"
    drawn: float = 0.0
    base_pose: Pose | None = None

    def encloses(self, point: Triple, margin: float = 0.02) -> bool:
        """Tell if a map point is inside its container volume, of a drawer in any position."""
        if self.interior is None:
            return False
        low, (x1, y1, z1) = self.interior.min, self.interior.max
        local = (*self.frame.to_local(point[0], point[1]), point[2])
        high = (x1 + self.drawn, y1, z1)
        return all(a - margin <= v <= b + margin for a, v, b in zip(low, local, high, strict=True))

    def shelf_under(self, point: Triple, bottom: float, reach: float = 0.08) -> SupportSurface | None:
        """Surface under an object at ``point`` with its lowest point at ``bottom`` [m], if any."""
        x, y = self.frame.to_local(point[0], point[1])
        under = [
            s for s in self.shelves if abs(bottom - s.height) <= reach and s.area.contains(x, y, margin=-0.05)
        ]
        return min(under, key=lambda shelf: abs(bottom - shelf.height), default=None)

    def distance(self, point: Triple) -> float:
        """Distance of a map point from the footprint on the floor plan [m]; 0 above or below it."""
        x, y = self.frame.to_local(point[0], point[1])
        low, high = (self.footprint.min, self.footprint.max) if self.footprint else ((0.0, 0.0), (0.0, 0.0))
        dx = max(low[0] - x, 0.0, x - high[0])
        dy = max(low[1] - y, 0.0, y - high[1])
        return float((dx * dx + dy * dy) ** 0.5)


MAX_COORDINATE = 1e6
"""Largest coordinate of a map [m]: beyond the reach of any map that a robot drives in."""


def is_on_map(point: Iterable[float]) -> bool:
    """Tell if coordinates are finite and within `MAX_COORDINATE`."""
    return all(abs(value) <= MAX_COORDINATE for value in point)


@dataclass(frozen=True)
class Area:
    """A room as a node, with its outline."""

    node: SceneNode
    outline: Room


@dataclass(frozen=True)
class FixturePart:
    """A part of a fixture: an appliance of it, or the control of an appliance.

    Args:
        node: Kind object; with an affordance if it is a control, whose face looks along its pose's x axis.
        of: Id of the fixture or appliance that it is part of.
        room: Id of the room it is in, "" when unknown.
    """

    node: SceneNode
    of: str
    room: str


@dataclass(frozen=True)
class StaticMap:
    """Rooms, sites and agents by id; empty if nothing is known of the home."""

    areas: tuple[Area, ...] = ()
    sites: tuple[SiteFixture, ...] = ()
    agents: tuple[SceneNode, ...] = ()
    doorways: tuple[Doorway, ...] = ()
    no_go_zones: tuple[NoGoZone, ...] = ()
    parts: tuple[FixturePart, ...] = ()

    @cached_property
    def by_id(self) -> Mapping[str, SiteFixture]:
        """Sites by id."""
        return {site.node.id: site for site in self.sites}

    @cached_property
    def nodes(self) -> Mapping[str, SceneNode]:
        """Every fixed node and agent by id."""
        parts = (
            (a.node for a in self.areas),
            (s.node for s in self.sites),
            self.agents,
            (p.node for p in self.parts),
        )
        return {node.id: node for part in parts for node in part}

    @cached_property
    def containers(self) -> tuple[SiteFixture, ...]:
        """Sites with an interior."""
        return tuple(site for site in self.sites if site.interior is not None)

    @property
    def base_poses(self) -> dict[str, Pose]:
        """Base pose of each site that has one, by id."""
        return {site.node.id: site.base_pose for site in self.sites if site.base_pose is not None}

    def room_at(self, point: Triple) -> str:
        """Id of the room that contains a map point, "" outside all rooms."""
        return next((a.node.id for a in self.areas if a.outline.contains(point[0], point[1])), "")

    def container_at(self, point: Triple) -> SiteFixture | None:
        """Container that encloses a map point; None if there is none."""
        return next((site for site in self.containers if site.encloses(point)), None)

    def support_of(self, point: Triple, bottom: float) -> SiteFixture | None:
        """Site that supports an object at ``point`` with its lowest point at ``bottom`` [m], if any."""
        return next((site for site in self.sites if site.shelf_under(point, bottom) is not None), None)

    def nearest_site(self, point: Triple, within: float) -> SiteFixture | None:
        """Nearest site of the same room on the floor plan, at most ``within`` [m] away, if any."""
        room = self.room_at(point)
        near = ((site.distance(point), site.node.id, site) for site in self.sites if site.room == room)
        distance, _, site = min(near, default=(within + 1.0, "", None), key=lambda entry: entry[:2])
        return site if distance <= within else None


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
        areas=tuple(Area(node_from_room(room.id, home, map_epoch), room) for room in home.rooms),
        sites=(
            *(site_from_fixture(fixture, served.get(fixture.id), map_epoch) for fixture in home.fixtures),
            *(site_from_place(place, map_epoch) for place in spots),
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
        no_go_zones=home.no_go_zones,
        parts=tuple(part for fixture in home.fixtures for part in parts_of(fixture, map_epoch)),
    )


def parts_of(fixture: Fixture, map_epoch: int) -> Iterator[FixturePart]:
    """Yield the controls of a fixture, and the appliances that are not the fixture itself."""
    for appliance in fixture.appliances:
        if appliance.id != fixture.id:
            low, high = appliance.lit.min, appliance.lit.max
            x, y, z = ((a + b) / 2.0 for a, b in zip(low, high, strict=True))
            size = (high[0] - low[0], high[1] - low[1], high[2] - low[2])
            node = _part_node(fixture, appliance, (x, y, z), 0.0, map_epoch)
            yield FixturePart(replace(node, size=size), fixture.id, fixture.room)
        control = appliance.control
        node = _part_node(fixture, control, control.at, control.yaw, map_epoch)
        yield FixturePart(replace(node, affordance=control.kind), appliance.id, fixture.room)


def _part_node(
    fixture: Fixture, part: Appliance | Control, at: Triple, yaw: float, map_epoch: int
) -> SceneNode:
    x, y = fixture.pose.to_parent(at[0], at[1])
    return SceneNode(
        id=part.id,
        kind=NodeKind.OBJECT,
        label=part.name,
        pose=Pose.planar(x, y, fixture.pose.yaw + yaw, at[2]),
        aliases=part.aliases,
        source=SOURCE,
        map_epoch=map_epoch,
    )


def node_from_room(room_id: str, home: HomeMap, map_epoch: int) -> SceneNode:
    """Convert a room to a node of its bounding rectangle."""
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


def site_from_fixture(fixture: Fixture, place: Place | None, map_epoch: int) -> SiteFixture:
    """Convert a fixture, with the place in front of it if any."""
    holds = bool(fixture.surfaces) or fixture.container is not None or place is not None
    names = (place.id, place.name, *place.aliases) if place else ()
    own = (name for each in fixture.appliances if each.id == fixture.id for name in each.aliases)
    frame = fixture.pose
    return SiteFixture(
        node=SceneNode(
            id=fixture.id,
            kind=NodeKind.PLACE if holds else NodeKind.OBJECT,
            label=fixture.name,
            pose=Pose.planar(frame.x, frame.y, frame.yaw, fixture.height / 2.0),
            size=(fixture.depth, fixture.width, fixture.height),
            aliases=tuple(dict.fromkeys((*fixture.aliases, *own, *names))),
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


def site_from_place(place: Place, map_epoch: int) -> SiteFixture:
    """Convert a place without furniture."""
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
    whole = {e.source: e.target for e in graph.edges if e.relation is Relation.PART_OF}
    fixed = [n for n in graph.of_kind(NodeKind.OBJECT) if n.source == SOURCE]
    places = [*graph.of_kind(NodeKind.PLACE), *(node for node in fixed if node.id not in whole)]
    rooms = {e.source: e.target for e in graph.edges if e.relation is Relation.IN_ROOM}
    return StaticMap(
        areas=tuple(area_from_node(node) for node in graph.of_kind(NodeKind.ROOM)),
        sites=tuple(site_from_node(node, graph) for node in places),
        agents=graph.of_kind(NodeKind.AGENT),
        parts=tuple(
            FixturePart(node, whole[node.id], rooms.get(node.id, "")) for node in fixed if node.id in whole
        ),
    )


def area_from_node(node: SceneNode) -> Area:
    """Convert a room of a graph: its bounding rectangle is its outline."""
    (x, y, _), (dx, dy, _) = node.pose.position, node.size
    a, b = max(dx, 0.1) / 2.0, max(dy, 0.1) / 2.0
    corners = ((x - a, y - b), (x + a, y - b), (x + a, y + b), (x - a, y + b))
    return Area(node, Room(id=node.id, name=node.label, aliases=node.aliases, polygon=corners))


def site_from_node(node: SceneNode, graph: SceneGraph) -> SiteFixture:
    """Convert a box of a graph: its top is a surface, a container has an interior."""
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
