"""Was an object's place seen, and was it empty?"""

from collections.abc import Sequence
from enum import Enum

import numpy as np
from numpy.typing import NDArray

from openral_world_state.memories import Record
from openral_world_state.views import View

_PATTERN = np.array([(0.0, 0.0), (0.3, 0.0), (-0.3, 0.0), (0.0, 0.3), (0.0, -0.3)])
_BORDER = 4.0
_MARGIN = 0.05


class Sight(Enum):
    """What a view tells of a place."""

    UNSEEN = "out of view, out of range, hidden, or without depth"
    OCCUPIED = "something is there"
    EMPTY = "the camera looked right through it"


def sights(view: View, records: Sequence[Record], nearest: float, farthest: float) -> list[Sight]:
    """What the view tells of the place of each record.

    Five points across the object must all be inside the image and measured; the place is empty when
    at least four of them lie clearly before what the camera measured.
    """
    if not records:
        return []
    centers = view.to_camera(np.array([record.pose.position for record in records]))
    spread = np.array([(max(r.size[:2], default=0.0), r.size[2]) for r in records])
    thickness = np.array([max(r.size) / 2.0 for r in records])
    ranged = (centers[:, 2] >= nearest) & (centers[:, 2] <= farthest)
    offsets = _PATTERN[None] * spread[:, None]
    points = np.repeat(centers[:, None], len(_PATTERN), axis=1)
    points[..., :2] += offsets
    behind = _measured_behind(view, points, thickness)
    return [_judge(bool(ok), row) for ok, row in zip(ranged, behind, strict=True)]


def _measured_behind(
    view: View, points: NDArray[np.float64], thickness: NDArray[np.float64]
) -> NDArray[np.float64]:
    """How far behind each point (K, 5, 3) the camera measured [m], beyond the object's own depth.

    Negative before it, 0 within it, NaN where unseen; shape (K, 5).
    """
    depths = points[..., 2]
    result = np.full(depths.shape, np.nan)
    front = depths > 0.05
    pixels = np.full((*depths.shape, 2), -1.0)
    pixels[front] = view.depth_intrinsics.project(points[front])
    height, width = view.depth.shape
    inside = (
        front & (pixels >= _BORDER).all(axis=-1) & (pixels < np.array([width, height]) - _BORDER).all(axis=-1)
    )
    columns, rows = pixels[inside].astype(int).T
    measured = view.depth[rows, columns].astype(np.float64)
    slack = np.broadcast_to(thickness[:, None] + _MARGIN, depths.shape)[inside]
    beyond = measured - depths[inside]
    values = np.where(beyond > slack, beyond - slack, np.where(beyond < -slack, beyond + slack, 0.0))
    result[inside] = np.where((measured > 0.0) & np.isfinite(measured), values, np.nan)
    return result


def _judge(ranged: bool, behind: NDArray[np.float64]) -> Sight:
    if not ranged or np.isnan(behind).any() or (behind < 0.0).any():
        return Sight.UNSEEN
    return Sight.EMPTY if (behind > 0.0).sum() >= len(behind) - 1 else Sight.OCCUPIED
