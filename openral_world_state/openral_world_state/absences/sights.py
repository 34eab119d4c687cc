"""Was an object's place seen, and was it empty?"""

from collections.abc import Sequence
from enum import Enum

import numpy as np
from numpy.typing import NDArray

from openral_world_state.memories import Record
from openral_world_state.views import View

_PATTERN = np.array([(0.0, 0.0), (0.3, 0.0), (-0.3, 0.0), (0.0, 0.3), (0.0, -0.3)])
_BORDER = 4.0
_NOISE = 0.02
_BEFORE = 0.05
_SKIN = 0.012
_FLAT = 0.04
_CLEAR = 12.0
"""Pixels across at which a detector cannot have overlooked a thing."""


class Sight(Enum):
    """What a view tells of a place."""

    UNSEEN = "out of view, out of range, hidden, or without depth"
    OCCUPIED = "something is there"
    EMPTY = "the camera looked right through it"
    UNDECIDED = "in plain view, but too flat for depth to tell it from what it lies on"


def sights(view: View, records: Sequence[Record], nearest: float, farthest: float) -> list[Sight]:
    """What the view tells of the place of each record.

    Five points across the object must all be inside the image, measured, and hidden by nothing nearer;
    the place is empty when at least four of them lie clearly before what the camera measured.
    """
    if not records:
        return []
    centers = view.to_camera(np.array([record.pose.position for record in records]))
    sizes = np.array([record.size for record in records])
    spread = np.column_stack((sizes[:, :2].max(axis=1), sizes[:, 2]))
    points = np.repeat(centers[:, None], len(_PATTERN), axis=1)
    points[..., :2] += _PATTERN[None] * spread[:, None]
    measured = _measured(view, points)
    beyond = measured - points[..., 2]
    ranged = (centers[:, 2] >= nearest) & (centers[:, 2] <= farthest)
    before, behind = sizes.max(axis=1) / 2.0 + _BEFORE, _NOISE + sizes.min(axis=1) / 4.0
    seen = ranged & ~np.isnan(beyond).any(axis=1) & ~(beyond < -before[:, None]).any(axis=1)
    through = (beyond > behind[:, None]).sum(axis=1) >= len(_PATTERN) - 1
    vacant = ~_any_inside(view, points / points[..., 2:] * measured[..., None], records)
    # Depth measured behind a thing that lies flat is that of what it lies on, hardly farther.
    flat = sizes[:, 2] < _FLAT
    clear = spread[:, 0] * view.intrinsics.K[0, 0] >= _CLEAR * np.maximum(centers[:, 2], 1e-6)
    return [
        _judge(*map(bool, each)) for each in zip(seen, through & vacant, flat & clear & vacant, strict=True)
    ]


def _judge(seen: bool, empty: bool, undecided: bool) -> Sight:
    if not seen:
        return Sight.UNSEEN
    if empty:
        return Sight.EMPTY
    return Sight.UNDECIDED if undecided else Sight.OCCUPIED


def _any_inside(view: View, met: NDArray[np.float64], records: Sequence[Record]) -> NDArray[np.bool_]:
    """Whether any point met (K, 5, 3) in the optical frame is of the record: a bowl has a rim."""
    points = met @ view.T_map_camera[:3, :3].T + view.eye
    offset = points - np.array([record.pose.position for record in records])[:, None]
    yaw = np.array([record.pose.yaw for record in records])[:, None]
    half = np.array([record.size for record in records])[:, None] / 2.0
    x = np.cos(yaw) * offset[..., 0] + np.sin(yaw) * offset[..., 1]
    y = np.cos(yaw) * offset[..., 1] - np.sin(yaw) * offset[..., 0]
    beside = (np.abs(x) <= half[..., 0] + _SKIN) & (np.abs(y) <= half[..., 1] + _SKIN)
    above = (offset[..., 2] >= _SKIN - half[..., 2]) & (offset[..., 2] <= half[..., 2] + _SKIN)
    return np.asarray((beside & above).any(axis=1))


def _measured(view: View, points: NDArray[np.float64]) -> NDArray[np.float64]:
    """Depth measured in the direction of each point (K, 5, 3) [m], NaN where none was; shape (K, 5)."""
    depths = points[..., 2]
    result = np.full(depths.shape, np.nan)
    front = depths > 0.05
    pixels = np.full((*depths.shape, 2), -1.0)
    pixels[front] = view.depth_intrinsics.project(points[front])
    height, width = view.depth.shape
    within = (pixels >= _BORDER).all(axis=-1) & (pixels < np.array([width, height]) - _BORDER).all(axis=-1)
    inside = front & within
    columns, rows = pixels[inside].astype(int).T
    depth = view.depth[rows, columns].astype(np.float64)
    result[inside] = np.where((depth > 0.0) & np.isfinite(depth), depth, np.nan)
    return result
