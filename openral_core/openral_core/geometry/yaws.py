"""Angles about the vertical axis."""

import math


def wrap_angle(angle: float) -> float:
    """The same angle in [-pi, pi) [rad]."""
    return (angle + math.pi) % (2.0 * math.pi) - math.pi


def angle_between(first: float, second: float) -> float:
    """Unsigned difference of two angles in [0, pi] [rad]."""
    return abs(wrap_angle(first - second))
