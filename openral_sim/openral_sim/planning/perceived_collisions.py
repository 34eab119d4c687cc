"""Collision checks of robot postures against what the robot saw, not against the scene's model.

The robot's own links, and a held object, are checked against each other by the model of the robot; everything
else is voxels. Base and torso stand on floor that the floor map keeps free, so only the arm meets voxels.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass

import mujoco
import numpy as np
from numpy.typing import NDArray

from openral_core.arrays import Joints, PlanarPose, Points, Vector3
from openral_sim.planning.collision_checker import MARGIN, CollisionChecker, HeldBody
from openral_sim.planning.perceived_space import PerceivedSpace
from openral_sim.robot.joints import RobotNames

SPACING = 0.03
"""Distance between the points that stand for a surface [m]: less than two voxels."""
SEEN = "what the cameras saw"
_GEOM = mujoco.mjtGeom


@dataclass(frozen=True, eq=False)
class SurfacePoints:
    """Points on the surfaces of some geoms."""

    geoms: NDArray[np.int64]  # Geom of each point, shape (N,).
    points: Points  # In the frame of the geom [m], shape (N, 3).

    @classmethod
    def of(cls, model: mujoco.MjModel, bodies: Iterable[int]) -> "SurfacePoints":
        """Sample the colliding geoms of some bodies, outset by the margin."""
        solid = (model.geom_contype != 0) | (model.geom_conaffinity != 0)
        chosen = np.flatnonzero(solid & np.isin(model.geom_bodyid, list(bodies)))
        parts = [_outset(_surface(model, int(geom))) for geom in chosen]
        if not parts:
            return cls(np.zeros(0, np.int64), np.zeros((0, 3)))
        return cls(np.repeat(chosen, [len(part) for part in parts]), np.vstack(parts))

    def in_map(self, data: mujoco.MjData) -> Points:
        """Return the points in map [m], shape (N, 3)."""
        R = data.geom_xmat[self.geoms].reshape(-1, 3, 3)
        moved: Points = np.einsum("nij,nj->ni", R, self.points) + data.geom_xpos[self.geoms]
        return moved


class PerceivedCollisionChecker(CollisionChecker):
    """Check postures against voxels; see `CollisionChecker`.

    Args:
        model: The robot's model, in its scene.
        names: Names of the robot's parts.
        space: What was seen.
    """

    def __init__(self, model: mujoco.MjModel, names: RobotNames, space: PerceivedSpace) -> None:
        super().__init__(model, names)
        self._space = space
        self._arm = SurfacePoints.of(model, arm_bodies(model, names))
        self._seen_points, self._held_id = self._arm, -1
        self._allowed_voxels: frozenset[tuple[int, int]] = frozenset()

    def sync(self, data: mujoco.MjData, held: HeldBody | None = None) -> None:
        super().sync(data, held)
        self._allowed_voxels = frozenset()
        for own, source in (
            (self._model.geom_contype, self._source.geom_contype),
            (self._model.geom_conaffinity, self._source.geom_conaffinity),
        ):
            own[:] = np.where(self._is_moving, source, 0)
        body = held.body if held else -1
        if body != self._held_id:
            self._held_id = body
            with_held = (*arm_bodies(self._source, self._names), *((body,) if held else ()))
            self._seen_points = SurfacePoints.of(self._source, with_held) if held else self._arm
        if held is not None:
            self._forget(data, held.body)

    def allow_current_contacts(self) -> None:
        super().allow_current_contacts()
        self._allowed_voxels = frozenset(self._voxels())

    def is_free(self, reach: Joints, base: PlanarPose | None = None) -> bool:
        return super().is_free(reach, base) and next(self._voxels(), None) is None

    def contact_pairs(self, reach: Joints, base: PlanarPose | None = None) -> list[tuple[str, str]]:
        own = super().contact_pairs(reach, base)
        bodies = {int(self._model.geom_bodyid[geom]) for geom, _ in self._voxels()}
        return [*own, *((self._model.body(body).name, SEEN) for body in sorted(bodies))]

    def _voxels(self) -> Iterator[tuple[int, int]]:
        """Yield geoms and the occupied voxels that they are in, at the posture that was set last."""
        points = self._seen_points.in_map(self._data)
        cells = self._space.occupied(points)
        if self._allowed_region is not None:
            middle, radius = self._allowed_region
            cells[np.linalg.norm(points - middle, axis=1) < radius] = -1
        for index in np.flatnonzero(cells >= 0):
            pair = int(self._seen_points.geoms[index]), int(cells[index])
            if pair not in self._allowed_voxels:
                yield pair

    def _forget(self, data: mujoco.MjData, body: int) -> None:
        """Forget the voxels of the held object: it is no longer where it was seen."""
        first = int(self._source.body_geomadr[body])
        for geom in range(first, first + int(self._source.body_geomnum[body])):
            T = np.eye(4)
            T[:3, :3], T[:3, 3] = data.geom_xmat[geom].reshape(3, 3), data.geom_xpos[geom]
            centre, half = self._source.geom_aabb[geom].reshape(2, 3)
            T[:3, 3] += T[:3, :3] @ centre
            self._space.forget(T, half + MARGIN)


def arm_bodies(model: mujoco.MjModel, names: RobotNames) -> list[int]:
    """Return the ids of the bodies that the joints of the arm move, from its second link on."""
    first = int(model.jnt_bodyid[model.joint(names.arm_joints[1]).id])
    return [body for body in range(model.nbody) if _is_below(model, body, first)]


def _is_below(model: mujoco.MjModel, body: int, ancestor: int) -> bool:
    while body not in (0, ancestor):
        body = int(model.body_parentid[body])
    return body == ancestor


def _surface(model: mujoco.MjModel, geom: int) -> Points:
    """Sample the surface of a geom in its frame [m], shape (N, 3)."""
    kind = _GEOM(int(model.geom_type[geom]))
    if kind == _GEOM.mjGEOM_MESH:
        mesh = int(model.geom_dataid[geom])
        first = int(model.mesh_vertadr[mesh])
        points = np.array(model.mesh_vert[first : first + int(model.mesh_vertnum[mesh])], dtype=float)
    else:
        points = _SHAPES.get(kind, _box)(np.array(model.geom_size[geom]))
    return _thinned(points)


def _box(size: Vector3) -> Points:
    axes = [np.linspace(-half, half, max(2, int(np.ceil(2 * half / SPACING)) + 1)) for half in size]
    points = np.array(np.meshgrid(*axes)).reshape(3, -1).T
    return np.asarray(points[(np.abs(np.abs(points) - size) < 1e-9).any(axis=1)])


def _ellipsoid(size: Vector3) -> Points:
    count = 80
    z = np.linspace(-1.0, 1.0, count)
    turn = np.arange(count) * 2.399963  # the golden angle spreads the points evenly
    ring = np.sqrt(1.0 - z**2)
    return np.column_stack([ring * np.cos(turn), ring * np.sin(turn), z]) * size


def _sphere(size: Vector3) -> Points:
    return _ellipsoid(np.full(3, size[0]))


def _cylinder(size: Vector3) -> Points:
    radius, half = float(size[0]), float(size[1])
    angles = np.linspace(0.0, 2.0 * np.pi, max(8, int(2 * np.pi * radius / SPACING)), endpoint=False)
    heights = np.linspace(-half, half, max(2, int(np.ceil(2 * half / SPACING)) + 1))
    rings = [
        np.column_stack([r * np.cos(angles), r * np.sin(angles), np.full(len(angles), z)])
        for z in heights
        for r in ((radius, radius / 2) if abs(abs(z) - half) < 1e-9 else (radius,))
    ]
    return np.vstack(rings)


def _capsule(size: Vector3) -> Points:
    ball, half = _sphere(size), float(size[1])
    caps = [ball[ball[:, 2] >= 0.0] + (0.0, 0.0, half), ball[ball[:, 2] <= 0.0] - (0.0, 0.0, half)]
    return np.vstack([_cylinder(size), *caps])


_SHAPES: Mapping[int, Callable[[Points], Vector3]] = {
    _GEOM.mjGEOM_BOX: _box,
    _GEOM.mjGEOM_SPHERE: _sphere,
    _GEOM.mjGEOM_ELLIPSOID: _ellipsoid,
    _GEOM.mjGEOM_CYLINDER: _cylinder,
    _GEOM.mjGEOM_CAPSULE: _capsule,
}


def _thinned(points: Points) -> Points:
    """Keep one point per cell of the spacing, and the outermost along each axis."""
    cells = np.floor(points / SPACING).astype(np.int64)
    _, first = np.unique(cells, axis=0, return_index=True)
    outer = [*points.argmin(axis=0), *points.argmax(axis=0)]
    return np.asarray(points[np.unique([*first, *outer])])


def _outset(points: Points) -> Points:
    """Move points away from their middle by the margin."""
    away = points - points.mean(axis=0)
    return np.asarray(points + MARGIN * away / np.maximum(np.linalg.norm(away, axis=1, keepdims=True), 1e-9))
