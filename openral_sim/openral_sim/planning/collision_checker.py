"""Whether a posture of the robot touches anything, asked of a private copy of the scene."""

import copy
from collections.abc import Iterable
from dataclasses import dataclass

import mujoco
import numpy as np
from numpy.typing import NDArray

from openral_sim.robot.control import robot_bodies
from openral_sim.robot.joints import RobotNames

Vector = NDArray[np.float64]
MARGIN = 0.008
"""Distance the robot, and what it holds, keep from everything but themselves in [m]."""


@dataclass(frozen=True)
class HeldBody:
    """A free body in the hand.

    Attributes:
        body: Its id in the model.
        T_grasp_body: Its pose in the grasp site's frame, shape (4, 4).
    """

    body: int
    T_grasp_body: Vector


class CollisionChecker:
    """Checks postures against the whole scene as it stands at a moment."""

    def __init__(self, model: mujoco.MjModel, names: RobotNames) -> None:
        self._model, self._names = copy.copy(model), names
        self._data = mujoco.MjData(self._model)
        self._robot = robot_bodies(model, names)
        robot = np.isin(self._model.geom_bodyid, list(self._robot))
        self._margins = np.where(robot, MARGIN, self._model.geom_margin)
        self._base = np.array([model.joint(name).qposadr[0] for name in names.base_joints])
        self._reach = np.array([model.joint(name).qposadr[0] for name in names.reach_joints])
        self._stands = np.zeros(3)
        self._held: HeldBody | None = None
        self._is_moving = robot
        self._tolerated: frozenset[tuple[int, int]] = frozenset()
        self._spared: tuple[Vector, float] | None = None
        self._least_upright = -1.0

    def look(self, data: mujoco.MjData, held: HeldBody | None = None) -> None:
        """Take over the scene's present state; what is held moves with the hand from now on."""
        self._data.qpos[:] = data.qpos
        self._data.mocap_pos[:], self._data.mocap_quat[:] = data.mocap_pos, data.mocap_quat
        self._stands = np.array(data.qpos[self._base])
        self._held, self._tolerated, self._spared = held, frozenset(), None
        self._least_upright = -1.0
        moving = set(self._robot) | ({held.body} if held else set())
        self._is_moving = np.isin(self._model.geom_bodyid, list(moving))
        self._model.geom_margin[:] = np.where(self._is_moving, MARGIN, self._margins)

    def suppose(self, joint: str, value: float) -> None:
        """Take a joint of the scene, a door's hinge, to stand elsewhere until the next look."""
        self._data.qpos[self._model.joint(joint).qposadr[0]] = value

    def put(self, body: int, position: Vector) -> None:
        """Take a free body to be elsewhere in map, turned as it is, until the next look."""
        first = self._model.jnt_qposadr[self._model.body_jntadr[body]]
        self._data.qpos[first : first + 3] = position

    def tolerate_present(self) -> None:
        """Accept the contacts of the present state: the robot may start where it stands."""
        self._tolerated = frozenset()
        self._tolerated = frozenset(self._touching(None, None))

    def keep_upright(self, tilt: float) -> None:
        """Until the next look, no posture is free that tilts what is held further than ``tilt`` [rad]."""
        self._least_upright = float(np.cos(tilt))

    def spare(self, point: Vector, radius: float) -> None:
        """Accept contacts within ``radius`` [m] of a point in map: what is about to be grasped."""
        self._spared = (np.asarray(point), radius)

    def free(self, reach: Vector, base: Vector | None = None) -> bool:
        """Whether lift and arm at ``reach`` (and the base at ``base``) touch nothing and spill nothing."""
        return next(iter(self._touching(reach, base)), None) is None and self._is_upright()

    def touching(self, reach: Vector, base: Vector | None = None) -> list[tuple[str, str]]:
        """Names of the body pairs that touch in a posture."""
        pairs = self._touching(reach, base)
        bodies = [(self._model.geom_bodyid[a], self._model.geom_bodyid[b]) for a, b in pairs]
        return [(self._model.body(a).name, self._model.body(b).name) for a, b in bodies]

    def free_between(self, first: Vector, last: Vector, step: float = 0.06) -> bool:
        """Whether the straight way between two postures touches nothing; ``step`` in [rad]."""
        count = int(np.abs(last - first).max() / step) + 1
        # Coarse steps first: a blocked way is usually blocked in its middle.
        order = sorted(range(1, count), key=lambda i: -(i & -i))
        return all(self.free(first + (last - first) * i / count) for i in (count, *order))

    def _touching(self, reach: Vector | None, base: Vector | None) -> Iterable[tuple[int, int]]:
        if reach is not None:
            self._data.qpos[self._reach] = reach
        self._data.qpos[self._base] = self._stands if base is None else base
        mujoco.mj_kinematics(self._model, self._data)
        self._carry()
        mujoco.mj_collision(self._model, self._data)
        contacts = self._data.contact
        for i in np.flatnonzero(self._is_moving[contacts.geom].any(axis=1)):
            pair = (int(contacts.geom[i, 0]), int(contacts.geom[i, 1]))
            if self._counts(pair, float(contacts.dist[i]), contacts.pos[i]):
                yield pair

    def _counts(self, pair: tuple[int, int], distance: float, position: Vector) -> bool:
        if pair in self._tolerated:
            return False
        if self._is_moving[list(pair)].all():
            return distance < 0.0 and not self._within_hand(pair)
        return self._spared is None or float(np.linalg.norm(position - self._spared[0])) > self._spared[1]

    def _within_hand(self, pair: tuple[int, int]) -> bool:
        """Whether a contact is between the hand and what it holds."""
        if self._held is None:
            return False
        bodies = {int(self._model.geom_bodyid[geom]) for geom in pair}
        hand = {self._model.body(name).id for name in (self._names.hand, *self._names.fingers)}
        return self._held.body in bodies and bool(bodies & hand)

    def _is_upright(self) -> bool:
        return self._held is None or float(self._data.xmat[self._held.body, 8]) >= self._least_upright

    def _carry(self) -> None:
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
