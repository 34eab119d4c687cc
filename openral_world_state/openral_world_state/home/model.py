"""What does not move in a home, and the people in it."""
# MERGED Fixed things that others are on, in or near.

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property

from openral_core.geometry import Pose
from openral_core.home_map import Box3, Doorway, Opens, Pose2, Rectangle, Room
from openral_core.scene_graph import SceneNode

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
        footprint: In ``frame`` [m]; None for a mere spot.
        height: Of its body [m].
        shelves: Where things can lie on it.
        interior: What it encloses, in ``frame`` [m].
        opens: How what it encloses is opened.
        drawn: How far what it encloses comes out when it is wide open [m].
        standing: Where the robot stands to use it, when the map says so.
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
    standing: Pose | None = None

    def encloses(self, point: Triple, margin: float = 0.02) -> bool:
        """Whether a map point is inside its container volume, a drawer's drawn or shut."""
        if self.interior is None:
            return False
        low, (x1, y1, z1) = self.interior.min, self.interior.max
        local = (*self.frame.to_local(point[0], point[1]), point[2])
        high = (x1 + self.drawn, y1, z1)
        return all(a - margin <= v <= b + margin for a, v, b in zip(low, local, high, strict=True))

    def shelf_under(self, point: Triple, bottom: float, reach: float = 0.08) -> SupportSurface | None:
        """The shelf that a thing at ``point`` with its lowest point at ``bottom`` [m] lies on."""
        x, y = self.frame.to_local(point[0], point[1])
        under = [
            s for s in self.shelves if abs(bottom - s.height) <= reach and s.area.contains(x, y, margin=-0.05)
        ]
        return min(under, key=lambda shelf: abs(bottom - shelf.height), default=None)

    def distance(self, point: Triple) -> float:
        """From its footprint on the floor plan [m]; 0 above or below it."""
        x, y = self.frame.to_local(point[0], point[1])
        low, high = (self.footprint.min, self.footprint.max) if self.footprint else ((0.0, 0.0), (0.0, 0.0))
        dx = max(low[0] - x, 0.0, x - high[0])
        dy = max(low[1] - y, 0.0, y - high[1])
        return float((dx * dx + dy * dy) ** 0.5)


FARTHEST = 1e6
"""From the map's origin along an axis [m]: farther than any map of places that a robot drives to."""


def is_on_map(point: Iterable[float]) -> bool:
    """Whether coordinates can be those of a place; false for those that are not finite."""
    return all(abs(value) <= FARTHEST for value in point)


@dataclass(frozen=True)
class Area:
    """A room as a node, with its outline."""

    node: SceneNode
    outline: Room


@dataclass(frozen=True)
class StaticMap:
    """Rooms, sites and agents by id; empty when nothing is known of the home."""

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
        """Sites that enclose something."""
        return tuple(site for site in self.sites if site.interior is not None)

    def room_at(self, point: Triple) -> str:
        """Id of the room a map point is in, "" outside of all."""
        return next((a.node.id for a in self.areas if a.outline.contains(point[0], point[1])), "")

    def container_at(self, point: Triple) -> SiteFixture | None:
        """The container that encloses a map point."""
        return next((site for site in self.containers if site.encloses(point)), None)

    def support_of(self, point: Triple, bottom: float) -> SiteFixture | None:
        """The site that a thing at ``point`` with its lowest point at ``bottom`` [m] lies on."""
        return next((site for site in self.sites if site.shelf_under(point, bottom) is not None), None)

    def nearest_site(self, point: Triple, within: float) -> SiteFixture | None:
        """The site of the same room nearest on the floor plan, at most ``within`` [m] away."""
        room = self.room_at(point)
        near = ((site.distance(point), site.node.id, site) for site in self.sites if site.room == room)
        distance, _, site = min(near, default=(within + 1.0, "", None), key=lambda each: each[:2])
        return site if distance <= within else None
