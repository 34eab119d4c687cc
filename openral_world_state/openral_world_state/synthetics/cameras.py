"""Exact depth images of bodies, with the box of each."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from openral_core.detections import Box
from openral_world_state.synthetics.bodies import Body, Triple
from openral_world_state.views import Intrinsics, View

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Shot:
    """A view, and the box around the visible part of each body [px]; hidden ones have none."""

    view: View
    boxes: Mapping[str, Box]


def looking(eye: Triple, at: Triple) -> Array:
    """``T_map_camera`` of a level camera at ``eye`` whose optical axis goes through ``at``."""
    z = np.array(at, dtype=float) - np.array(eye, dtype=float)
    z /= np.linalg.norm(z)
    x = np.cross(z, (0.0, 0.0, 1.0))
    x = x / np.linalg.norm(x) if np.linalg.norm(x) > 1e-9 else np.array([1.0, 0.0, 0.0])
    T = np.eye(4)
    T[:3, :3] = np.column_stack((x, np.cross(z, x), z))
    T[:3, 3] = eye
    return T


def shoot(
    bodies: Mapping[str, Body],
    T_map_camera: Array,
    size: tuple[int, int] = (640, 480),
    focal: float = 525.0,
    stamp: float = 0.0,
    camera: str = "head",
) -> Shot:
    """What a camera sees of bodies.

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
    meets = np.stack([body.meet(T_map_camera[:3, 3], rays) for body in bodies.values()])
    nearest = meets.argmin(axis=0)
    depth = meets.min(axis=0)
    owner = np.where(np.isfinite(depth), nearest, -1).reshape(height, width)
    image = np.where(np.isfinite(depth), depth, 0.0).astype(np.float32).reshape(height, width)
    boxes = {
        name: box
        for index, name in enumerate(bodies)
        if not name.startswith("_") and (box := _box_around(owner == index)) is not None
    }
    return Shot(View(camera, stamp, image, intrinsics, T_map_camera), boxes)


def _box_around(mask: NDArray[np.bool_]) -> Box | None:
    rows, columns = np.flatnonzero(mask.any(axis=1)), np.flatnonzero(mask.any(axis=0))
    if not len(rows):
        return None
    return Box(float(columns[0]), float(rows[0]), float(columns[-1] + 1), float(rows[-1] + 1))
