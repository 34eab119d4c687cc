"""What an eye sees past boxes, and where the head's eye is."""
# MERGED What stands in a scene and may hide what is behind it.

from collections.abc import Set
from dataclasses import dataclass

import mujoco
import numpy as np
from numpy.typing import NDArray

from openral_core.geometry import yaw_matrix
from openral_sim.robot.model import (
    HEAD_CAMERA,
    HEAD_FIELD_OF_VIEW,
    HEAD_HEIGHT,
    MAST_X,
    PAN_LIMIT,
    TILT_LIMITS,
)

Vector = NDArray[np.float64]
_ASPECT = 4 / 3
_MARGIN = 0.95
"""Share of the picture that counts: what lies at its very edge is cut off."""
_TANGENTS = _MARGIN * np.tan(np.radians(HEAD_FIELD_OF_VIEW / 2)) * np.array([_ASPECT, 1.0])
_THIN = 1e-9


@dataclass(frozen=True)
class Boxes:
    """Boxes that hide what is behind them.

    Attributes:
        centres: In map in [m], shape (N, 3).
        axes: Their axes in map as columns, shape (N, 3, 3).
        halves: Half their extents along those in [m], shape (N, 3).
    """

    centres: Vector
    axes: Vector
    halves: Vector


@dataclass(frozen=True)
class VisibilityResult:
    """What the head sees of some points from a base pose.

    Attributes:
        base: Pose (x, y, yaw) in map, shape (3,).
        aim: Where in map the camera points to, shape (3,).
        share: Share of the points that it sees.
    """

    base: Vector
    aim: Vector
    share: float


def visible_fraction(base: Vector, points: Vector, boxes: Boxes) -> VisibilityResult:
    """What the head sees from a base pose when it points to the middle of what is not hidden there.

    Args:
        base: Pose (x, y, yaw) in map, shape (3,).
        points: What shall be seen, in map in [m], shape (N, 3).
        boxes: What may hide it.
    """
    middle = points.mean(axis=0)
    open_to_sight = points[~is_occluded(camera_pose_looking_at(base, middle)[0], points, boxes)]
    if not len(open_to_sight):
        return VisibilityResult(base, middle, 0.0)
    aim = open_to_sight.mean(axis=0)
    eye, R = camera_pose_looking_at(base, aim)
    x, y, z = ((open_to_sight - eye) @ R).T
    sharp = (z > 0) & (np.abs(x) < _TANGENTS[0] * z) & (np.abs(y) < _TANGENTS[1] * z)
    return VisibilityResult(base, aim, float(sharp.sum()) / len(points))


def camera_pose_looking_at(base: Vector, aim: Vector) -> tuple[Vector, Vector]:
    """Where the head's camera is that points to ``aim`` as far as the head turns, and its optical axes.

    Returns:
        Position in map in [m], shape (3,), and axes (right, down, forward) as columns, shape (3, 3).
    """
    T_map_base = yaw_matrix(*base)
    neck = T_map_base[:3, :3] @ (MAST_X, 0.0, HEAD_HEIGHT) + T_map_base[:3, 3]
    x, y, z = T_map_base[:3, :3].T @ (aim - neck)
    pan = np.clip(np.arctan2(y, x), -PAN_LIMIT, PAN_LIMIT)
    tilt = np.clip(np.arctan2(-z, np.hypot(x, y)), *TILT_LIMITS)
    c, s, ct, st = np.cos(pan), np.sin(pan), np.cos(tilt), np.sin(tilt)
    R_base_head = np.array([[c * ct, -s, c * st], [s * ct, c, s * st], [-st, 0.0, ct]])
    R = T_map_base[:3, :3] @ R_base_head
    forward, left, up = R.T
    return neck + R @ HEAD_CAMERA, np.column_stack([-left, -up, forward])


def is_occluded(eye: Vector, points: Vector, boxes: Boxes) -> NDArray[np.bool_]:
    """Which points a box hides from an eye, shape (N,): the slab test of each line of sight with each box."""
    origins = np.einsum("nji,nj->ni", boxes.axes, eye - boxes.centres)[:, None]
    ways = np.einsum("nji,pj->npi", boxes.axes, points - eye)
    ways = np.where(np.abs(ways) < _THIN, _THIN, ways)
    ends = (np.stack([-boxes.halves, boxes.halves])[:, :, None] - origins) / ways
    enters, leaves = ends.min(axis=0).max(axis=-1), ends.max(axis=0).min(axis=-1)
    met: NDArray[np.bool_] = ((enters <= leaves) & (leaves > 0.0) & (enters < 1.0)).any(axis=0)
    return met


def nearby_occluders(
    model: mujoco.MjModel, data: mujoco.MjData, point: Vector, reach: float, blind: Set[int]
) -> Boxes:
    """Boxes around furniture's panels and walls; what can be picked up hides nothing, known or not.

    Args:
        model: The scene.
        data: Its state; doors and drawers are taken where they are.
        point: In map in [m], shape (3,).
        reach: How far from it they may be in [m].
        blind: Bodies left out, such as the robot's own.
    """
    geoms = [geom for geom in range(model.ngeom) if _stands(model, geom, blind)]
    middles, halves = model.geom_aabb[geoms].reshape(-1, 2, 3).transpose(1, 0, 2)
    axes = data.geom_xmat[geoms].reshape(-1, 3, 3)
    centres = data.geom_xpos[geoms] + np.einsum("nij,nj->ni", axes, middles)
    near = np.linalg.norm(centres - point, axis=1) < reach + np.linalg.norm(halves, axis=1)
    return Boxes(centres[near], axes[near], halves[near])


def _stands(model: mujoco.MjModel, geom: int, blind: Set[int]) -> bool:
    body = int(model.geom_bodyid[geom])
    first = int(model.body_jntadr[model.body_rootid[body]])
    loose = first >= 0 and int(model.jnt_type[first]) == int(mujoco.mjtJoint.mjJNT_FREE)
    is_plane = int(model.geom_type[geom]) == int(mujoco.mjtGeom.mjGEOM_PLANE)
    return not (loose or is_plane or body in blind)
