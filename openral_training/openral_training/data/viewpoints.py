"""Viewpoints: poses of the robot and of its cameras, as the robot has them and at random.

The robot drives along planned paths, stands at places, looks at objects, reaches for them and holds them.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from math import pi

import mujoco
import numpy as np
from scipy.spatial.transform import Rotation

from openral_core.arrays import Array, Transform, Vector3
from openral_core.grasping.approach import frontal, hand_axes, oblique, top_down
from openral_sim.motion_primitives.head import head_angles
from openral_sim.planning.base_planner import CostToGo, NoBasePath, plan_from
from openral_sim.planning.inverse_kinematics import IkFailed, IkSolver
from openral_sim.planning.range_sensor import line_of_sight
from openral_sim.rendering.camera import intrinsics
from openral_sim.robot.sim_robot import load_sim_robot
from openral_sim.scene.entities import WorldObject
from openral_training.data.annotation import Pinhole
from openral_training.data.arrangement import ArrangedHome

HEAD_CAMERA = load_sim_robot().names.head_camera


@dataclass(frozen=True)
class ViewpointConfig:
    """Settings of viewpoints; lengths in [m], angles in [rad]."""

    # Bounds of the distance from which the robot looks at an object.
    distance: tuple[float, float] = (0.5, 3.0)
    off_centre: float = 0.35  # Largest angle between the optical axis and what the robot looks at.
    # Bounds of the base's distance from an object that the hand reaches for.
    reach: tuple[float, float] = (0.48, 0.80)
    # Bounds of the hand's distance from the object when the wrist camera looks at it.
    hover: tuple[float, float] = (0.08, 0.24)
    drive_tilt: tuple[float, float] = (-0.05, 0.65)  # Bounds of the head's tilt while driving.
    mounting: float = 0.02  # Standard deviation of the camera's orientation on its mount.
    # Bounds of the difference in height from the robot's head camera.
    lift: tuple[float, float] = (-0.35, 0.20)
    lifted_probability: float = 0.4  # Probability of such a difference [-].
    head_fovy: tuple[float, float] = (52.0, 64.0)  # Bounds of the head camera's vertical field of view [deg].
    # Bounds of the wrist camera's vertical field of view [deg].
    wrist_fovy: tuple[float, float] = (55.0, 65.0)
    free_height: tuple[float, float] = (0.5, 1.7)  # Bounds of the height of a camera anywhere in the home.
    attempts: int = 12  # Number of poses tried before another kind of viewpoint is taken.


CONFIG = ViewpointConfig()
WEIGHTS = {"drive": 0.14, "place": 0.16, "object": 0.38, "wrist": 0.14, "hold": 0.08, "free": 0.10}
"""Share of each kind of viewpoint [-]."""


@dataclass(frozen=True)
class Viewpoint:
    """A camera's pose with the robot where it then is."""

    kind: str  # Kind of the viewpoint, a key of `WEIGHTS`.
    camera: str  # Name of the camera in the model.
    fovy: float  # Vertical field of view [deg].
    T_map_camera: Transform  # Pose of the optical frame in map, shape (4, 4).

    def pinhole(self, width: int, height: int) -> Pinhole:
        """Return the camera of an image of this size [px]."""
        return Pinhole(intrinsics(width, height, self.fovy), self.T_map_camera)


class NoViewpoint(Exception):
    """This kind of viewpoint was not found in this arrangement."""


class ViewpointSampler:
    """Samples viewpoints in one arrangement of a home, and poses its robot accordingly."""

    def __init__(self, home: ArrangedHome, solver: IkSolver, rng: np.random.Generator) -> None:
        self._home, self._solver, self._rng = home, solver, rng
        self._robot = robot = load_sim_robot()
        self._names, self._head, self._stowed = robot.names, robot.head, robot.stowed
        self._clearance = robot.description.base.clearance
        self._data, self._model = home.world.data, home.world.model
        self._held: tuple[WorldObject, Array] | None = None
        self._reachable = self._plan()
        self._samplers: dict[str, Callable[[], Viewpoint]] = {
            "drive": self._driving,
            "place": self._at_place,
            "object": self._at_object,
            "wrist": self._reaching,
            "hold": self._holding,
            "free": self._anywhere,
        }

    def sample(self) -> Viewpoint:
        """Sample a viewpoint; one that the arrangement does not offer becomes one from anywhere."""
        if self._held is not None:
            item, before = self._held
            self._data.joint(item.body).qpos[:], self._held = before, None
        kind = str(self._rng.choice(list(WEIGHTS), p=list(WEIGHTS.values())))
        try:
            return self._samplers[kind]()
        except (NoViewpoint, NoBasePath):
            return self._anywhere()

    def _plan(self) -> CostToGo | None:
        for _ in range(CONFIG.attempts):
            start = np.array(self._home.free_point(self._rng, self._clearance))
            try:
                field = plan_from(self._home.grid, start, self._clearance)
            except NoBasePath:
                continue
            if np.isfinite(field.cost).sum() > 200:
                return field
        return None

    def _field(self) -> CostToGo:
        if self._reachable is None:
            raise NoViewpoint
        return self._reachable

    def _driving(self) -> Viewpoint:
        """Drive along a planned path; the head looks ahead and down, as it was left."""
        field = self._field()
        cells = np.argwhere(np.isfinite(field.cost))
        path = field.path_to(field.grid.point(cells[self._rng.integers(len(cells))]))
        if len(path) < 2:
            raise NoViewpoint
        lengths = np.linalg.norm(np.diff(path, axis=0), axis=1)
        index = int(self._rng.choice(len(lengths), p=lengths / lengths.sum()))
        x, y = path[index] + self._rng.random() * (path[index + 1] - path[index])
        dx, dy = path[index + 1] - path[index]
        yaw = float(np.arctan2(dy, dx)) + float(self._rng.normal(0.0, 0.15))
        head = (float(self._rng.normal(0.0, 0.25)), float(self._rng.uniform(*CONFIG.drive_tilt)))
        return self._pose("drive", np.array([x, y, yaw]), head, self._stowed)

    def _at_place(self) -> Viewpoint:
        """Stand at a place and look at what it faces, or around."""
        places = list(self._home.world.places.values())
        place = places[self._rng.integers(len(places))]
        dx, dy, turn = self._rng.normal(0.0, (0.05, 0.05, 0.05))
        base = np.array([place.pose.x + dx, place.pose.y + dy, place.pose.yaw + turn])
        head = (float(self._rng.uniform(-0.8, 0.8)), float(self._rng.uniform(-0.1, 0.8)))
        if place.looks_at is not None:
            fixture = self._home.world.furniture[place.looks_at].fixture
            x, y = fixture.pose.to_parent(0.0, float(self._rng.uniform(-0.4, 0.4)) * fixture.width)
            height = float(self._rng.uniform(0.3, 1.0)) * fixture.height
            head = self._beside(head_angles(self._head, np.array([x, y, height]), base))
        return self._pose("place", base, head, self._stowed)

    def _at_object(self) -> Viewpoint:
        """Look at an object, a person's hand or a closed container from where the robot can stand."""
        field = self._field()
        cells = np.argwhere(np.isfinite(field.cost))
        points = field.grid.point(cells)
        for _ in range(CONFIG.attempts):
            target, own = self._target()
            distance = self._rng.uniform(*CONFIG.distance)
            distances = np.hypot(*(points - target[:2]).T)
            near = np.flatnonzero(np.abs(distances - distance) < 0.15)
            if len(near) == 0:
                continue
            x, y = points[near[self._rng.integers(len(near))]]
            eye = np.array([x, y, self._head.height])
            if not line_of_sight(self._model, self._data, eye, target, self._home.blind | own):
                continue
            bearing = float(np.arctan2(target[1] - y, target[0] - x))
            base = np.array([x, y, bearing + self._rng.uniform(-0.9, 0.9)])
            look = self._beside(head_angles(self._head, target, base))
            return self._pose("object", base, look, self._stowed)
        raise NoViewpoint

    def _target(self) -> tuple[Vector3, frozenset[int]]:
        """Choose what to look at: mostly an object; its position in map and its bodies."""
        choice = self._rng.random()
        if choice < 0.06 and self._home.people:
            person = self._home.people[self._rng.integers(len(self._home.people))]
            return np.array(self._data.site(person.hand_site).xpos), frozenset()
        if choice < 0.14:
            furniture = list(self._home.world.furniture.values())
            fixture = furniture[self._rng.integers(len(furniture))].fixture
            x, y = fixture.pose.to_parent(fixture.depth / 2, 0.0)
            return np.array([x, y, float(self._rng.uniform(0.3, 1.0)) * fixture.height]), frozenset()
        item = self._any_object()
        return self._home.position(item), frozenset({self._model.body(item.body).id})

    def _any_object(self) -> WorldObject:
        return self._home.objects[self._rng.integers(len(self._home.objects))]

    def _reaching(self) -> Viewpoint:
        """Hover with the hand before an object, as before a grasp; mostly the wrist camera looks."""
        field = self._field()
        cells = np.argwhere(np.isfinite(field.cost))
        points = field.grid.point(cells)
        for _ in range(CONFIG.attempts):
            item = self._any_object()
            target = self._home.position(item)
            distances = np.hypot(*(points - target[:2]).T)
            near = np.flatnonzero((distances > CONFIG.reach[0]) & (distances < CONFIG.reach[1]))
            if len(near) == 0:
                continue
            x, y = points[near[self._rng.integers(len(near))]]
            base = np.array([x, y, np.arctan2(target[1] - y, target[0] - x)])
            posture = self._pregrasp(base, target)
            if posture is None:
                continue
            if self._rng.random() < 0.2:
                look = self._beside(head_angles(self._head, target, base))
                return self._pose("wrist", base, look, posture)
            look = head_angles(self._head, target, base)
            return self._pose("wrist", base, look, posture, self._names.wrist_camera)
        raise NoViewpoint

    def _pregrasp(self, base: Array, target: Vector3) -> tuple[float, ...] | None:
        """Solve for a posture that points the open hand at a point; None if it is out of reach."""
        heading = float(base[2] + self._rng.uniform(-0.6, 0.6))
        approaches = (
            top_down(heading),
            frontal(heading),
            oblique(heading, float(self._rng.uniform(0.4, 1.0))),
        )
        axes = hand_axes(approaches[self._rng.integers(len(approaches))])
        T_map_hand = np.eye(4)
        T_map_hand[:3, :3] = axes
        offset = self._rng.normal(0.0, 0.02, 3)
        T_map_hand[:3, 3] = target + offset - self._rng.uniform(*CONFIG.hover) * axes[:, 2]
        c, s = np.cos(base[2]), np.sin(base[2])
        T_base_map = np.eye(4)
        T_base_map[:2, :2] = ((c, s), (-s, c))
        T_base_map[:2, 3] = -T_base_map[:2, :2] @ base[:2]
        try:
            solved = self._solver.solve(T_base_map @ T_map_hand, self._robot.comfortable, tries=1)
            return tuple(map(float, solved))
        except IkFailed:
            return None

    def _holding(self) -> Viewpoint:
        """Hold an object in the hand while looking at it, around, or through the wrist camera."""
        field = self._field()
        graspable = [item for item in self._home.objects if item.graspable]
        if not graspable:
            raise NoViewpoint
        item = graspable[self._rng.integers(len(graspable))]
        cells = np.argwhere(np.isfinite(field.cost))
        x, y = field.grid.point(cells[self._rng.integers(len(cells))])
        base = np.array([x, y, self._rng.uniform(-pi, pi)])
        carrying = (self._robot.carrying_down, self._robot.carrying(0.0, 0.0))
        posture: Iterable[float] = carrying[self._rng.integers(2)]
        if self._rng.random() < 0.4:
            carried = self._pregrasp(base, np.array([x, y, 0.0]) + self._ahead(base[2]))
            posture = carried or posture
        self._set_robot(base, (0.0, 0.0), posture, min(item.size[:2]))
        hand = self._data.site(self._names.grasp_site)
        quaternion = np.zeros(4)
        mujoco.mju_mat2Quat(quaternion, hand.xmat)
        look = head_angles(self._head, hand.xpos, base)
        camera = self._names.wrist_camera if self._rng.random() < 0.35 else self._names.head_camera
        if abs(look[0]) > self._head.pan_limit:
            raise NoViewpoint
        self._held = (item, self._data.joint(item.body).qpos.copy())
        self._home.put(item, hand.xpos, self._upright(quaternion))
        return self._pose("hold", base, self._beside(look), posture, camera, min(item.size[:2]))

    def _upright(self, hand: Array) -> Array:
        """Turn an object in the hand upright, or leave it along the hand."""
        return np.array([1.0, 0.0, 0.0, 0.0]) if self._rng.random() < 0.7 else hand

    def _ahead(self, yaw: float) -> Vector3:
        forward, side = self._rng.uniform(0.45, 0.7), self._rng.uniform(-0.25, 0.25)
        c, s = np.cos(yaw), np.sin(yaw)
        return np.array([c * forward - s * side, s * forward + c * side, self._rng.uniform(0.6, 1.1)])

    def _anywhere(self) -> Viewpoint:
        """Look from any point of a room in any direction, without the robot in the way."""
        x, y = self._home.free_point(self._rng, 0.15)
        away = np.array([*self._home.free_point(self._rng, self._clearance), 0.0])
        self._set_robot(away, (0.0, 0.0), self._stowed)
        yaw, pitch = self._rng.uniform(-pi, pi), self._rng.uniform(-0.3, 0.9)
        if self._rng.random() < 0.7:
            target, _ = self._target()
            dx, dy = target[:2] - (x, y)
            yaw = float(np.arctan2(dy, dx) + self._rng.normal(0.0, 0.2))
        T = np.eye(4)
        T[:3, :3] = _optical(yaw, pitch, float(self._rng.normal(0.0, 0.05)))
        T[:3, 3] = (x, y, self._rng.uniform(*CONFIG.free_height))
        fovy = float(self._rng.uniform(*CONFIG.head_fovy))
        return Viewpoint("free", self._names.head_camera, fovy, T)

    def _beside(self, angles: tuple[float, float]) -> tuple[float, float]:
        """Look a little past a direction, so that what is there is anywhere in the image."""
        pan, tilt = np.array(angles) + self._rng.uniform(-1.0, 1.0, 2) * CONFIG.off_centre * (1.0, 0.7)
        low, high = -self._head.pan_limit, self._head.pan_limit
        return float(np.clip(pan, low, high)), float(np.clip(tilt, *self._head.tilt_limits))

    def _pose(
        self,
        kind: str,
        base: Array,
        head: tuple[float, float],
        posture: Iterable[float],
        camera: str = HEAD_CAMERA,
        opening: float | None = None,
    ) -> Viewpoint:
        """Pose the robot and return its camera's viewpoint, mounted a little differently each time."""
        self._set_robot(base, head, posture, opening)
        frame = self._data.body(self._names.cameras[camera])
        T = np.eye(4)
        tilt = Rotation.from_rotvec(self._rng.normal(0.0, CONFIG.mounting, 3)).as_matrix()
        T[:3, :3] = frame.xmat.reshape(3, 3) @ tilt
        T[:3, 3] = frame.xpos
        is_head = camera == self._names.head_camera
        if is_head and self._rng.random() < CONFIG.lifted_probability:
            T[2, 3] += self._rng.uniform(*CONFIG.lift)
        fovy = self._rng.uniform(*(CONFIG.head_fovy if is_head else CONFIG.wrist_fovy))
        return Viewpoint(kind, camera, float(fovy), T)

    def _set_robot(
        self, base: Array, head: tuple[float, float], posture: Iterable[float], opening: float | None = None
    ) -> None:
        names = self._names
        joints = (*names.base_joints, *names.reach_joints, *names.head_joints)
        for joint, value in zip(joints, (*base, *posture, *head), strict=True):
            self._data.joint(joint).qpos[0] = value
        widest = self._robot.gripper.finger_travel
        finger = widest if opening is None else min(opening / 2, widest)
        for joint in names.finger_joints:
            self._data.joint(joint).qpos[0] = finger
        self._home.forward()


def _optical(yaw: float, pitch: float, roll: float) -> Array:
    """Return the optical axes in map of a camera that looks along a yaw, ``pitch`` below level."""
    c, s, cp, sp = np.cos(yaw), np.sin(yaw), np.cos(pitch), np.sin(pitch)
    axes = np.column_stack([(s, -c, 0.0), (-sp * c, -sp * s, -cp), (cp * c, cp * s, -sp)])
    cr, sr = np.cos(roll), np.sin(roll)
    return np.asarray(axes @ [[cr, -sr, 0.0], [sr, cr, 0.0], [0.0, 0.0, 1.0]])
