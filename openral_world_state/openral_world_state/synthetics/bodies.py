"""Simple bodies and where rays meet them."""

from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
Triple = tuple[float, float, float]


class Body(Protocol):
    """Something rays can meet."""

    def meet(self, eye: Array, rays: Array) -> Array:
        """Multiples of each ray (N, 3) at which it first meets the surface, infinite where it never does."""
        ...


@dataclass(frozen=True, slots=True)
class Plane:
    """All points p with normal . p = offset [m]."""

    normal: Triple
    offset: float

    def meet(self, eye: Array, rays: Array) -> Array:
        """See `Body`."""
        normal = np.array(self.normal)
        return _ahead((self.offset - normal @ eye) / _nonzero(rays @ normal))


@dataclass(frozen=True, slots=True)
class Block:
    """An upright box: centre and size [m], turned by ``yaw`` [rad]."""

    center: Triple
    size: Triple
    yaw: float = 0.0

    def meet(self, eye: Array, rays: Array) -> Array:
        """See `Body`."""
        c, s = np.cos(self.yaw), np.sin(self.yaw)
        R = np.array([[c, s, 0.0], [-s, c, 0.0], [0.0, 0.0, 1.0]])
        start, toward = R @ (eye - np.array(self.center)), _nonzero(rays @ R.T)
        half = np.array(self.size) / 2.0
        first, second = (-half - start) / toward, (half - start) / toward
        enter, leave = np.minimum(first, second).max(axis=1), np.maximum(first, second).min(axis=1)
        return np.where((leave >= enter) & (enter > 0.0), enter, np.inf)


@dataclass(frozen=True, slots=True)
class Cylinder:
    """An upright cylinder: centre, radius and height [m]; ``hollow`` without its top."""

    center: Triple
    radius: float
    height: float
    hollow: bool = False

    def meet(self, eye: Array, rays: Array) -> Array:
        """See `Body`."""
        start = eye - np.array(self.center)
        a = (rays[:, :2] ** 2).sum(axis=1)
        b = 2.0 * rays[:, :2] @ start[:2]
        root = np.sqrt(np.maximum(b * b - 4.0 * a * (start[:2] @ start[:2] - self.radius**2), -0.0))
        hits = b * b >= 4.0 * a * (start[:2] @ start[:2] - self.radius**2)
        both = (np.where(hits, (-b + sign * root) / _nonzero(2.0 * a), np.inf) for sign in (-1.0, 1.0))
        sides = [self._side(start, rays, t) for t in both]
        ends = (-0.5,) if self.hollow else (-0.5, 0.5)
        caps = [self._end(start, rays, end * self.height) for end in ends]
        return np.asarray(np.minimum.reduce([*sides, *caps]))

    def _side(self, start: Array, rays: Array, t: Array) -> Array:
        met = np.where(np.isfinite(t), t, 0.0)
        within = np.abs(start[2] + met * rays[:, 2]) <= self.height / 2.0
        return np.asarray(np.where(within & np.isfinite(t), _ahead(t), np.inf))

    def _end(self, start: Array, rays: Array, z: float) -> Array:
        t = _ahead((z - start[2]) / _nonzero(rays[:, 2]))
        points = start[:2] + np.where(np.isfinite(t), t, 0.0)[:, None] * rays[:, :2]
        return np.where((points**2).sum(axis=1) <= self.radius**2, t, np.inf)


@dataclass(frozen=True, slots=True)
class Ball:
    """A sphere: centre and radius [m]."""

    center: Triple
    radius: float

    def meet(self, eye: Array, rays: Array) -> Array:
        """See `Body`."""
        start = eye - np.array(self.center)
        a, b = (rays**2).sum(axis=1), 2.0 * rays @ start
        inside = b * b - 4.0 * a * (start @ start - self.radius**2)
        return np.where(inside >= 0.0, _ahead((-b - np.sqrt(np.maximum(inside, 0.0))) / (2.0 * a)), np.inf)


def _nonzero(values: Array) -> Array:
    return np.where(np.abs(values) < 1e-12, 1e-12, values)


def _ahead(multiples: Array) -> Array:
    return np.where(multiples > 0.0, multiples, np.inf)
