"""Is a container open? Told from how deep a camera looks into its front, or at what is drawn out of it."""

from collections.abc import Callable, Iterable

import numpy as np
from numpy.typing import NDArray

from openral_core.maps import Opens
from openral_core.maps.geometry import Box
from openral_core.scene_graph import Opening
from openral_world_state.homes import Site
from openral_world_state.views import View

Points = NDArray[np.float64]
_SHARES = np.linspace(0.15, 0.85, 5)
_TOLERANCE = 0.1
_SHUT, _OPEN = 0.8, 0.6
_BORDER = 2.0
_BELOW = 0.08
_RIM = 0.01


def opening_of(view: View, site: Site, farthest: float) -> Opening:
    """OPEN or CLOSED when the camera looks at enough of the container's front, else UNKNOWN."""
    if site.footprint is None or site.interior is None or not _faces(view, site):
        return Opening.UNKNOWN
    look_at, judge = _WAYS[site.opens]
    points = look_at(site, site.interior, site.footprint.max[0])
    beyond = _beyond(view, points, farthest)
    if beyond is None:
        return Opening.UNKNOWN
    opening = judge(beyond)
    is_other = site.opens == "out" and opening is Opening.OPEN and not _is_own(view, points, beyond, site)
    return Opening.UNKNOWN if is_other else opening


def _through(beyond: Points) -> Opening:
    """A door: OPEN when most of the front is looked through, CLOSED when nearly all of it is met."""
    if (np.abs(beyond) <= _TOLERANCE).mean() >= _SHUT:
        return Opening.CLOSED
    return Opening.OPEN if (beyond > _TOLERANCE).mean() >= _OPEN else Opening.UNKNOWN


def _through_a_side(beyond: Points) -> Opening:
    """A door that slides aside: as one that turns, but only one half of the front is ever open."""
    columns = len(_SHARES) // 2 * len(_SHARES)
    halves = [_through(half) for half in (beyond[:columns], beyond[-columns:])]
    if Opening.OPEN in halves:
        return Opening.OPEN
    return Opening.CLOSED if halves == [Opening.CLOSED] * 2 else Opening.UNKNOWN


def _met_early(beyond: Points) -> Opening:
    """A drawer: OPEN when the tray is met before the chest is, CLOSED when the chest is in sight."""
    if (beyond < -_TOLERANCE).mean() >= _OPEN:
        return Opening.OPEN
    return Opening.CLOSED if (beyond >= -_TOLERANCE).mean() >= _SHUT else Opening.UNKNOWN


def _is_own(view: View, points: Points, beyond: Points, site: Site) -> bool:
    """Whether what is met before a drawer's chest is that drawer, by its height, and not one above it."""
    interior = site.interior
    if interior is None:
        return False
    away = view.to_camera(points)[:, 2]
    early = beyond < -_TOLERANCE
    heights = (view.eye + (points - view.eye) * (1.0 + beyond / away)[:, None])[early, 2]
    low, high = interior.min[2] - _BELOW, interior.max[2] + _RIM
    return bool(((heights > low) & (heights < high)).mean() >= _OPEN)


def _beyond(view: View, points: Points, farthest: float) -> Points | None:
    """How much farther than each point of map the camera sees in [m]; None if it misses any of them."""
    seen = view.to_camera(points)
    if (seen[:, 2] < 0.2).any() or (seen[:, 2] > farthest).any():
        return None
    height, width = view.depth.shape
    pixels = view.depth_intrinsics.project(seen)
    if (pixels < _BORDER).any() or (pixels > np.array([width, height]) - _BORDER).any():
        return None
    columns, rows = pixels.astype(int).T
    depth = view.depth[rows, columns].astype(np.float64)
    known = np.isfinite(depth) & (depth > 0.0)
    beyond: Points = np.where(known, depth - seen[:, 2], -np.inf)
    return beyond


def _front(site: Site, interior: Box, x: float) -> Points:
    """A grid of points across the front of the container's volume, column by column, in map; (25, 3)."""
    low, high = np.array(interior.min), np.array(interior.max)
    heights = [float(z) for z in low[2] + _SHARES * (high[2] - low[2])]
    return _in_map(site, ((x, float(y), z) for y in low[1] + _SHARES * (high[1] - low[1]) for z in heights))


def _under(site: Site, interior: Box, x: float) -> Points:
    """A row of points of the chest's front under the container, which a drawn tray hides; (5, 3)."""
    low, high = np.array(interior.min), np.array(interior.max)
    return _in_map(
        site, ((x, float(y), float(low[2]) - _BELOW) for y in low[1] + _SHARES * (high[1] - low[1]))
    )


def _in_map(site: Site, points: Iterable[tuple[float, float, float]]) -> Points:
    return np.array([(*site.frame.to_parent(x, y), z) for x, y, z in points])


def _faces(view: View, site: Site) -> bool:
    """Whether the camera stands before the front, at most about 50 degrees aside."""
    x, y = site.frame.to_local(float(view.eye[0]), float(view.eye[1]))
    front = site.footprint.max[0] if site.footprint else 0.0
    return x > front and abs(y) < 1.2 * (x - front)


Grid = Callable[[Site, Box, float], Points]
_WAYS: dict[Opens, tuple[Grid, Callable[[Points], Opening]]] = {
    "hinge": (_front, _through),
    "aside": (_front, _through_a_side),
    "out": (_under, _met_early),
}
