"""The floor of a room while it is furnished: what stands on it and what must stay free."""

from dataclasses import dataclass, field

from openral_core.maps import Pose2, Rectangle

WALL = 0.05
"""Half of a wall's thickness, which it takes from the rooms on its sides, in [m]."""
_APART = 0.04


@dataclass
class Floor:
    """One room's floor; all rectangles in map in [m]."""

    area: Rectangle
    taken: list[Rectangle] = field(default_factory=list)
    free: list[Rectangle] = field(default_factory=list)

    @property
    def inside(self) -> Rectangle:
        """The floor between the walls."""
        (x0, y0), (x1, y1) = self.area.min, self.area.max
        return Rectangle(min=(x0 + WALL, y0 + WALL), max=(x1 - WALL, y1 - WALL))

    def fits(self, footprint: Rectangle, kept_free: Rectangle) -> bool:
        """Whether something may stand here and keep that floor before it free."""
        return (
            _within(footprint, self.inside)
            and _within(kept_free, self.inside)
            and not any(overlap(footprint, other, _APART) for other in self.taken)
            and not any(overlap(footprint, other) for other in self.free)
            and not any(overlap(kept_free, other) for other in self.taken)
        )

    def take(self, footprint: Rectangle, kept_free: Rectangle) -> None:
        """Let something stand here."""
        self.taken.append(footprint)
        self.free.append(kept_free)

    def room_at(self, x: float, y: float) -> float:
        """Distance from a point to the nearest wall or piece of furniture in [m]."""
        (x0, y0), (x1, y1) = self.inside.min, self.inside.max
        to_walls = min(x - x0, x1 - x, y - y0, y1 - y)
        return min([to_walls, *(_distance(other, x, y) for other in self.taken)])


def moved(rectangle: Rectangle, pose: Pose2) -> Rectangle:
    """A rectangle of a frame turned by whole quarters, in the parent's frame."""
    corners = [pose.to_parent(*corner) for corner in (rectangle.min, rectangle.max)]
    xs, ys = zip(*corners, strict=True)
    return Rectangle(min=(min(xs), min(ys)), max=(max(xs), max(ys)))


def overlap(a: Rectangle, b: Rectangle, gap: float = 0.0) -> bool:
    """Whether two rectangles come nearer than ``gap`` [m]; touching ones do not overlap."""
    return all(
        a.min[axis] < b.max[axis] + gap - 1e-6 and b.min[axis] < a.max[axis] + gap - 1e-6 for axis in (0, 1)
    )


def hull(*rectangles: Rectangle) -> Rectangle:
    """The smallest rectangle around others."""
    return Rectangle(
        min=(min(each.min[0] for each in rectangles), min(each.min[1] for each in rectangles)),
        max=(max(each.max[0] for each in rectangles), max(each.max[1] for each in rectangles)),
    )


def _within(inner: Rectangle, outer: Rectangle) -> bool:
    return outer.contains(*inner.min, margin=-1e-6) and outer.contains(*inner.max, margin=-1e-6)


def _distance(rectangle: Rectangle, x: float, y: float) -> float:
    dx = max(rectangle.min[0] - x, 0.0, x - rectangle.max[0])
    dy = max(rectangle.min[1] - y, 0.0, y - rectangle.max[1])
    return float((dx * dx + dy * dy) ** 0.5)
