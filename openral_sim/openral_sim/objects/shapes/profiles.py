"""Outlines of turned things, as shares of their radius and height."""

from collections.abc import Iterable
from itertools import pairwise

Outline = tuple[tuple[float, float], ...]
"""Points of radius and height, both as shares, from the bottom upwards."""


def scaled(
    outline: Iterable[tuple[float, float]], size: tuple[float, float, float]
) -> list[tuple[float, float]]:
    """An outline in [m] for a thing of a size, its middle at height 0."""
    return [(radius * size[0] / 2, (height - 0.5) * size[2]) for radius, height in outline]


def radius_at(outline: Outline, height: float) -> float:
    """The outline's radius at a height, both as shares; between points in a straight line."""
    for (r0, h0), (r1, h1) in pairwise(outline):
        if h0 <= height <= h1 and h1 > h0:
            return r0 + (r1 - r0) * (height - h0) / (h1 - h0)
    return 0.0
