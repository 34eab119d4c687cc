"""Visibility of points from the head's camera past furniture and walls, taken as boxes."""

from collections.abc import Set
from dataclasses import dataclass

import mujoco
import numpy as np

from openral_core.arrays import Array, Mask, PlanarPose, Points, Rotation, Vector3
from openral_core.geometry import yaw_matrix
from openral_sim.robot.sim_robot import HeadGeometry

_ASPECT = 4 / 3
"""Width of the head camera's image over its height [1]."""
_MARGIN = 0.95
"""Fraction of the image that counts [1]: objects at its edge are cut off."""
_EPSILON = 1e-9  # Replaces a zero in the slab test.


@dataclass(frozen=True)
class Boxes:
    """Oriented boxes that occlude points behind them."""

    centres: Points  # In map in [m], shape (N, 3).
    axes: Array  # Their axes in map as columns, shape (N, 3, 3).
    halves: Points  # Half their extents along their axes in [m], shape (N, 3).


@dataclass(frozen=True)
class VisibilityResult:
    """Visibility of a set of points from a base pose."""

    base: PlanarPose  # Pose (x, y, yaw) in map, shape (3,).
    aim: Vector3  # Point in map that the camera points at, shape (3,).
    fraction: float  # Fraction of the points that it sees.


def visible_fraction(head: HeadGeometry, base: PlanarPose, points: Points, boxes: Boxes) -> VisibilityResult:
    """Compute the visibility of points from a base pose, the head aimed at the middle of the unoccluded ones.

    Args:
        base: Pose (x, y, yaw) in map, shape (3,).
        points: Points to see, in map in [m], shape (N, 3).
        boxes: Possible occluders.
    """
    middle = points.mean(axis=0)
    unoccluded = points[~is_occluded(camera_pose_looking_at(head, base, middle)[0], points, boxes)]
    if not len(unoccluded):
        return VisibilityResult(base, middle, 0.0)
    aim = unoccluded.mean(axis=0)
    eye, R = camera_pose_looking_at(head, base, aim)
    wide, high = _MARGIN * np.tan(np.radians(head.fovy / 2)) * np.array([_ASPECT, 1.0])
    x, y, z = ((unoccluded - eye) @ R).T
    in_image = (z > 0) & (np.abs(x) < wide * z) & (np.abs(y) < high * z)
    return VisibilityResult(base, aim, float(in_image.sum()) / len(points))


def camera_pose_looking_at(head: HeadGeometry, base: PlanarPose, aim: Vector3) -> tuple[Vector3, Rotation]:
    """Compute the pose of the head's camera when it points at ``aim`` as far as the head turns.

    Returns:
        Position in map in [m], shape (3,), and axes (right, down, forward) as columns, shape (3, 3).
    """
    T_map_base = yaw_matrix(*base)
    neck = T_map_base[:3, :3] @ (head.pan_x, 0.0, head.height) + T_map_base[:3, 3]
    x, y, z = T_map_base[:3, :3].T @ (aim - neck)
    pan = np.clip(np.arctan2(y, x), -head.pan_limit, head.pan_limit)
    tilt = np.clip(np.arctan2(-z, np.hypot(x, y) - head.tilt_x), *head.tilt_limits)
    c, s, ct, st = np.cos(pan), np.sin(pan), np.cos(tilt), np.sin(tilt)
    R_base_head = np.array([[c * ct, -s, c * st], [s * ct, c, s * st], [-st, 0.0, ct]])
    R = T_map_base[:3, :3] @ R_base_head
    forward, lateral, up = R.T
    axis = neck + T_map_base[:3, :3] @ (head.tilt_x * c, head.tilt_x * s, 0.0)
    return axis + R @ head.camera, np.column_stack([-lateral, -up, forward])


def is_occluded(eye: Vector3, points: Points, boxes: Boxes) -> Mask:
    """Mark the points that a box hides from an eye, shape (N,), by slab tests of each line of sight."""
    origins = np.einsum("nji,nj->ni", boxes.axes, eye - boxes.centres)[:, None]
    rays = np.einsum("nji,pj->npi", boxes.axes, points - eye)
    rays = np.where(np.abs(rays) < _EPSILON, _EPSILON, rays)
    ends = (np.stack([-boxes.halves, boxes.halves])[:, :, None] - origins) / rays
    enters, leaves = ends.min(axis=0).max(axis=-1), ends.max(axis=0).min(axis=-1)
    met: Mask = ((enters <= leaves) & (leaves > 0.0) & (enters < 1.0)).any(axis=0)
    return met


def nearby_occluders(
    model: mujoco.MjModel, data: mujoco.MjData, point: Vector3, reach: float, blind: Set[int]
) -> Boxes:
    """Collect the boxes of furniture and walls near a point; movable objects do not count as occluders.

    Args:
        data: State of the scene, with doors and drawers where they are.
        point: In map in [m], shape (3,).
        reach: Largest distance from it in [m].
        blind: Bodies left out, such as the robot's own.
    """
    geoms = [geom for geom in range(model.ngeom) if _is_occluder(model, geom, blind)]
    middles, halves = model.geom_aabb[geoms].reshape(-1, 2, 3).transpose(1, 0, 2)
    axes = data.geom_xmat[geoms].reshape(-1, 3, 3)
    centres = data.geom_xpos[geoms] + np.einsum("nij,nj->ni", axes, middles)
    near = np.linalg.norm(centres - point, axis=1) < reach + np.linalg.norm(halves, axis=1)
    return Boxes(centres[near], axes[near], halves[near])


def _is_occluder(model: mujoco.MjModel, geom: int, blind: Set[int]) -> bool:
    body = int(model.geom_bodyid[geom])
    first = int(model.body_jntadr[model.body_rootid[body]])
    is_movable = first >= 0 and int(model.jnt_type[first]) == int(mujoco.mjtJoint.mjJNT_FREE)
    is_plane = int(model.geom_type[geom]) == int(mujoco.mjtGeom.mjGEOM_PLANE)
    return not (is_movable or is_plane or body in blind)
