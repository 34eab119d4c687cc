"""Picture of a home's map, on the occupancy of its floor if that is known."""

from collections.abc import Sequence
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

from openral_core.arrays import Array, Image, Points
from openral_core.errors import OpenRALError
from openral_core.floor_map import FREE, OCCUPIED, FloorMap
from openral_core.home_map import HomeMap, Pose2

Colour = tuple[int, int, int]
PIXELS_PER_METRE = 80.0
"""Scale of the picture [px/m]: names are readable, and a home of 20 m fits a screen."""
MAX_SIDE = 6_000
"""Largest side of the picture [px]; larger homes are drawn smaller."""
_MARGIN = 0.5
"""Margin around the rooms [m]."""
_ROOMS: tuple[Colour, ...] = (
    (214, 232, 250),
    (222, 244, 222),
    (250, 232, 214),
    (240, 224, 244),
    (226, 246, 248),
    (246, 242, 214),
)
"""Floors of rooms, in turn [BGR]."""
_INK: Colour = (40, 36, 32)
"""Walls and letters [BGR]."""
_FURNITURE: Colour = (120, 150, 180)
"""Outlines of furniture [BGR]."""
_DOORWAY: Colour = (60, 170, 60)
"""Doorways [BGR]."""
_PLACE: Colour = (190, 90, 30)
"""Places to stand [BGR]."""
_PERSON: Colour = (40, 40, 200)
"""People [BGR]."""
_NO_GO: Colour = (70, 70, 230)
"""No-go zones [BGR]."""
_SHADES = {FREE: 0, OCCUPIED: 120}
"""Darkening of free and occupied cells on a known floor."""


class PictureNotWritten(OpenRALError):
    """A picture that cannot be written where it was asked for."""

    def __init__(self, path: Path, error: OSError) -> None:
        super().__init__(f"{path} cannot be written: {error}")


class _Canvas:
    """Picture in the map frame: x to the right, y up."""

    def __init__(self, low: Array, high: Array) -> None:
        self._low, size = low - _MARGIN, high - low + 2.0 * _MARGIN
        self._scale = min(PIXELS_PER_METRE, MAX_SIDE / float(size.max()))
        self._height = int(np.ceil(size[1] * self._scale))
        self.image: Image = np.full((self._height, int(np.ceil(size[0] * self._scale)), 3), 255, np.uint8)

    def pixels(self, points: Points) -> NDArray[np.int32]:
        scaled = (points - self._low) * self._scale
        scaled[..., 1] = self._height - scaled[..., 1]
        return np.round(scaled).astype(np.int32)

    def polygon(self, points: Sequence[tuple[float, float]], fill: Colour | None, edge: Colour) -> None:
        corners = self.pixels(np.array(points, np.float64))
        if fill is not None:
            cv2.fillPoly(self.image, [corners], fill)
        cv2.polylines(self.image, [corners], isClosed=True, color=edge, thickness=1, lineType=cv2.LINE_AA)

    def arrow(self, pose: Pose2, colour: Colour) -> None:
        start, end = self.pixels(np.array([(pose.x, pose.y), pose.to_parent(0.3, 0.0)])).tolist()
        cv2.circle(self.image, start, 5, colour, -1, cv2.LINE_AA)
        cv2.arrowedLine(self.image, start, end, colour, 2, cv2.LINE_AA, tipLength=0.4)

    def text(self, words: str, x: float, y: float, size: float = 0.42) -> None:
        width = cv2.getTextSize(words, cv2.FONT_HERSHEY_SIMPLEX, size, 1)[0][0]
        column, row = self.pixels(np.array([x, y])).tolist()
        at = (int(np.clip(column - width // 2, 2, max(2, self.image.shape[1] - width - 2))), row)
        cv2.putText(self.image, words, at, cv2.FONT_HERSHEY_SIMPLEX, size, _INK, 1, cv2.LINE_AA)


def draw_home(home: HomeMap, floor_map: FloorMap | None = None) -> Image:
    """Draw rooms, doorways, furniture, places, people and no-go zones with their names, as BGR."""
    corners = np.array([corner for room in home.rooms for corner in room.polygon])
    canvas = _Canvas(corners.min(axis=0), corners.max(axis=0))
    for number, room in enumerate(home.rooms):
        canvas.polygon(room.polygon, _ROOMS[number % len(_ROOMS)], _INK)
    if floor_map is not None:
        _darken(canvas, floor_map)
    for draw in (_draw_furniture, _draw_zones, _draw_poses, _draw_names):
        draw(canvas, home)
    return canvas.image


def _draw_furniture(canvas: _Canvas, home: HomeMap) -> None:
    for fixture in home.fixtures:
        canvas.polygon(fixture.corners(), _FURNITURE, _INK)
        front = fixture.pose.to_parent(fixture.depth / 2.0, 0.0)
        cv2.circle(canvas.image, canvas.pixels(np.array(front)).tolist(), 3, _INK, -1, cv2.LINE_AA)


def _draw_zones(canvas: _Canvas, home: HomeMap) -> None:
    for zone in home.no_go_zones:
        canvas.polygon(zone.polygon, None, _NO_GO)
        canvas.text(f"no go: {zone.name}", *np.mean(zone.polygon, axis=0).tolist())
    for doorway in home.doorways:
        at = canvas.pixels(np.array(doorway.at)).tolist()
        cv2.circle(canvas.image, at, 7, _DOORWAY, 2, cv2.LINE_AA)


def _draw_poses(canvas: _Canvas, home: HomeMap) -> None:
    for place in home.places:
        canvas.arrow(place.pose, _PLACE)
    for agent in home.agents:
        canvas.arrow(agent.pose, _PERSON)
        canvas.text(agent.name, agent.pose.x, agent.pose.y - 0.25)


def _draw_names(canvas: _Canvas, home: HomeMap) -> None:
    for fixture in home.fixtures:
        canvas.text(fixture.name, fixture.pose.x, fixture.pose.y)
    for room in home.rooms:
        middle = np.mean([np.min(room.polygon, axis=0), np.max(room.polygon, axis=0)], axis=0).tolist()
        canvas.text(room.name, middle[0], middle[1], 0.7)


def write_picture(image: Image, path: Path) -> None:
    """Write a picture as PNG.

    Raises:
        PictureNotWritten: If the folder does not exist or cannot be written to.
    """
    encoded = cv2.imencode(".png", image)[1]
    try:
        path.write_bytes(encoded.tobytes())
    except OSError as error:
        raise PictureNotWritten(path, error) from error


def _darken(canvas: _Canvas, floor_map: FloorMap) -> None:
    """Shade the cells that are not free; unknown ones less than occupied ones."""
    rows, columns = np.meshgrid(*map(np.arange, canvas.image.shape[:2]), indexing="ij")
    origin = canvas.pixels(np.zeros(2)).astype(np.float64)
    unit = canvas.pixels(np.array([10.0, 0.0])).astype(np.float64) - origin
    points = np.stack((columns - origin[0], origin[1] - rows), axis=-1) * (10.0 / unit[0])
    cells = floor_map.cell(points)
    inside = ((cells >= 0) & (cells < floor_map.cells.shape)).all(axis=-1)
    values = np.full(inside.shape, -1, np.int16)
    values[inside] = floor_map.cells[cells[inside][:, 0], cells[inside][:, 1]]
    shade = np.select([values == value for value in _SHADES], list(_SHADES.values()), 35)
    canvas.image = np.clip(canvas.image.astype(np.int16) - shade[..., None], 0, 255).astype(np.uint8)
