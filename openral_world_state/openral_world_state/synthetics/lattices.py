"""Bodies that are mostly not there: what lies behind shows through them."""

from dataclasses import dataclass

import numpy as np

from openral_world_state.synthetics.bodies import Array, Body, Cylinder, Triple


@dataclass(frozen=True, slots=True)
class Ring:
    """A thin upright ring across the x axis: centre, radius, half the wire's thickness [m]."""

    center: Triple
    radius: float
    thickness: float

    def meet(self, eye: Array, rays: Array) -> Array:
        """See `Body`."""
        t = (self.center[0] - eye[0]) / rays[:, 0]
        away = np.linalg.norm((eye + t[:, None] * rays - np.array(self.center))[:, 1:], axis=1)
        return np.where((np.abs(away - self.radius) <= self.thickness) & (t > 0.0), t, np.inf)


@dataclass(frozen=True, slots=True)
class Basket:
    """A wire basket: a cylinder of which only every fifth stripe is there."""

    body: Cylinder

    def meet(self, eye: Array, rays: Array) -> Array:
        """See `Body`."""
        t = self.body.meet(eye, rays)
        points = eye + np.where(np.isfinite(t), t, 0.0)[:, None] * rays
        wires = (np.mod(points[:, 2], 0.04) < 0.008) | (np.mod(points[:, 1], 0.04) < 0.008)
        return np.where(wires, t, np.inf)


@dataclass(frozen=True, slots=True)
class Glass:
    """A transparent body: a depth camera measures it in a random ``share`` of the pixels alone."""

    body: Body
    share: float

    def meet(self, eye: Array, rays: Array) -> Array:
        """See `Body`."""
        measured = np.random.default_rng(0).random(len(rays)) < self.share
        return np.where(measured, self.body.meet(eye, rays), np.inf)
