"""Fixed things that others are on, in or near."""

from dataclasses import dataclass

from openral_core.geometry import Pose
from openral_core.maps import Opens
from openral_core.maps.geometry import Box, Pose2, Rectangle
from openral_core.scene_graph import SceneNode

Triple = tuple[float, float, float]


@dataclass(frozen=True)
class Shelf:
    """A horizontal area of a site, ``height`` [m] above the floor, in the site's own frame."""

    height: float
    area: Rectangle


@dataclass(frozen=True)
class Site:
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
    shelves: tuple[Shelf, ...] = ()
    interior: Box | None = None
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

    def shelf_under(self, point: Triple, bottom: float, reach: float = 0.08) -> Shelf | None:
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
