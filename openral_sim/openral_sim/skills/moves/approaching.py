"""The ways a hand can come to a thing before it has looked closely."""

from collections.abc import Iterator
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from openral_sim.motions.approaches import (
    Approach,
    Pointing,
    backed_off,
    from_above,
    from_aslant,
    from_front,
    hand_axes,
    turns_of,
)
from openral_sim.skills.moves.docking import Option, Stance
from openral_sim.skills.requests import GraspRequest

Vector = NDArray[np.float64]
_HOVER = 0.21
_SPARE = 0.06
_INSIDE = 0.04
_TALL, _HIGH = 0.08, 0.28
_PITCHES = (0.5, 0.8)
_ASIDE = (0.4, -0.4, 0.75, -0.75)
_OVER_SUPPORT = 0.030
_SEEN_WELL = 0.9


def ways_to(request: GraspRequest, base: Vector) -> list[Option]:
    """Hover and expected grasp from a base pose: from above before from the front, every way round.

    What stands tall and slender is taken from the side first: so it can be poured from and stood up again.
    Where neither finds room, the hand comes from aside, aslant, or both.
    """
    heading = float(np.arctan2(*(request.position[:2] - base[:2])[::-1]))
    tall, wide = request.height / 2, request.reach
    above = [(from_above(heading + turn), 0.0, tall, max(_SPARE, tall)) for turn in (np.pi / 2, 0.0)]
    level = [(from_front(heading), height, wide, _SPARE) for height in _heights(request)]
    usual = (*level, *above) if request.is_slender else (*above, *level)
    rest = [(approach, _raised(request, approach), wide, _SPARE) for approach in _unusual(heading)]
    options = []
    for number, (approach, height, extent, spare) in enumerate((*usual, *rest)):
        T = expected_grasp(approach, np.add(request.position, (0.0, 0.0, height)), extent)
        spared = (request.position, request.reach + spare)
        options += [
            Option(approach.name, backed_off(turned, _HOVER), turned, spared, number >= len(usual))
            for turned in turns_of(T)
        ]
    return options


def _unusual(heading: float) -> Iterator[Approach]:
    yield from (replace(from_front(heading + aside), name="from aside") for aside in _ASIDE)
    yield from (from_aslant(heading, pitch) for pitch in _PITCHES)
    for pitch in _PITCHES:
        for aside in _ASIDE:
            yield replace(from_aslant(heading + aside, pitch), name="from aslant and aside")


def _heights(request: GraspRequest) -> tuple[float, ...]:
    """Where a level hand may close, over the thing's middle in [m]: high on what is tall, too."""
    return (0.0, _HIGH * request.height) if request.height > _TALL else (0.0,)


def _raised(request: GraspRequest, approach: Approach) -> float:
    """How far over a flat thing's middle a hand that comes down aslant closes, off the support, in [m]."""
    return 0.0 if approach.is_level else max(0.0, _OVER_SUPPORT - request.height / 2)


def expected_grasp(approach: Approach, position: Vector, extent: float) -> Vector:
    """Where the hand would close on a thing that reaches ``extent`` [m] towards it, shape (4, 4)."""
    T = np.eye(4)
    T[:3, :3] = hand_axes(approach)
    T[:3, 3] = position - max(0.0, extent - _INSIDE) * T[:3, 2]
    return T


def approaches_from(stance: Stance) -> list[Approach]:
    """The direction a stance's hand comes from, then others from which it sees enough of the thing."""
    R, turn = stance.option.T_map_goal[:3, :3], float(stance.base[2]) + np.pi / 2
    pitch, along = Pointing.of(R).pitch, float(np.arctan2(R[1, 2], R[0, 2]))
    if Pointing.of(R).is_downward:
        own, along = from_above(turn), float(stance.base[2])
    else:
        own = from_aslant(along, pitch) if pitch > _PITCHES[0] / 2 else from_front(along)
    others = (from_above(turn), from_front(along), *_unusual(along))
    return [own, *(other for other in others if 0.01 < _between(own, other) < _SEEN_WELL)]


def _between(one: Approach, other: Approach) -> float:
    """Angle between where two hands point in [rad]."""
    along = one.R_map_approach[:, 2] @ other.R_map_approach[:, 2]
    return float(np.arccos(np.clip(along, -1.0, 1.0)))
