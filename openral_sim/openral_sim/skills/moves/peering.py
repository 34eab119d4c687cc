"""Standing where furniture hides least of what shall be seen."""

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from openral_sim.motions.outlooks import Boxes, Outlook, outlook
from openral_sim.motions.paths import TravelField
from openral_sim.motions.screens import screens_near
from openral_sim.skills.context import SkillContext
from openral_sim.skills.feedback import Feedback, Move
from openral_sim.skills.moves.driving import drive_to, ways_now
from openral_sim.skills.moves.folding import fold
from openral_sim.skills.moves.looking import aim, face

Vector = NDArray[np.float64]
_FARTHEST, _APART = 1.5, 3
"""How far from the middle of it to stand in [m], and every how many cells of the floor to try."""
_PANS = (0.0, 1.45, -1.45)
"""Turns of the head on the base: a head over the base's rear comes nearer when it looks aside."""
_ENOUGH = 0.75
"""Share of all of it with which the robot stays."""
_STAYING, _NEAREST = 0.9, 0.95
"""Share of the best sight with which the robot stays, and with which a place may be chosen as nearer."""
_TURN = 0.1
_AT_ONCE = 80


def peer(context: SkillContext, points: Vector, stage: str) -> Move[Outlook]:
    """Go where the head sees points of map past the furniture, if it does not from here, and point it there.

    Args:
        context: The robot and its world.
        points: What shall be seen, in map in [m], shape (N, 3).
        stage: What to call it.
    """
    boxes = screens_near(
        context.model, context.data, points.mean(axis=0), _FARTHEST + 0.3, context.own_bodies()
    )
    here = outlook(context.control.base_pose, points, boxes)
    if here.share < _ENOUGH:
        field = ways_now(context)
        there = yield from _better(context, field, points, boxes, here, stage)
        if there is not here:
            yield from fold(context, stage)
            yield from drive_to(context, there.base, field, stage)
            here = outlook(context.control.base_pose, points, boxes)
    yield from face(context, here.aim, stage)
    yield from aim(context, here.aim, stage)
    return here


def _better(
    context: SkillContext, field: TravelField, points: Vector, boxes: Boxes, here: Outlook, stage: str
) -> Move[Outlook]:
    """The nearest of the places that see about the most, or where the robot stands if that sees enough."""
    found: list[tuple[float, Outlook]] = []
    for number, base in enumerate(_stances(field, points.mean(axis=0)[:2])):
        found.append((_cost(field, context.control.base_pose, base), outlook(base, points, boxes)))
        if number % _AT_ONCE == 0:
            yield Feedback(stage, 0.0)
    most = max((there.share for _, there in found), default=0.0)
    if here.share >= _STAYING * most:
        return here
    good = [(cost, i) for i, (cost, there) in enumerate(found) if there.share >= _NEAREST * most]
    return found[min(good)[1]][1]


def _stances(field: TravelField, middle: Vector) -> Iterator[Vector]:
    """Base poses on reachable floor around a point, facing it or with a shoulder towards it."""
    cells = np.argwhere(np.isfinite(field.cost))
    places = field.grid.point(cells[(cells % _APART == 0).all(axis=1)])
    for place in places[np.linalg.norm(places - middle, axis=1) < _FARTHEST]:
        bearing = float(np.arctan2(*(middle - place)[::-1]))
        for pan in _PANS:
            yield np.append(place, bearing - pan)


def _cost(field: TravelField, here: Vector, base: Vector) -> float:
    """Way to a base pose in [m], a turn counted as a way."""
    turn = np.arccos(np.clip(np.cos(base[2] - here[2]), -1.0, 1.0))
    return field.cost_at(base[:2]) + _TURN * float(turn)
