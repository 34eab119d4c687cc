"""Where in a container things may lie, from the map alone."""

import numpy as np
from numpy.typing import NDArray

from openral_core.maps import Fixture
from openral_sim.furniture.containers import container_of

Vector = NDArray[np.float64]
_ACROSS = 7
_FROM_WALLS = 0.03
_LYING = 0.03
"""Height of the middle of something small over what it lies on in [m]."""


def inside_of(fixture: Fixture, drawn: float) -> Vector:
    """Middles of small things that lie all over its floor and the shelves in it, in map in [m], shape (N, 3).

    Args:
        fixture: A container.
        drawn: How far what it holds has come out with it in [m].

    Raises:
        NotAContainer: If it is none.
    """
    interior = container_of(fixture).interior
    low, high = np.array(interior.min), np.array(interior.max)
    heights = {float(low[2]), *(s.z for s in fixture.surfaces if low[2] < s.z < high[2])}
    xs, ys = (np.linspace(low[i] + _FROM_WALLS, high[i] - _FROM_WALLS, _ACROSS) for i in range(2))
    x, y, z = (each.ravel() for each in np.meshgrid(xs + drawn, ys, sorted(heights)))
    c, s = np.cos(fixture.pose.yaw), np.sin(fixture.pose.yaw)
    return np.column_stack([fixture.pose.x + c * x - s * y, fixture.pose.y + s * x + c * y, z + _LYING])
