"""Looks drawn for a home: floors, walls, rugs, pictures, windows, rows of books, light."""

from collections.abc import Iterator

import numpy as np

from openral_core.home_map import Fixture, Rectangle
from openral_sim.assets.materials import LookName
from openral_sim.procedural.floor_plan import Border, FloorPlan
from openral_sim.procedural.furniture_placement import (
    FloorRegion,
    FurnishedHome,
    FurnishingSampler,
    moved,
    overlap,
)
from openral_sim.procedural.room_types import room_types
from openral_sim.scene.schema import Light, Trim, Wall, WallOpening

_OUTSIDE = 0.05
_TALL = 1.3
_RUGS: tuple[LookName, ...] = ("rug_fabric", "blue_rug", "green_rug", "beige_fabric")
_PICTURES: tuple[LookName, ...] = ("painting", "seascape", "night_scene")
_BOOKS: tuple[LookName, ...] = ("sage", "navy", "graphite", "teal_fabric", "terracotta", "cream", "mint")
Hanging = tuple[LookName, tuple[float, float], float]
"""Something flat on a wall: its look, its width and height, and the height of its middle in [m]."""
_WINDOW: Hanging = ("window", (1.2, 0.8), 1.85)
_TINTS = ((1.0, 0.98, 0.95), (1.0, 0.93, 0.84), (0.92, 0.96, 1.0))


def floor_looks(rng: np.random.Generator, layout: FloorPlan) -> dict[str, LookName]:
    """A covering for every room's floor."""
    return {room: _one_of(rng, room_types()[room].floors) for room in layout.rooms}


def walls(rng: np.random.Generator, layout: FloorPlan) -> Iterator[Wall]:
    """A wall in every border; outer ones stand outside the rooms."""
    looks = {room: _one_of(rng, room_types()[room].walls) for room in layout.rooms}
    for border in layout.borders:
        name = "_".join(border.rooms)
        if len(border.rooms) == 1:
            name += "_" + _side(border)
        start, end = _shifted(border, layout.size)
        opening = None
        if border.doorway is not None:
            shift = border.start[border.along] - start[border.along]
            opening = WallOpening(at=round(border.doorway[0] + shift, 3), width=border.doorway[1])
        yield Wall(id=name, start=start, end=end, look=looks[border.rooms[0]], opening=opening)


def trims(rng: np.random.Generator, layout: FloorPlan, home: FurnishedHome) -> Iterator[Trim]:
    """What hangs on walls, lies on floors and fills shelves."""
    for each in home.furnishings:
        if each.piece.books:
            yield from _books(rng, each)
        if room_types()[each.fixture.room].rug == each.name:
            yield _rug(rng, each.fixture)
    for room, floor in home.floors.items():
        tall = [f.fixture for f in home.furnishings if f.fixture.room == room and f.fixture.height > _TALL]
        outer = [border for border in layout.borders if border.rooms == (room,)]
        for name, (look, size, height) in (("window", _WINDOW), ("picture", _picture(rng))):
            border = outer[rng.integers(len(outer))]
            trim = _on_wall(rng, border, floor, size)
            if trim is not None and not any(overlap(trim, _covered(other), 0.1) for other in tall):
                yield _hung(f"{room}_{name}", look, trim, size[1], height)


def lights(rng: np.random.Generator, layout: FloorPlan) -> tuple[Light, ...]:
    """One light from above that casts shadows and two that fill; warm, neutral or cool."""
    width, depth = layout.size
    tint = np.array(_TINTS[rng.integers(len(_TINTS))]) * float(rng.uniform(0.85, 1.12))
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


def _side(border: Border) -> str:
    if border.along == 0:
        return "south" if border.start[1] == 0.0 else "north"
    return "west" if border.start[0] == 0.0 else "east"


def _shifted(border: Border, size: tuple[float, float]) -> tuple[tuple[float, float], tuple[float, float]]:
    """The middle line of a border's wall."""
    if len(border.rooms) > 1:
        return border.start, border.end
    across = 1 - border.along
    out = -_OUTSIDE if border.start[across] == 0.0 else _OUTSIDE
    ends = [list(border.start), list(border.end)]
    for end, over in zip(ends, (-1, 1), strict=True):
        end[across] += out
        at_corner = end[border.along] in (0.0, size[border.along])
        end[border.along] += over * 2 * _OUTSIDE if at_corner else 0.0
    (x0, y0), (x1, y1) = ends
    return (round(x0, 3), round(y0, 3)), (round(x1, 3), round(y1, 3))


def _rug(rng: np.random.Generator, before: Fixture) -> Trim:
    x, y = before.pose.to_parent(before.depth / 2 + 0.55, 0.0)
    size = (round(float(rng.uniform(1.5, 1.9)), 2), round(float(rng.uniform(2.0, 2.4)), 2), 0.008)
    centre = (round(x, 3), round(y, 3), 0.004)
    look, yaw = _one_of(rng, _RUGS), before.pose.yaw
    return Trim(id=f"{before.id}_rug", look=look, centre=centre, size=size, yaw=yaw)


def _books(rng: np.random.Generator, shelf: FurnishingSampler) -> Iterator[Trim]:
    """A row of books on every shelf that is filled with them."""
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
                look=_one_of(rng, _BOOKS),
                centre=(round(u, 3), round(v, 3), round(surface.z + tall / 2, 3)),
                size=(0.15, thick, tall),
                yaw=fixture.pose.yaw,
            )
            y, number = y + thick + 0.002, number + 1


def _on_wall(
    rng: np.random.Generator, border: Border, floor: FloorRegion, size: tuple[float, float]
) -> Rectangle | None:
    """The floor under something flat that hangs on an outer wall; None if the wall is too short."""
    along, across = border.along, 1 - border.along
    low, high = border.start[along] + 0.4, border.end[along] - 0.4 - size[0]
    if high < low:
        return None
    at = round(float(rng.uniform(low, high)), 2)
    face = border.start[across]
    inner = 0.03 if face == floor.area.min[across] else -0.03
    near, far = sorted((face, round(face + inner, 3)))
    corners = ((at, near), (at + size[0], far))
    if along == 1:
        corners = ((near, at), (far, at + size[0]))
    return Rectangle(min=corners[0], max=corners[1])


def _hung(name: str, look: LookName, under: Rectangle, tall: float, height: float) -> Trim:
    (x0, y0), (x1, y1) = under.min, under.max
    centre = (round((x0 + x1) / 2, 3), round((y0 + y1) / 2, 3), height)
    return Trim(id=name, look=look, centre=centre, size=(round(x1 - x0, 3), round(y1 - y0, 3), tall))


def _picture(rng: np.random.Generator) -> Hanging:
    return _one_of(rng, _PICTURES), (0.9, 0.6), 1.7


def _covered(fixture: Fixture) -> Rectangle:
    return moved(fixture.footprint, fixture.pose)


def _one_of(rng: np.random.Generator, looks: tuple[LookName, ...]) -> LookName:
    return looks[rng.integers(len(looks))]
