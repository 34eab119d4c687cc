"""Placement of objects on the surfaces of a furnished home and in its containers."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from math import dist, inf, pi

import numpy as np

from openral_core.home_map import Fixture, Surface
from openral_sim.assets.materials import Side
from openral_sim.assets.objects.builder import ColourName, ObjectKind
from openral_sim.assets.objects.catalogue import KINDS
from openral_sim.scene.object_locations import is_hidden
from openral_sim.scene.schema import ObjectPlacement
from openral_training.homes.furniture_placement import PlacedPiece
from openral_training.homes.room_types import Span

Variant = tuple[str, ColourName | None]
"""A kind of object and its colour; None for the kind's own."""


@dataclass(frozen=True)
class ObjectPlacementConfig:
    """Settings of the placement of objects, matched to the reach of the robot's arm."""

    attempts: int = 60  # Number of places tried for an object before it is left out.
    object_gap: float = 0.075  # Smallest distance between objects on one surface [m].
    edge_gap: float = 0.02  # Smallest distance of an object from the front and back of its surface [m].
    headroom: float = 0.06  # Free height wanted above an object in a container [m].
    board: float = 0.02  # Thickness of the board above a surface in a container, with a margin [m].
    reach: float = 0.28  # Largest distance of a graspable object from the front of open furniture [m].
    reach_inside: float = 0.21  # Largest distance of a graspable object from the front of a container [m].
    beyond_middle: float = 0.03  # Distance past the middle of a shelf, to the hinge side, within reach [m].
    # Bounds of the height of surfaces from which the hand grasps in the open [m].
    heights: Span = (0.40, 1.02)
    # Bounds of the height of surfaces from which the hand grasps in containers [m].
    heights_inside: Span = (0.55, 1.0)
    # Largest rotation of a square object that shows its face [rad]; less for elongated ones.
    max_yaw: float = 0.4
    # Difference of length and width up to which an object counts as round [m].
    round_tolerance: float = 0.005


PLACEMENT = ObjectPlacementConfig()
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
"""Objects that every home has if they fit."""


@dataclass(frozen=True)
class ObjectChoice:
    """Deviations from the objects that a home usually has."""

    without: tuple[str, ...] = ()  # Kinds that it does not have.
    # Number of further objects in the open, where they are not kept and perhaps out of reach.
    misplaced: int = 0


@dataclass(frozen=True)
class Spot:
    """A surface of a piece of furniture, and the free height above it [m]."""

    placed: PlacedPiece
    surface: Surface
    headroom: float

    @property
    def fixture(self) -> Fixture:
        """Fixture that has the surface."""
        return self.placed.fixture

    def accepts(self, kind: ObjectKind) -> bool:
        """Return True if a kind is kept here, fits under the next board, and can be reached to grasp it."""
        allowed = {self.placed.name, self.fixture.kind} & set(kind.kept)
        low, high = PLACEMENT.heights if self.headroom == inf else PLACEMENT.heights_inside
        in_reach = not kind.graspable or low <= self.surface.z <= high
        return bool(allowed) and in_reach and self.has_room_for(kind)

    def has_room_for(self, kind: ObjectKind) -> bool:
        """Return True if a kind fits under the next board."""
        return kind.size[2] + PLACEMENT.headroom < self.headroom


def spots(pieces: list[PlacedPiece]) -> Iterator[Spot]:
    """Yield every surface of a home that is not filled with books."""
    for placed in pieces:
        for surface in placed.fixture.surfaces:
            if surface.id not in placed.piece.books:
                yield Spot(placed, surface, _headroom(placed.fixture, surface))


def place_objects(
    rng: np.random.Generator, pieces: list[PlacedPiece], max_objects: int, choice: ObjectChoice | None = None
) -> tuple[ObjectPlacement, ...]:
    """Sample objects: the staples, one on every hidden surface, any others, then misplaced ones."""
    choice = choice or ObjectChoice()
    everywhere = list(spots(pieces))
    placed: list[ObjectPlacement] = []
    for variant in _STAPLES:
        if variant[0] not in choice.without:
            _put_one(rng, everywhere, placed, (variant,))
    variants = tuple(variant for variant in _VARIANTS if variant[0] not in choice.without)
    hidden = [spot for spot in everywhere if is_hidden(spot.fixture, spot.surface)]
    for spot in hidden:
        _put_one(rng, [spot], placed, variants)
    for _ in range(max_objects - len(placed)):
        _put_one(rng, everywhere, placed, variants)
    in_the_open = [spot for spot in everywhere if not is_hidden(spot.fixture, spot.surface)]
    for _ in range(choice.misplaced):
        _put_one(rng, in_the_open, placed, variants, Spot.has_room_for)
    return tuple(placed)


def _put_one(
    rng: np.random.Generator,
    candidates: list[Spot],
    placed: list[ObjectPlacement],
    variants: tuple[Variant, ...],
    accepts: Callable[[Spot, ObjectKind], bool] = Spot.accepts,
) -> None:
    """Sample an object the home does not have yet and a free place for it, and add it if there is one."""
    present = {(placement.kind, placement.colour) for placement in placed}
    shuffled = [variants[index] for index in rng.permutation(len(variants))]
    absent = {name: (name, colour) for name, colour in shuffled if (name, colour) not in present}
    choices = [(absent[name], spot) for name in absent for spot in candidates if accepts(spot, KINDS[name])]
    for index in rng.permutation(len(choices))[: PLACEMENT.attempts]:
        variant, spot = choices[index]
        placement = sample_placement(rng, variant, spot, placed)
        if placement is not None:
            placed.append(placement)
            return


def sample_placement(
    rng: np.random.Generator, variant: Variant, spot: Spot, placed: list[ObjectPlacement]
) -> ObjectPlacement | None:
    """Sample a placement; None if it does not fit or is too near to another object on the surface."""
    name, colour = variant
    at = sample_point(rng, KINDS[name], spot)
    if at is None:
        return None
    distance = _radius(KINDS[name]) + PLACEMENT.object_gap
    here = (spot.fixture.id, spot.surface.id)
    neighbours = (other for other in placed if (other.fixture, other.surface) == here)
    if any(dist(at, other.at) < distance + _radius(KINDS[other.kind]) for other in neighbours):
        return None
    return ObjectPlacement(
        id=f"{colour}_{name}" if colour else name,
        kind=name,
        colour=colour,
        fixture=spot.fixture.id,
        surface=spot.surface.id,
        at=at,
        yaw=_sample_yaw(rng, KINDS[name]),
    )


def sample_point(rng: np.random.Generator, kind: ObjectKind, spot: Spot) -> tuple[float, float] | None:
    """Sample a point of the surface, near the front for a graspable object; None if there is none."""
    half_depth, half_width = kind.size[0] / 2 + PLACEMENT.edge_gap, _radius(kind)
    low_x, high_x = spot.surface.area.min[0] + half_depth, spot.surface.area.max[0] - half_depth
    low_y, high_y = spot.surface.area.min[1] + half_width, spot.surface.area.max[1] - half_width
    if kind.graspable:
        inside = spot.headroom < inf
        reach = PLACEMENT.reach_inside if inside else PLACEMENT.reach
        low_x = max(low_x, spot.fixture.depth / 2 - reach)
        if inside and spot.fixture.container and spot.fixture.container.opens == "hinge":
            low_y, high_y = _clear_of_door(low_y, high_y, spot.placed.style.hinge)
    if low_x > high_x or low_y > high_y:
        return None
    return round(float(rng.uniform(low_x, high_x)), 3), round(float(rng.uniform(low_y, high_y)), 3)


def _clear_of_door(low: float, high: float, hinge: Side) -> tuple[float, float]:
    """Limit the range along a shelf to what the hand reaches beside the open door."""
    beyond = PLACEMENT.beyond_middle
    return (low, min(high, beyond)) if hinge == "right" else (max(low, -beyond), high)


def _sample_yaw(rng: np.random.Generator, kind: ObjectKind) -> float:
    """Sample a heading: any for a round object; nearly along the front, facing it, for another."""
    is_round = abs(kind.size[0] - kind.size[1]) < PLACEMENT.round_tolerance
    bound = pi if is_round else PLACEMENT.max_yaw * min(1.0, kind.size[0] / kind.size[1])
    return round(float(rng.uniform(-bound, bound)), 3)


def _radius(kind: ObjectKind) -> float:
    return max(kind.size[0], kind.size[1]) / 2


def _headroom(fixture: Fixture, surface: Surface) -> float:
    """Return the free height above a surface [m]: up to the next board of its container, else infinite."""
    container = fixture.container
    if container is None or not container.interior.min[2] <= surface.z < container.interior.max[2]:
        return inf
    boards = [other.z for other in fixture.surfaces if other.z > surface.z]
    return min([container.interior.max[2], *boards]) - surface.z - PLACEMENT.board
