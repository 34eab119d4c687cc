"""Is a container open? Told from how deep a camera looks into its front."""

import numpy as np
from numpy.typing import NDArray

from openral_core.maps.geometry import Box
from openral_core.scene_graph import Opening
from openral_world_state.homes import Site
from openral_world_state.views import View

_SHARES = np.linspace(0.15, 0.85, 5)
_TOLERANCE = 0.1
_SHUT, _OPEN = 0.8, 0.6
_BORDER = 2.0


def opening_of(view: View, site: Site, farthest: float) -> Opening:
    """OPEN when most of the front is looked through, CLOSED when nearly all of it is met, else UNKNOWN."""
    if site.footprint is None or site.interior is None:
        return Opening.UNKNOWN
    points = view.to_camera(_front(site, site.interior, site.footprint.max[0]))
    if (points[:, 2] < 0.2).any() or (points[:, 2] > farthest).any() or not _faces(view, site):
        return Opening.UNKNOWN
    height, width = view.depth.shape
    pixels = view.depth_intrinsics.project(points)
    if (pixels < _BORDER).any() or (pixels > np.array([width, height]) - _BORDER).any():
        return Opening.UNKNOWN
    columns, rows = pixels.astype(int).T
    depth = view.depth[rows, columns].astype(np.float64)
    known = np.isfinite(depth) & (depth > 0.0)
    beyond = np.where(known, depth - points[:, 2], -np.inf)
    if (np.abs(beyond) <= _TOLERANCE).mean() >= _SHUT:
        return Opening.CLOSED
    return Opening.OPEN if (beyond > _TOLERANCE).mean() >= _OPEN else Opening.UNKNOWN


def _front(site: Site, interior: Box, x: float) -> NDArray[np.float64]:
    """A grid of points across the front of the container's volume, in map [m], shape (25, 3)."""
    low, high = np.array(interior.min), np.array(interior.max)
    found = []
    for y in low[1] + _SHARES * (high[1] - low[1]):
        u, v = site.frame.to_parent(x, float(y))
        found += [(u, v, float(z)) for z in low[2] + _SHARES * (high[2] - low[2])]
    return np.array(found)


def _faces(view: View, site: Site) -> bool:
    """Whether the camera stands before the front, at most about 50 degrees aside."""
    x, y = site.frame.to_local(float(view.eye[0]), float(view.eye[1]))
    front = site.footprint.max[0] if site.footprint else 0.0
    return x > front and abs(y) < 1.2 * (x - front)
