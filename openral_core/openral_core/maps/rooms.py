"""Rooms, and the places in them where a robot can stand."""

from pydantic import PositiveFloat

from openral_core.documents import Document
from openral_core.maps.geometry import Point2, Polygon, Pose2


class Room(Document):
    """A room: its outline in the map frame [m]."""

    id: str
    name: str
    aliases: tuple[str, ...] = ()
    polygon: Polygon

    def contains(self, x: float, y: float) -> bool:
        """Whether a map point [m] lies inside the outline (even-odd rule)."""
        inside = False
        for (x1, y1), (x2, y2) in zip(self.polygon, self.polygon[1:] + self.polygon[:1], strict=True):
            if (y1 > y) != (y2 > y) and x < (x2 - x1) * (y - y1) / (y2 - y1) + x1:
                inside = not inside
        return inside


class Doorway(Document):
    """An opening in the wall two rooms share: its middle in the map frame and its width [m]."""

    id: str
    rooms: tuple[str, str]
    at: Point2
    width: PositiveFloat


class Place(Document):
    """A named standing pose of the robot's base in the map frame, and the fixture it faces."""

    id: str
    name: str
    aliases: tuple[str, ...] = ()
    room: str
    pose: Pose2
    looks_at: str | None = None
