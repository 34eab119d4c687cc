"""Where to stand to look at a thing, or to reach it."""

import math

from openral_core.geometry import Pose, angle_between
from openral_world_state.floors.floor import Floor, Point
from openral_world_state.homes import Site

_ANGLES = 36
_RADII = (1.0, 1.15, 0.85, 1.35, 1.6)


def facing(stand: Point, target: Point) -> Pose:
    """A standing pose that looks at a point of the floor plan."""
    return Pose.planar(stand[0], stand[1], math.atan2(target[1] - stand[1], target[0] - stand[0]))


def approach(
    floor: Floor, target: Point, standoff: float, site: Site | None, seen_from: Point | None
) -> Pose | None:
    """A reachable standing pose about ``standoff`` [m] from the target, facing it.

    It stands before the site's front when there is one, else on the side the thing was seen from.

    Args:
        floor: Where the robot fits.
        target: On the floor plan, in map [m].
        standoff: Wished distance [m].
        site: What the thing is on or in.
        seen_from: Where a camera saw it from.
    """
    front = site.standing if site else None
    liked_point = (front.position[0], front.position[1]) if front else seen_from
    liked = math.atan2(liked_point[1] - target[1], liked_point[0] - target[0]) if liked_point else None
    ranked = []
    for scale in _RADII:
        for index in range(_ANGLES):
            angle = 2.0 * math.pi * index / _ANGLES
            radius = standoff * scale
            stand = (target[0] + radius * math.cos(angle), target[1] + radius * math.sin(angle))
            if floor.is_free(stand) and (liked_point is None or floor.connected(stand, liked_point)):
                turn = angle_between(angle, liked) if liked is not None else 0.0
                ranked.append((abs(radius - standoff) + 0.3 * turn, stand))
    if ranked:
        return facing(min(ranked)[1], target)
    return facing((front.position[0], front.position[1]), target) if front else None
