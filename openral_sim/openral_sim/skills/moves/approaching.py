"""The ways a hand can come to a thing before it has looked closely."""

import numpy as np
from numpy.typing import NDArray

from openral_sim.motions.grasps import Approach, backed_off, from_above, from_front, hand_axes, turns_of
from openral_sim.skills.moves.docking import Option, Stance
from openral_sim.skills.requests import GraspRequest

Vector = NDArray[np.float64]
_HOVER = 0.21
_SPARE = 0.06
_INSIDE = 0.04
_TALL, _HIGH = 0.08, 0.28


def ways_to(request: GraspRequest, base: Vector) -> list[Option]:
    """Hover and expected grasp from a base pose: from above before from the front, every way round.

    What stands tall and slender is taken from the side first: so it can be poured from and stood up again.
    """
    heading = float(np.arctan2(*(request.position[:2] - base[:2])[::-1]))
    tall = request.height / 2
    above = [(from_above(heading + turn), 0.0, tall, max(_SPARE, tall)) for turn in (np.pi / 2, 0.0)]
    level = [(from_front(heading), height, request.reach, _SPARE) for height in _heights(request)]
    options = []
    for approach, height, extent, spare in (*level, *above) if request.is_slender else (*above, *level):
        T = expected_grasp(approach, np.add(request.position, (0.0, 0.0, height)), extent)
        spared = (request.position, request.reach + spare)
        options += [
            Option(approach.name, backed_off(turned, _HOVER), turned, spared) for turned in turns_of(T)
        ]
    return options


def _heights(request: GraspRequest) -> tuple[float, ...]:
    """Where a level hand may close, over the thing's middle in [m]: high on what is tall, too."""
    return (0.0, _HIGH * request.height) if request.height > _TALL else (0.0,)


def expected_grasp(approach: Approach, position: Vector, extent: float) -> Vector:
    """Where the hand would close on a thing that reaches ``extent`` [m] towards it, shape (4, 4)."""
    T = np.eye(4)
    T[:3, :3] = hand_axes(approach)
    T[:3, 3] = position - max(0.0, extent - _INSIDE) * T[:3, 2]
    return T


def approach_of(stance: Stance) -> Approach:
    """The direction a stance's hand comes from."""
    if stance.option.tag == "from above":
        return from_above(float(stance.base[2]) + np.pi / 2)
    forward = stance.option.T_map_goal[:3, 2]
    return from_front(float(np.arctan2(forward[1], forward[0])))
