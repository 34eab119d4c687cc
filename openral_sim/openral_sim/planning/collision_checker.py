"""Collision checks of robot postures on a private copy of the scene."""

import copy
from collections.abc import Iterable
from dataclasses import dataclass

import mujoco
import numpy as np

from openral_core.arrays import Array, Joints, PlanarPose, Transform, Vector3
from openral_sim.robot.control import hand_bodies, robot_bodies
from openral_sim.robot.joints import RobotNames

MARGIN = 0.008
"""Clearance of the robot and a held object from everything else in [m]; covers the servos' tracking error."""


@dataclass(frozen=True)
class HeldBody:
    """A free body held by the hand."""

    body: int  # Its id in the model.
    T_grasp_body: Transform  # Its pose in the grasp site's frame, shape (4, 4).

    @property
    def up_in_body(self) -> Vector3:
        """Direction that has to stay upright, in the body's frame, shape (3,)."""
        return np.array([0.0, 0.0, 1.0])


class CollisionChecker:
    """Check postures against the whole scene as it was at the last ``sync``."""

    def __init__(self, model: mujoco.MjModel, names: RobotNames) -> None:
        self._source, self._model, self._names = model, copy.copy(model), names
        self._data = mujoco.MjData(self._model)
        self._robot = robot_bodies(model, names)
        robot = np.isin(self._model.geom_bodyid, list(self._robot))
        self._margins = np.where(robot, MARGIN, self._model.geom_margin)
        self._base = np.array([model.joint(name).qposadr[0] for name in names.base_joints])
        self._reach = np.array([model.joint(name).qposadr[0] for name in names.reach_joints])
        self._base_pose = np.zeros(3)
        self._held: HeldBody | None = None
        self._is_moving = robot
        self._allowed_pairs: frozenset[tuple[int, int]] = frozenset()
        self._allowed_region: tuple[Vector3, float] | None = None
        self._min_upright = -1.0

    def sync(self, data: mujoco.MjData, held: HeldBody | None = None) -> None:
        """Copy the scene's present state and drop all allowances; a held object moves with the hand."""
        self._data.qpos[:] = data.qpos
        self._model.body_pos[:], self._model.body_quat[:] = self._source.body_pos, self._source.body_quat
        self._data.mocap_pos[:], self._data.mocap_quat[:] = data.mocap_pos, data.mocap_quat
        self._base_pose = np.array(data.qpos[self._base])
        self._held, self._allowed_pairs, self._allowed_region = held, frozenset(), None
        self._min_upright = -1.0
        moving = set(self._robot) | ({held.body} if held else set())
        self._is_moving = np.isin(self._model.geom_bodyid, list(moving))
        self._model.geom_margin[:] = np.where(self._is_moving, MARGIN, self._margins)

    @property
    def reach_limits(self) -> Array:
        """Limits of the lift and the arm in [m] and [rad], shape (D, 2)."""
        limits: Array = self._model.jnt_range[[self._model.joint(j).id for j in self._names.reach_joints]]
        return limits

    def set_joint(self, joint: str, value: float) -> None:
        """Set a joint of the scene, such as a door's hinge, until the next sync."""
        self._data.qpos[self._model.joint(joint).qposadr[0]] = value

    def set_body_position(self, body: int, position: Vector3) -> None:
        """Move a free body to a position in map, its orientation unchanged, until the next sync."""
        first = self._model.jnt_qposadr[self._model.body_jntadr[body]]
        self._data.qpos[first : first + 3] = position

    def allow_current_contacts(self) -> None:
        """Allow the contacts of the present state, so that the robot may start from it."""
        self._allowed_pairs = frozenset()
        self._allowed_pairs = frozenset(self._contacts(None, None))

    def limit_tilt(self, tilt: float) -> None:
        """Reject postures that tilt the held object by more than ``tilt`` [rad], until the next sync."""
        self._min_upright = float(np.cos(tilt))

    def allow_contact_near(self, point: Vector3, radius: float) -> None:
        """Allow contacts within ``radius`` [m] of a point in map, such as the object about to be grasped."""
        self._allowed_region = (np.asarray(point), radius)

    def is_free(self, reach: Joints, base: PlanarPose | None = None) -> bool:
        """Return True if a posture (and base pose) is collision-free and within the tilt limit."""
        return next(iter(self._contacts(reach, base)), None) is None and self._is_upright()

    def contact_pairs(self, reach: Joints, base: PlanarPose | None = None) -> list[tuple[str, str]]:
        """Names of the body pairs in contact in a posture."""
        pairs = self._contacts(reach, base)
        bodies = [(self._model.geom_bodyid[a], self._model.geom_bodyid[b]) for a, b in pairs]
        return [(self._model.body(a).name, self._model.body(b).name) for a, b in bodies]

    def is_path_free(self, first: Joints, last: Joints, step: float = 0.06) -> bool:
        """Return True if the straight line between two postures is free, checked every ``step`` [rad]."""
        count = int(np.abs(last - first).max() / step) + 1
        # Coarse steps first: a blocked line is usually blocked in its middle.
        order = sorted(range(1, count), key=lambda i: -(i & -i))
        return all(self.is_free(first + (last - first) * i / count) for i in (count, *order))

    def _contacts(self, reach: Joints | None, base: PlanarPose | None) -> Iterable[tuple[int, int]]:
        if reach is not None:
            self._data.qpos[self._reach] = reach
        self._data.qpos[self._base] = self._base_pose if base is None else base
        mujoco.mj_kinematics(self._model, self._data)
        self._move_held_body()
        mujoco.mj_collision(self._model, self._data)
        contacts = self._data.contact
        for i in np.flatnonzero(self._is_moving[contacts.geom].any(axis=1)):
            pair = (int(contacts.geom[i, 0]), int(contacts.geom[i, 1]))
            if self._counts(pair, float(contacts.dist[i]), contacts.pos[i]):
                yield pair

    def _counts(self, pair: tuple[int, int], distance: float, position: Vector3) -> bool:
        if pair in self._allowed_pairs:
            return False
        if self._is_moving[list(pair)].all():
            return distance < 0.0 and not self._within_hand(pair)
        return (
            self._allowed_region is None
            or float(np.linalg.norm(position - self._allowed_region[0])) > self._allowed_region[1]
        )

    def _within_hand(self, pair: tuple[int, int]) -> bool:
        """Return True if a contact is between the hand and the held object."""
        if self._held is None:
            return False
        bodies = {int(self._model.geom_bodyid[geom]) for geom in pair}
        return self._held.body in bodies and bool(bodies & hand_bodies(self._model, self._names))

    def _is_upright(self) -> bool:
        if self._held is None:
            return True
        return float(self._data.xmat[self._held.body, 6:] @ self._held.up_in_body) >= self._min_upright

    def _move_held_body(self) -> None:
        if self._held is None:
            return
        site = self._data.site(self._names.grasp_site)
        R, p = site.xmat.reshape(3, 3), site.xpos
        adr = self._model.jnt_qposadr[self._model.body_jntadr[self._held.body]]
        self._data.qpos[adr : adr + 3] = p + R @ self._held.T_grasp_body[:3, 3]
        quat = np.zeros(4)
        mujoco.mju_mat2Quat(quat, (R @ self._held.T_grasp_body[:3, :3]).ravel())
        self._data.qpos[adr + 3 : adr + 7] = quat
        mujoco.mj_kinematics(self._model, self._data)
