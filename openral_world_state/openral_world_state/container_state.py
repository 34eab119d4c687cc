"""Which containers are open, as last seen or done, and what came out with a drawer."""
# MERGED Is a container open? Told from how deep a camera looks into its front, or at what is drawn out of it.

import json
import math
from collections.abc import Callable, Iterable
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray
from pydantic import FiniteFloat, TypeAdapter

from openral_core.home_map import Box3, Opens
from openral_core.scene_graph import Opening
from openral_world_state.home.model import SiteFixture, StaticMap
from openral_world_state.lifting.camera import DepthView
from openral_world_state.spatial_memory.memory import SpatialMemory

_OPENINGS, _DRAWN = "openings", "drawn"
_STATES, _SHARES = TypeAdapter(dict[str, Opening]), TypeAdapter(dict[str, FiniteFloat])
_WIDE, _AJAR = 0.5, 0.05


class ContainerStates:
    """Kept with memory, so that it outlives the process and each change is told.

    ``known`` maps ids of containers to what was last seen of them, or done to them. What lies in a drawer
    that a skill has moved is where the drawer took it.
    """

    def __init__(self, memory: SpatialMemory, home: StaticMap) -> None:
        self._memory = memory
        self._doors = {site.node.id for site in home.containers if site.node.occludes_contents}
        self._drawers = {site.node.id: site for site in home.containers if site.drawn > 0.0}
        self._drawn = memory.fact(_DRAWN, _SHARES, {})
        told = memory.fact(_OPENINGS, _STATES, {})
        self.known = {name: opening for name, opening in told.items() if name in self._doors}

    def done(self, container: str, share: float) -> bool:
        """A skill moved a door; it ended at a ``share`` of wide open in [0, 1]. False as in `put`."""
        if container in self._drawers and math.isfinite(share):
            self._draw(self._drawers[container], min(max(share, 0.0), 1.0))
        moved = Opening.OPEN if share >= _WIDE else Opening.CLOSED if share <= _AJAR else Opening.UNKNOWN
        return self.put(container, moved)

    def put(self, container: str, opening: Opening) -> bool:
        """Take over a state; False for what is no container with a door, or for no state."""
        if container not in self._doors or opening is Opening.UNKNOWN:
            return False
        if self.known.get(container) is not opening:
            self.known[container] = opening
            told = {name: value.value for name, value in sorted(self.known.items())}
            self._memory.put_fact(_OPENINGS, json.dumps(told))
        return True

    def _draw(self, drawer: SiteFixture, share: float) -> None:
        """Move what is remembered in a drawer as far as the drawer has moved."""
        name, out = drawer.node.id, share * drawer.drawn
        by = out - self._drawn.get(name, 0.0)
        dx, dy = by * math.cos(drawer.frame.yaw), by * math.sin(drawer.frame.yaw)
        inside = [r for r in self._memory if not r.carried and drawer.encloses(r.pose.position)]
        for record in inside:
            x, y, z = record.pose.position
            record.pose = replace(record.pose, position=(x + dx, y + dy, z))
            self._memory.touch(record)
        self._drawn[name] = out
        self._memory.put_fact(_DRAWN, json.dumps(self._drawn))


Points = NDArray[np.float64]
_DOORS_SHARES = np.linspace(0.15, 0.85, 5)
_TOLERANCE = 0.1
_SHUT, _OPEN = 0.8, 0.6
_BORDER = 2.0
_BELOW = 0.08
_RIM = 0.01


def estimate_opening(view: DepthView, site: SiteFixture, farthest: float) -> Opening:
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
    columns = len(_DOORS_SHARES) // 2 * len(_DOORS_SHARES)
    halves = [_through(half) for half in (beyond[:columns], beyond[-columns:])]
    if Opening.OPEN in halves:
        return Opening.OPEN
    return Opening.CLOSED if halves == [Opening.CLOSED] * 2 else Opening.UNKNOWN


def _met_early(beyond: Points) -> Opening:
    """A drawer: OPEN when the tray is met before the chest is, CLOSED when the chest is in sight."""
    if (beyond < -_TOLERANCE).mean() >= _OPEN:
        return Opening.OPEN
    return Opening.CLOSED if (beyond >= -_TOLERANCE).mean() >= _SHUT else Opening.UNKNOWN


def _is_own(view: DepthView, points: Points, beyond: Points, site: SiteFixture) -> bool:
    """Whether what is met before a drawer's chest is that drawer, by its height, and not one above it."""
    interior = site.interior
    if interior is None:
        return False
    away = view.to_camera(points)[:, 2]
    early = beyond < -_TOLERANCE
    heights = (view.eye + (points - view.eye) * (1.0 + beyond / away)[:, None])[early, 2]
    low, high = interior.min[2] - _BELOW, interior.max[2] + _RIM
    return bool(((heights > low) & (heights < high)).mean() >= _OPEN)


def _beyond(view: DepthView, points: Points, farthest: float) -> Points | None:
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


def _front(site: SiteFixture, interior: Box3, x: float) -> Points:
    """A grid of points across the front of the container's volume, column by column, in map; (25, 3)."""
    low, high = np.array(interior.min), np.array(interior.max)
    heights = [float(z) for z in low[2] + _DOORS_SHARES * (high[2] - low[2])]
    return _in_map(
        site, ((x, float(y), z) for y in low[1] + _DOORS_SHARES * (high[1] - low[1]) for z in heights)
    )


def _under(site: SiteFixture, interior: Box3, x: float) -> Points:
    """A row of points of the chest's front under the container, which a drawn tray hides; (5, 3)."""
    low, high = np.array(interior.min), np.array(interior.max)
    return _in_map(
        site, ((x, float(y), float(low[2]) - _BELOW) for y in low[1] + _DOORS_SHARES * (high[1] - low[1]))
    )


def _in_map(site: SiteFixture, points: Iterable[tuple[float, float, float]]) -> Points:
    return np.array([(*site.frame.to_parent(x, y), z) for x, y, z in points])


def _faces(view: DepthView, site: SiteFixture) -> bool:
    """Whether the camera stands before the front, at most about 50 degrees aside."""
    x, y = site.frame.to_local(float(view.eye[0]), float(view.eye[1]))
    front = site.footprint.max[0] if site.footprint else 0.0
    return x > front and abs(y) < 1.2 * (x - front)


Grid = Callable[[SiteFixture, Box3, float], Points]
_WAYS: dict[Opens, tuple[Grid, Callable[[Points], Opening]]] = {
    "hinge": (_front, _through),
    "aside": (_front, _through_a_side),
    "out": (_under, _met_early),
}
