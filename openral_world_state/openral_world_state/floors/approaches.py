"""Where to stand to look at a thing, or to reach it."""

import math

import numpy as np

from openral_core.geometry import Pose
from openral_world_state.floors.floor import Floor, Point
from openral_world_state.homes import Site

_ANGLES = np.linspace(0.0, 2.0 * np.pi, 36, endpoint=False)
_SCALES = np.array([1.0, 1.15, 0.85, 1.35, 1.6])
_TURN = 0.3
"""Distance [m] that one radian away from the liked side is worth."""


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
    liked = (front.position[0], front.position[1]) if front else seen_from
    radii, angles = (each.ravel() for each in np.meshgrid(standoff * _SCALES, _ANGLES, indexing="ij"))
    stands = np.column_stack((target[0] + radii * np.cos(angles), target[1] + radii * np.sin(angles)))
    usable = floor.reachable(stands, liked)
    if not usable.any():
        return facing((front.position[0], front.position[1]), target) if front else None
    price = np.abs(radii - standoff)
    if liked is not None:
        wished = math.atan2(liked[1] - target[1], liked[0] - target[0])
        price += _TURN * np.abs((angles - wished + np.pi) % (2.0 * np.pi) - np.pi)
    x, y = stands[int(np.argmin(np.where(usable, price, np.inf)))].tolist()
    return facing((x, y), target)
