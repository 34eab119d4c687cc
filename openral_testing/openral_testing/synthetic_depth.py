"""Exact depth images of simple, sparse and transparent bodies, with the bounding box of each."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from openral_core.arrays import Array, Mask, Points, Transform, Vector3
from openral_core.detectors import Box
from openral_world_state.depth_camera import DepthView, Intrinsics

Triple = tuple[float, float, float]


class Solid(Protocol):
    """A body that rays can intersect."""

    def intersect(self, eye: Vector3, rays: Points) -> Array:
        """Return the multiples of each ray (N, 3) at its first intersection; infinite without one."""
        ...


@dataclass(frozen=True, slots=True)
class Plane:
    """All points p with normal . p = offset [m]."""

    normal: Triple
    offset: float

    def intersect(self, eye: Vector3, rays: Points) -> Array:
        normal = np.array(self.normal)
        return _ahead((self.offset - normal @ eye) / _nonzero(rays @ normal))


@dataclass(frozen=True, slots=True)
class Block:
    """An upright box: centre and size [m], turned by ``yaw`` [rad]."""

    center: Triple
    size: Triple
    yaw: float = 0.0

    def intersect(self, eye: Vector3, rays: Points) -> Array:
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

    def intersect(self, eye: Vector3, rays: Points) -> Array:
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

    def _side(self, start: Vector3, rays: Points, t: Array) -> Array:
        met = np.where(np.isfinite(t), t, 0.0)
        within = np.abs(start[2] + met * rays[:, 2]) <= self.height / 2.0
        return np.asarray(np.where(within & np.isfinite(t), _ahead(t), np.inf))

    def _end(self, start: Vector3, rays: Points, z: float) -> Array:
        t = _ahead((z - start[2]) / _nonzero(rays[:, 2]))
        points = start[:2] + np.where(np.isfinite(t), t, 0.0)[:, None] * rays[:, :2]
        return np.where((points**2).sum(axis=1) <= self.radius**2, t, np.inf)


@dataclass(frozen=True, slots=True)
class Ball:
    """A sphere: centre and radius [m]."""

    center: Triple
    radius: float

    def intersect(self, eye: Vector3, rays: Points) -> Array:
        start = eye - np.array(self.center)
        a, b = (rays**2).sum(axis=1), 2.0 * rays @ start
        inside = b * b - 4.0 * a * (start @ start - self.radius**2)
        return np.where(inside >= 0.0, _ahead((-b - np.sqrt(np.maximum(inside, 0.0))) / (2.0 * a)), np.inf)


@dataclass(frozen=True, slots=True)
class Ring:
    """A thin upright ring across the x axis: centre, radius, half the wire's thickness [m]."""

    center: Triple
    radius: float
    thickness: float

    def intersect(self, eye: Vector3, rays: Points) -> Array:
        t = (self.center[0] - eye[0]) / rays[:, 0]
        away = np.linalg.norm((eye + t[:, None] * rays - np.array(self.center))[:, 1:], axis=1)
        return np.where((np.abs(away - self.radius) <= self.thickness) & (t > 0.0), t, np.inf)


@dataclass(frozen=True, slots=True)
class Basket:
    """A wire basket: a cylinder of which only every fifth stripe is solid."""

    body: Cylinder

    def intersect(self, eye: Vector3, rays: Points) -> Array:
        t = self.body.intersect(eye, rays)
        points = eye + np.where(np.isfinite(t), t, 0.0)[:, None] * rays
        wires = (np.mod(points[:, 2], 0.04) < 0.008) | (np.mod(points[:, 1], 0.04) < 0.008)
        return np.where(wires, t, np.inf)


@dataclass(frozen=True, slots=True)
class Glass:
    """A transparent body: a depth camera measures only a random ``fraction`` of its pixels."""

    body: Solid
    fraction: float

    def intersect(self, eye: Vector3, rays: Points) -> Array:
        measured = np.random.default_rng(0).random(len(rays)) < self.fraction
        return np.where(measured, self.body.intersect(eye, rays), np.inf)


def _nonzero(values: Array) -> Array:
    return np.where(np.abs(values) < 1e-12, 1e-12, values)


def _ahead(multiples: Array) -> Array:
    return np.where(multiples > 0.0, multiples, np.inf)


@dataclass(frozen=True)
class SyntheticDepthImage:
    """A depth view with the box around the visible part of each body [px]; hidden bodies have none."""

    view: DepthView
    boxes: Mapping[str, Box]


def look_at_pose(eye: Triple, at: Triple) -> Transform:
    """Return ``T_map_camera`` of a level camera at ``eye`` whose optical axis goes through ``at``."""
    z = np.array(at, dtype=float) - np.array(eye, dtype=float)
    z /= np.linalg.norm(z)
    x = np.cross(z, (0.0, 0.0, 1.0))
    x = x / np.linalg.norm(x) if np.linalg.norm(x) > 1e-9 else np.array([1.0, 0.0, 0.0])
    T = np.eye(4)
    T[:3, :3] = np.column_stack((x, np.cross(z, x), z))
    T[:3, 3] = eye
    return T


def render_depth(
    bodies: Mapping[str, Solid],
    T_map_camera: Transform,
    size: tuple[int, int] = (640, 480),
    focal: float = 525.0,
    stamp: float = 0.0,
    camera: str = "head",
) -> SyntheticDepthImage:
    """Render bodies as seen by a camera.

    Args:
        bodies: By name; names starting with "_" get no box.
        T_map_camera: Optical frame to map, shape (4, 4).
        size: Width and height [px].
        focal: [px] for an image of 640 px, scaled with the width.
        stamp: [s].
        camera: Its id.
    """
    width, height = size
    f = focal * width / 640.0
    intrinsics = Intrinsics(
        np.array([[f, 0.0, width / 2], [0.0, f, height / 2], [0.0, 0.0, 1.0]]), width, height
    )
    columns, rows = np.meshgrid(np.arange(width), np.arange(height))
    pixels = np.column_stack((columns.ravel(), rows.ravel())).astype(float)
    rays = intrinsics.rays(pixels) @ T_map_camera[:3, :3].T
    hits = np.stack([body.intersect(T_map_camera[:3, 3], rays) for body in bodies.values()])
    nearest = hits.argmin(axis=0)
    depth = hits.min(axis=0)
    owner = np.where(np.isfinite(depth), nearest, -1).reshape(height, width)
    image = np.where(np.isfinite(depth), depth, 0.0).astype(np.float32).reshape(height, width)
    boxes = {
        name: box
        for index, name in enumerate(bodies)
        if not name.startswith("_") and (box := _box_around(owner == index)) is not None
    }
    return SyntheticDepthImage(DepthView(camera, stamp, image, intrinsics, T_map_camera), boxes)


def _box_around(mask: Mask) -> Box | None:
    rows, columns = np.flatnonzero(mask.any(axis=1)), np.flatnonzero(mask.any(axis=0))
    if not len(rows):
        return None
    return Box(float(columns[0]), float(rows[0]), float(columns[-1] + 1), float(rows[-1] + 1))
