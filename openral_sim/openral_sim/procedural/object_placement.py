"""Things drawn onto the surfaces of a furnished home and into its containers."""
# MERGED What is out of sight: things in shut containers.

from collections.abc import Iterator
from dataclasses import dataclass
from math import hypot, inf, pi

import numpy as np

from openral_core.home_map import Fixture, Surface
from openral_sim.assets.objects.builder import ColourName, ObjectKind
from openral_sim.assets.objects.catalogue import KINDS
from openral_sim.procedural.furniture_placement import FurnishingSampler
from openral_sim.scene.scene import Scene
from openral_sim.scene.schema import ObjectPlacement, Side


@dataclass(frozen=True)
class Whereabouts:
    """Where a thing of a scene is.

    Attributes:
        phrase: What it is called; unique in a drawn home.
        graspable: Whether the gripper can take it.
        hidden_in: The id of the container that must be opened to see it, "" if it lies open.
    """

    id: str
    phrase: str
    graspable: bool
    room: str
    fixture: str
    surface: str
    hidden_in: str


def is_hidden(fixture: Fixture, surface: Surface) -> bool:
    """Whether what lies on a surface is out of sight while its fixture is shut."""
    container = fixture.container
    if container is None or not container.occludes_contents:
        return False
    return container.interior.min[2] - 1e-6 <= surface.z < container.interior.max[2]


def whereabouts(scene: Scene) -> tuple[Whereabouts, ...]:
    """Where every thing of a scene is at the start."""
    found = []
    for placement in scene.document.objects:
        fixture, surface = scene.spot(placement)
        kind = KINDS[placement.kind]
        found.append(
            Whereabouts(
                id=placement.id,
                phrase=f"{placement.colour} {kind.noun}" if placement.colour else kind.noun,
                graspable=kind.graspable,
                room=fixture.room,
                fixture=fixture.id,
                surface=surface.id,
                hidden_in=fixture.id if is_hidden(fixture, surface) else "",
            )
        )
    return tuple(found)


Variant = tuple[str, ColourName | None]
_TRIES = 60
_APART = 0.075
_OVERHEAD = 0.06
_IN_REACH, _IN_REACH_INSIDE = 0.28, 0.21
_PAST_MIDDLE = 0.03
_REACHABLE, _REACHABLE_INSIDE = (0.40, 1.02), (0.55, 1.0)
"""Heights the hand takes things from in the open, and out of containers, in [m]."""
_SETTLED_TURN = 0.4
_ROUND = 0.02
_COLOURS: dict[str, tuple[ColourName, ...]] = {
    "mug": ("red", "blue", "green", "yellow", "white"),
    "book": ("green", "red", "blue"),
    "bowl": ("white", "blue", "yellow"),
    "vase": ("blue", "green", "white"),
    "toy_car": ("red", "blue", "yellow"),
}
_VARIANTS: tuple[Variant, ...] = tuple(
    (name, colour) for name in KINDS for colour in _COLOURS.get(name, (None,))
)
_STAPLES: tuple[Variant, ...] = (
    ("baguette", None),
    ("wine_bottle", None),
    ("wine_glass", None),
    ("mug", "red"),
    ("can", None),
    ("bowl", "white"),
)
"""What every home has, if there is room."""


@dataclass(frozen=True)
class Spot:
    """A surface of a piece of furniture and the free height over it in [m]."""

    furnishing: FurnishingSampler
    surface: Surface
    headroom: float

    @property
    def fixture(self) -> Fixture:
        """What the surface belongs to."""
        return self.furnishing.fixture

    def welcomes(self, kind: ObjectKind) -> bool:
        """Whether a kind is kept here, has the height it needs, and is in reach if it can be taken."""
        kept = {self.furnishing.name, self.fixture.kind} & set(kind.kept)
        low, high = _REACHABLE if self.headroom == inf else _REACHABLE_INSIDE
        in_reach = not kind.graspable or low <= self.surface.z <= high
        return bool(kept) and in_reach and kind.size[2] + _OVERHEAD < self.headroom


def spots(furnishings: list[FurnishingSampler]) -> Iterator[Spot]:
    """Every surface of a home that is not filled with books."""
    for each in furnishings:
        for surface in each.fixture.surfaces:
            if surface.id not in each.piece.books:
                yield Spot(each, surface, _headroom(each.fixture, surface))


def stock(
    rng: np.random.Generator, furnishings: list[FurnishingSampler], most: int
) -> tuple[ObjectPlacement, ...]:
    """Draw at most so many things; staples first, then one on every hidden surface."""
    everywhere = list(spots(furnishings))
    placed: list[ObjectPlacement] = []
    for variant in _STAPLES:
        _put_one(rng, everywhere, placed, (variant,))
    hidden = [spot for spot in everywhere if is_hidden(spot.fixture, spot.surface)]
    for spot in hidden:
        _put_one(rng, [spot], placed)
    for _ in range(most - len(placed)):
        _put_one(rng, everywhere, placed)
    return tuple(placed)


def _put_one(
    rng: np.random.Generator,
    where: list[Spot],
    placed: list[ObjectPlacement],
    wanted: tuple[Variant, ...] = _VARIANTS,
) -> None:
    """Draw a thing the home does not have yet and a free place for it; nothing if none is found."""
    there = {(each.kind, each.colour) for each in placed}
    shuffled = [wanted[index] for index in rng.permutation(len(wanted))]
    fresh = {name: (name, colour) for name, colour in shuffled if (name, colour) not in there}
    choices = [(fresh[name], spot) for name in fresh for spot in where if spot.welcomes(KINDS[name])]
    for index in rng.permutation(len(choices))[:_TRIES]:
        variant, spot = choices[index]
        placement = _placed(rng, variant, spot, placed)
        if placement is not None:
            placed.append(placement)
            return


def _placed(
    rng: np.random.Generator, variant: Variant, spot: Spot, placed: list[ObjectPlacement]
) -> ObjectPlacement | None:
    """A placement away from what lies on the same surface; None if this try found none."""
    name, colour = variant
    at = _point(rng, KINDS[name], spot)
    if at is None:
        return None
    reach = _radius(KINDS[name]) + _APART
    beside = (each for each in placed if (each.fixture, each.surface) == (spot.fixture.id, spot.surface.id))
    if any(_apart(at, other.at) < reach + _radius(KINDS[other.kind]) for other in beside):
        return None
    return ObjectPlacement(
        id=f"{colour}_{name}" if colour else name,
        kind=name,
        colour=colour,
        fixture=spot.fixture.id,
        surface=spot.surface.id,
        at=at,
        yaw=_yaw(rng, KINDS[name]),
    )


def _point(rng: np.random.Generator, kind: ObjectKind, spot: Spot) -> tuple[float, float] | None:
    """A point of the surface that leaves the thing on it, near the front if it is to be taken."""
    half_depth, half_width = kind.size[0] / 2 + _ROUND, _radius(kind)
    low_x, high_x = spot.surface.area.min[0] + half_depth, spot.surface.area.max[0] - half_depth
    low_y, high_y = spot.surface.area.min[1] + half_width, spot.surface.area.max[1] - half_width
    if kind.graspable:
        inside = spot.headroom < inf
        low_x = max(low_x, spot.fixture.depth / 2 - (_IN_REACH_INSIDE if inside else _IN_REACH))
        if inside and spot.fixture.container and spot.fixture.container.opens == "hinge":
            low_y, high_y = _clear_of_door(low_y, high_y, spot.furnishing.style.hinge)
    if low_x > high_x or low_y > high_y:
        return None
    return round(float(rng.uniform(low_x, high_x)), 3), round(float(rng.uniform(low_y, high_y)), 3)


def _clear_of_door(low: float, high: float, hinge: Side) -> tuple[float, float]:
    """Where along a shelf the hand gets by the open door."""
    return (low, min(high, _PAST_MIDDLE)) if hinge == "right" else (max(low, -_PAST_MIDDLE), high)


def _yaw(rng: np.random.Generator, kind: ObjectKind) -> float:
    """Round things stand any way; long ones lie about along the front, and what has a face shows it."""
    is_round = abs(kind.size[0] - kind.size[1]) < 0.005
    turn = pi if is_round else _SETTLED_TURN * min(1.0, kind.size[0] / kind.size[1])
    return round(float(rng.uniform(-turn, turn)), 3)


def _apart(a: tuple[float, float], b: tuple[float, float]) -> float:
    return hypot(a[0] - b[0], a[1] - b[1])


def _radius(kind: ObjectKind) -> float:
    return max(kind.size[0], kind.size[1]) / 2


def _headroom(fixture: Fixture, surface: Surface) -> float:
    """Free height over a surface in [m]: up to the next board of its container, or without end."""
    container = fixture.container
    if container is None or not container.interior.min[2] <= surface.z < container.interior.max[2]:
        return inf
    boards = [other.z for other in fixture.surfaces if other.z > surface.z]
    return min([container.interior.max[2], *boards]) - surface.z - 0.02
