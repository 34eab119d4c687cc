"""Appearance of a home: floors, walls, rugs, pictures, windows, rows of books, and light."""

from collections.abc import Iterator

import numpy as np

from openral_core.home_map import Fixture, Rectangle
from openral_sim.assets.materials import AppearanceName
from openral_sim.scene.schema import Light, Trim, Wall, WallOpening
from openral_training.homes.floor_plan import Border, FloorPlan
from openral_training.homes.furniture_placement import (
    FloorRegion,
    FurnishedHome,
    PlacedPiece,
    overlap,
    transformed,
)
from openral_training.homes.room_types import room_types

OUTER_WALL_OFFSET = 0.05
"""Distance of an outer wall's centre line outside its room's border [m]: half of the wall's thickness."""
TALL_FURNITURE = 1.3
"""Height from which furniture hides what hangs on the wall behind it [m]."""
WALL_MARGIN = 0.4
"""Smallest distance of a window or picture from the corners of its room [m]."""
HANGING_DEPTH = 0.03
"""Depth of a window or picture [m]."""
FURNITURE_GAP = 0.1
"""Smallest distance of a window or picture from tall furniture [m]."""
_RUGS: tuple[AppearanceName, ...] = ("rug_fabric", "blue_rug", "green_rug", "beige_fabric")
_PICTURES: tuple[AppearanceName, ...] = ("painting", "seascape", "night_scene")
_BOOKS: tuple[AppearanceName, ...] = (
    "sage",
    "navy",
    "graphite",
    "teal_fabric",
    "terracotta",
    "cream",
    "mint",
)
Hanging = tuple[AppearanceName, tuple[float, float], float]
"""A flat decoration on a wall: its appearance, its width and height [m], the height of its middle [m]."""
_WINDOW: Hanging = ("window", (1.2, 0.8), 1.85)
LIGHT_TINTS = ((1.0, 0.98, 0.95), (1.0, 0.93, 0.84), (0.92, 0.96, 1.0))
"""Red, green and blue of neutral, warm and cool light, each in [0, 1]."""


def sample_floors(rng: np.random.Generator, plan: FloorPlan) -> dict[str, AppearanceName]:
    """Sample the appearance of every room's floor."""
    return {room: _choose(rng, room_types()[room].floors) for room in plan.rooms}


def sample_walls(rng: np.random.Generator, plan: FloorPlan) -> Iterator[Wall]:
    """Yield a wall for every border; outer ones stand outside the rooms."""
    looks = {room: _choose(rng, room_types()[room].walls) for room in plan.rooms}
    for border in plan.borders:
        name = "_".join(border.rooms)
        if len(border.rooms) == 1:
            name += "_" + _compass_side(border)
        start, end = centre_line(border, plan.size)
        opening = None
        if border.doorway is not None:
            shift = border.start[border.along] - start[border.along]
            opening = WallOpening(at=round(border.doorway[0] + shift, 3), width=border.doorway[1])
        yield Wall(id=name, start=start, end=end, look=looks[border.rooms[0]], opening=opening)


def sample_trims(rng: np.random.Generator, plan: FloorPlan, home: FurnishedHome) -> Iterator[Trim]:
    """Yield windows, pictures, rugs and books."""
    for placed in home.pieces:
        if placed.piece.books:
            yield from book_row(rng, placed)
        if room_types()[placed.fixture.room].rug == placed.name:
            yield _rug(rng, placed.fixture)
    for room, floor in home.floors.items():
        tall = [
            transformed(placed.fixture.footprint, placed.fixture.pose)
            for placed in home.pieces
            if placed.fixture.room == room and placed.fixture.height > TALL_FURNITURE
        ]
        outer = [border for border in plan.borders if border.rooms == (room,)]
        picture: Hanging = (_choose(rng, _PICTURES), (0.9, 0.6), 1.7)
        for name, (look, size, height) in (("window", _WINDOW), ("picture", picture)):
            border = outer[rng.integers(len(outer))]
            area = _on_wall(rng, border, floor, size)
            if area is not None and not any(overlap(area, other, FURNITURE_GAP) for other in tall):
                yield _hung(f"{room}_{name}", look, area, size[1], height)


def sample_lights(rng: np.random.Generator, plan: FloorPlan) -> tuple[Light, ...]:
    """Sample one light from above that casts shadows, and two fill lights; warm, neutral or cool."""
    width, depth = plan.size
    tint = np.array(LIGHT_TINTS[rng.integers(len(LIGHT_TINTS))]) * float(rng.uniform(0.85, 1.12))
    lean = rng.uniform(-0.25, 0.25, 2)

    def light(x: float, y: float, to: tuple[float, float, float], strength: float, shadow: bool) -> Light:
        red, green, blue = (round(float(channel), 3) for channel in strength * tint)
        return Light(pos=(x, y, 5.0), dir=to, diffuse=(red, green, blue), shadow=shadow)

    down = (round(float(lean[0]), 3), round(float(lean[1]), 3), -1.0)
    return (
        light(width / 2, depth / 2, down, 0.33, shadow=True),
        light(0.0, 0.0, (0.7, 0.45, -0.4), 0.28, shadow=False),
        light(width, depth, (-0.6, -0.6, -0.4), 0.28, shadow=False),
    )


def _compass_side(border: Border) -> str:
    if border.along == 0:
        return "south" if border.start[1] == 0.0 else "north"
    return "west" if border.start[0] == 0.0 else "east"


def centre_line(border: Border, size: tuple[float, float]) -> tuple[tuple[float, float], tuple[float, float]]:
    """Return the ends of the centre line of a border's wall [m]."""
    if len(border.rooms) > 1:
        return border.start, border.end
    across = 1 - border.along
    out = -OUTER_WALL_OFFSET if border.start[across] == 0.0 else OUTER_WALL_OFFSET
    ends = [list(border.start), list(border.end)]
    for end, over in zip(ends, (-1, 1), strict=True):
        end[across] += out
        at_corner = end[border.along] in (0.0, size[border.along])
        end[border.along] += over * 2 * OUTER_WALL_OFFSET if at_corner else 0.0
    (x0, y0), (x1, y1) = ends
    return (round(x0, 3), round(y0, 3)), (round(x1, 3), round(y1, 3))


def _rug(rng: np.random.Generator, fixture: Fixture) -> Trim:
    x, y = fixture.pose.to_parent(fixture.depth / 2 + 0.55, 0.0)
    size = (round(float(rng.uniform(1.5, 1.9)), 2), round(float(rng.uniform(2.0, 2.4)), 2), 0.008)
    centre = (round(x, 3), round(y, 3), 0.004)
    look, yaw = _choose(rng, _RUGS), fixture.pose.yaw
    return Trim(id=f"{fixture.id}_rug", look=look, centre=centre, size=size, yaw=yaw)


def book_row(rng: np.random.Generator, shelf: PlacedPiece) -> Iterator[Trim]:
    """Yield a row of books on every shelf that has books."""
    fixture = shelf.fixture
    for surface_id in shelf.piece.books:
        surface = fixture.surface(surface_id)
        y, end = surface.area.min[1] + 0.04, surface.area.min[1] + float(rng.uniform(0.45, 0.8))
        number = 0
        while y < min(end, surface.area.max[1] - 0.05):
            thick, tall = (round(float(rng.uniform(*span)), 3) for span in ((0.026, 0.046), (0.19, 0.26)))
            u, v = fixture.pose.to_parent(surface.area.min[0] + 0.1, y + thick / 2)
            yield Trim(
                id=f"{fixture.id}_{surface_id}_book_{number}",
                look=_choose(rng, _BOOKS),
                centre=(round(u, 3), round(v, 3), round(surface.z + tall / 2, 3)),
                size=(0.15, thick, tall),
                yaw=fixture.pose.yaw,
            )
            y, number = y + thick + 0.002, number + 1


def _on_wall(
    rng: np.random.Generator, border: Border, floor: FloorRegion, size: tuple[float, float]
) -> Rectangle | None:
    """Sample the floor area under a flat decoration on an outer wall; None if the wall is too short."""
    along, across = border.along, 1 - border.along
    low, high = border.start[along] + WALL_MARGIN, border.end[along] - WALL_MARGIN - size[0]
    if high < low:
        return None
    at = round(float(rng.uniform(low, high)), 2)
    face = border.start[across]
    inner = HANGING_DEPTH if face == floor.area.min[across] else -HANGING_DEPTH
    near, far = sorted((face, round(face + inner, 3)))
    corners = ((at, near), (at + size[0], far))
    if along == 1:
        corners = ((near, at), (far, at + size[0]))
    return Rectangle(min=corners[0], max=corners[1])


def _hung(name: str, look: AppearanceName, under: Rectangle, tall: float, height: float) -> Trim:
    (x0, y0), (x1, y1) = under.min, under.max
    centre = (round((x0 + x1) / 2, 3), round((y0 + y1) / 2, 3), height)
    return Trim(id=name, look=look, centre=centre, size=(round(x1 - x0, 3), round(y1 - y0, 3), tall))


def _choose(rng: np.random.Generator, looks: tuple[AppearanceName, ...]) -> AppearanceName:
    return looks[rng.integers(len(looks))]
