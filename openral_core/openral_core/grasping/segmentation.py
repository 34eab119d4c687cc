"""Segmentation of an object that stands on a support, from a scan of points in map."""

from dataclasses import dataclass

import numpy as np
import scipy

from openral_core.arrays import Mask, Points, Vector3
from openral_core.errors import OpenRALError


@dataclass(frozen=True)
class SegmentationConfig:
    """Parameters of segmenting a scan; lengths in [m]."""

    # Side of the cells that connect an object's points; twice the spacing of a coarse scan's rays.
    cell: float = 0.008
    level_step: float = 0.004  # Width of the bins in which the support's height is found.
    # Least height of an object's points over its support; above the support's own noise.
    min_height: float = 0.010
    search_radius: float = 0.05  # Largest distance from the expected centre to the object's nearest point.
    support_tolerance: float = 0.06  # Largest error of the expected height of the support.
    min_support_points: int = 20  # Least number of points near the expected height that are trusted over it.
    min_points: int = 3  # Least number of points of an object; fewer have no shape.


CONFIG = SegmentationConfig()


class NoObjectFound(OpenRALError):
    """A scan shows no object at the expected position."""

    def __init__(self, point: Vector3, points: int) -> None:
        where = ", ".join(f"{value:.2f}" for value in point)
        super().__init__(
            f"no object within {CONFIG.search_radius * 100:.0f} cm of ({where}) in a scan of {points} points"
        )


@dataclass(frozen=True)
class ObjectSegment:
    """One object segmented from a scan."""

    points: Points  # All points of the scan in map in [m], shape (N, 3).
    mask: Mask  # Points that belong to the object, bool, shape (N,).
    support: float  # Height of the surface it stands on in [m].
    # Position in map that it was seen from in [m], shape (3,); None if all sides are known.
    eye: Vector3 | None = None

    @property
    def own_points(self) -> Points:
        """Points of the object, shape (M, 3)."""
        return self.points[self.mask]

    @property
    def sight(self) -> Vector3:
        """Direction in map in which it was seen, of unit length; zero if all sides are known; shape (3,)."""
        if self.eye is None:
            return np.zeros(3)
        own = self.own_points
        along: Vector3 = (own.min(axis=0) + own.max(axis=0)) / 2 - self.eye
        return along / np.linalg.norm(along)


def segment_object(points: Points, expected: Vector3, bottom: float, within: float = np.inf) -> ObjectSegment:
    """Segment the object nearest to its expected position.

    Args:
        points: A scan in map in [m], shape (N, 3).
        expected: Expected centre of the object, shape (3,).
        bottom: Expected height of the support; a level surface of the scan near it takes precedence.
        within: Largest horizontal distance of the object's points from its expected centre in [m]; what it
            leans on or touches is farther away.

    Raises:
        NoObjectFound: If nothing rises from the support near there.
    """
    support = support_level(points, bottom)
    raised = points[:, 2] > support + CONFIG.min_height
    if not raised.any():
        raise NoObjectFound(expected, len(points))
    cells = np.floor((points[:, :2] - points[:, :2].min(axis=0)) / CONFIG.cell).astype(int)
    filled = np.zeros(cells.max(axis=0) + 1, dtype=bool)
    filled[tuple(cells[raised].T)] = True
    parts, _ = scipy.ndimage.label(filled, structure=np.ones((3, 3)))
    part = np.where(raised, parts[tuple(cells.T)], 0)
    distance = np.where(raised, np.linalg.norm(points[:, :2] - expected[:2], axis=1), np.inf)
    nearest = int(distance.argmin())
    own = (part == part[nearest]) & (distance <= within)
    if distance[nearest] > CONFIG.search_radius or own.sum() < CONFIG.min_points:
        raise NoObjectFound(expected, len(points))
    return ObjectSegment(points, own, support)


def support_level(points: Points, bottom: float) -> float:
    """Height of the most populated level near the expected one."""
    near = points[np.abs(points[:, 2] - bottom) < CONFIG.support_tolerance, 2]
    if len(near) < CONFIG.min_support_points:
        return bottom
    levels = np.round(near / CONFIG.level_step).astype(int)
    values, counts = np.unique(levels, return_counts=True)
    return float(np.median(near[levels == values[counts.argmax()]]))
