"""Open or closed state of containers, estimated from depth or reported by a skill, and kept with memory.

A camera that looks at a container's front tells its state: through an open door it measures farther than the
front, and a drawn drawer's tray it meets before the chest.
"""

import json
import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace

import numpy as np
from pydantic import FiniteFloat, TypeAdapter

from openral_core.arrays import Points
from openral_core.home_map import Box3, Opens
from openral_core.spatial_memory import Opening
from openral_world_state.depth_camera import DepthView
from openral_world_state.spatial_memory.memory import SpatialMemory
from openral_world_state.static_map import SiteFixture, StaticMap

_STATES_FACT, _DRAWN_FACT = "openings", "drawn"
_STATES, _DISTANCES = TypeAdapter(dict[str, Opening]), TypeAdapter(dict[str, FiniteFloat])


@dataclass(frozen=True, slots=True)
class OpeningThresholds:
    """Decision thresholds of a container's state, chosen on the doors and drawers of the simulated home.

    A skill's result counts as open from the fraction ``skill_open`` of wide open, as closed up to
    ``skill_closed``. Of the sampled points of a front, the fraction ``open_points`` must be looked through
    (a drawer: hidden by its tray) to be open, and ``closed_points`` must be met to be closed.

    Args:
        skill_open: Fraction of wide open [1].
        skill_closed: Fraction of wide open [1].
        open_points: Fraction of the sampled points [1].
        closed_points: Fraction of the sampled points [1].
        tolerance: Difference in depth up to which a point counts as on the front [m].
        min_depth: Depth from which a camera can judge a front [m].
        border: Width of the image's border that is not used [px].
        below: Distance below a drawer at which its chest is sampled [m].
        rim: Height by which a drawer's tray may rise above its interior [m].
        max_oblique: Tangent of the largest angle between the view and the front's normal, 50 degrees [1].
    """

    skill_open: float = 0.5
    skill_closed: float = 0.05
    open_points: float = 0.6
    closed_points: float = 0.8
    tolerance: float = 0.1
    min_depth: float = 0.2
    border: float = 2.0
    below: float = 0.08
    rim: float = 0.01
    max_oblique: float = 1.2


_LIMITS = OpeningThresholds()
_SAMPLES = np.linspace(0.15, 0.85, 5)  # fractions of the front's sides: off its frame, across its middle


class ContainerStates:
    """Last known state of each container with a door; kept with memory, so it outlives the process.

    ``openings`` maps ids of containers to the state last seen, or reported by a skill. The contents of a
    drawer that a skill moved are moved with it.
    """

    def __init__(self, memory: SpatialMemory, home: StaticMap) -> None:
        self._memory = memory
        self._doors = {site.node.id for site in home.containers if site.node.occludes_contents}
        self._drawers = {site.node.id: site for site in home.containers if site.drawn > 0.0}
        self._drawn = memory.fact(_DRAWN_FACT, _DISTANCES, {})
        stored = memory.fact(_STATES_FACT, _STATES, {})
        self.openings = {name: opening for name, opening in stored.items() if name in self._doors}

    def __contains__(self, container: str) -> bool:
        return container in self._doors

    def on_skill_result(self, container: str, fraction: float) -> bool:
        """Apply a skill's result; return False if `set` does.

        Args:
            container: Id of the container whose door or drawer was moved.
            fraction: Position it ended at, from 0 (closed) to 1 (wide open).
        """
        drawer = self._drawers.get(container)
        if drawer is not None and math.isfinite(fraction):
            drawn = min(max(fraction, 0.0), 1.0) * drawer.drawn
            moved = drawn - self._drawn.get(container, 0.0)
            dx, dy = moved * math.cos(drawer.frame.yaw), moved * math.sin(drawer.frame.yaw)
            inside = [r for r in self._memory if not r.carried and drawer.encloses(r.pose.position)]
            for record in inside:
                x, y, z = record.pose.position
                record.pose = replace(record.pose, position=(x + dx, y + dy, z))
                self._memory.touch(record)
            self._drawn[container] = drawn
            self._memory.put_fact(_DRAWN_FACT, json.dumps(self._drawn))
        if fraction >= _LIMITS.skill_open:
            return self.set(container, Opening.OPEN)
        return self.set(container, Opening.CLOSED if fraction <= _LIMITS.skill_closed else Opening.UNKNOWN)

    def set(self, container: str, opening: Opening) -> bool:
        """Set a container's state; return False if it has no door or the state is UNKNOWN."""
        if container not in self._doors or opening is Opening.UNKNOWN:
            return False
        if self.openings.get(container) is not opening:
            self.openings[container] = opening
            states = {name: value.value for name, value in sorted(self.openings.items())}
            self._memory.put_fact(_STATES_FACT, json.dumps(states))
        return True


def estimate_opening(view: DepthView, site: SiteFixture, farthest: float) -> Opening:
    """Estimate a container's state; UNKNOWN unless the camera sees enough of its front.

    Args:
        view: Depth image.
        farthest: Depth that can be trusted [m].
    """
    if site.footprint is None or site.interior is None:
        return Opening.UNKNOWN
    front = site.footprint.max[0]
    x, y = site.frame.to_local(float(view.camera_position[0]), float(view.camera_position[1]))
    is_facing = x > front and abs(y) < _LIMITS.max_oblique * (x - front)
    if not is_facing:
        return Opening.UNKNOWN
    sample, classify = _METHODS[site.opens]
    points = sample(site, site.interior, front)
    residual = depth_residual(view, points, farthest)
    if residual is None:
        return Opening.UNKNOWN
    opening = classify(residual)
    is_other = (
        site.opens == "out"
        and opening is Opening.OPEN
        and not _is_own_tray(view, points, residual, site.interior)
    )
    return Opening.UNKNOWN if is_other else opening


def classify_door(residual: Points) -> Opening:
    """OPEN if most points are looked through, CLOSED if nearly all are met."""
    if (np.abs(residual) <= _LIMITS.tolerance).mean() >= _LIMITS.closed_points:
        return Opening.CLOSED
    is_open = (residual > _LIMITS.tolerance).mean() >= _LIMITS.open_points
    return Opening.OPEN if is_open else Opening.UNKNOWN


def classify_sliding_door(residual: Points) -> Opening:
    """Classify the halves of the front one by one, because only one of them is ever open."""
    columns = len(_SAMPLES) // 2 * len(_SAMPLES)
    halves = [classify_door(half) for half in (residual[:columns], residual[-columns:])]
    if Opening.OPEN in halves:
        return Opening.OPEN
    return Opening.CLOSED if halves == [Opening.CLOSED] * 2 else Opening.UNKNOWN


def classify_drawer(residual: Points) -> Opening:
    """OPEN if the tray hides the chest, CLOSED if the chest is visible."""
    if (residual < -_LIMITS.tolerance).mean() >= _LIMITS.open_points:
        return Opening.OPEN
    is_visible = (residual >= -_LIMITS.tolerance).mean() >= _LIMITS.closed_points
    return Opening.CLOSED if is_visible else Opening.UNKNOWN


def _is_own_tray(view: DepthView, points: Points, residual: Points, interior: Box3) -> bool:
    """Tell by its height the tray of this drawer from that of one above it."""
    depth = view.to_camera(points)[:, 2]
    hidden = residual < -_LIMITS.tolerance
    scale = (1.0 + residual / depth)[:, None]
    heights = (view.camera_position + (points - view.camera_position) * scale)[hidden, 2]
    low, high = interior.min[2] - _LIMITS.below, interior.max[2] + _LIMITS.rim
    return bool(((heights > low) & (heights < high)).mean() >= _LIMITS.open_points)


def depth_residual(view: DepthView, points: Points, farthest: float) -> Points | None:
    """Measured depth minus the depth of each map point (N, 3) [m]; None if any is not in view."""
    in_camera = view.to_camera(points)
    if (in_camera[:, 2] < _LIMITS.min_depth).any() or (in_camera[:, 2] > farthest).any():
        return None
    height, width = view.depth.shape
    pixels = view.depth_intrinsics.project(in_camera)
    inside = (pixels >= _LIMITS.border) & (pixels <= np.array([width, height]) - _LIMITS.border)
    if not inside.all():  # NaN, beyond the field of view, is not inside
        return None
    columns, rows = pixels.astype(int).T
    depth = view.depth[rows, columns].astype(np.float64)
    has_depth = np.isfinite(depth) & (depth > 0.0)
    residual: Points = np.where(has_depth, depth - in_camera[:, 2], -np.inf)
    return residual


def _sample_front(site: SiteFixture, interior: Box3, x: float) -> Points:
    """Points across the front of the container's volume in map, column by column, shape (25, 3)."""
    low, high = np.array(interior.min), np.array(interior.max)
    heights = [float(z) for z in low[2] + _SAMPLES * (high[2] - low[2])]
    return _to_map(site, ((x, float(y), z) for y in low[1] + _SAMPLES * (high[1] - low[1]) for z in heights))


def _sample_below(site: SiteFixture, interior: Box3, x: float) -> Points:
    """Points of the chest's front below the container in map, which a drawn tray hides, shape (5, 3)."""
    low, high = np.array(interior.min), np.array(interior.max)
    z = float(low[2]) - _LIMITS.below
    return _to_map(site, ((x, float(y), z) for y in low[1] + _SAMPLES * (high[1] - low[1])))


def _to_map(site: SiteFixture, points: Iterable[tuple[float, float, float]]) -> Points:
    return np.array([(*site.frame.to_parent(x, y), z) for x, y, z in points])


Sampler = Callable[[SiteFixture, Box3, float], Points]
_METHODS: dict[Opens, tuple[Sampler, Callable[[Points], Opening]]] = {
    "hinge": (_sample_front, classify_door),
    "aside": (_sample_front, classify_sliding_door),
    "out": (_sample_below, classify_drawer),
}
