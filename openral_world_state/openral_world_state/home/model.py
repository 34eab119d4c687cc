"""Static map of a home: rooms, furniture with its surfaces and containers, places to stand, and people."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property

from openral_core.geometry import Pose
from openral_core.home_map import Box3, Doorway, Opens, Pose2, Rectangle, Room
from openral_core.spatial_memory import SceneNode

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
class StaticMap:
    """Rooms, sites and agents by id; empty if nothing is known of the home."""

    areas: tuple[Area, ...] = ()
    sites: tuple[SiteFixture, ...] = ()
    agents: tuple[SceneNode, ...] = ()
    doorways: tuple[Doorway, ...] = ()

    @cached_property
    def by_id(self) -> Mapping[str, SiteFixture]:
        """Sites by id."""
        return {site.node.id: site for site in self.sites}

    @cached_property
    def nodes(self) -> Mapping[str, SceneNode]:
        """Every fixed node and agent by id."""
        parts = ((a.node for a in self.areas), (s.node for s in self.sites), self.agents)
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
        distance, _, site = min(near, default=(within + 1.0, "", None), key=lambda found: found[:2])
        return site if distance <= within else None
