"""Context of a skill: the world, the robot's servos and the held object; and the feedback that it yields."""

from collections.abc import Callable, Generator
from dataclasses import dataclass
from typing import TypeVar

import mujoco
import numpy as np

from openral_core.arrays import PlanarPose, Transform, Vector2, Vector3
from openral_core.errors import OpenRALError
from openral_core.geometry import yaw_matrix
from openral_core.grasping.approach import HandOrientation
from openral_core.obstructions import Obstruction
from openral_core.skills import Feedback, SkillResult
from openral_sim.assets.objects.liquids import liquids_of
from openral_sim.planning.collision_checker import CollisionChecker, HeldBody
from openral_sim.planning.inverse_kinematics import IkSolver
from openral_sim.planning.perceived_collisions import PerceivedCollisionChecker
from openral_sim.planning.perceived_floor import PerceivedFloor
from openral_sim.planning.perceived_space import PerceivedSpace
from openral_sim.planning.range_sensor import HEAD_VIEW, WRIST_VIEW, scan
from openral_sim.robot.control import RobotControl
from openral_sim.robot.sim_robot import HeadGeometry
from openral_sim.scene.world import SimWorldModel

_T = TypeVar("_T")


Move = Generator[Feedback, None, _T]
"""Part of a skill; each ``yield`` ends one control period."""

Running = Generator[Feedback, None, SkillResult]
"""A running skill; it returns its result."""


SCAN_PERIOD, SCAN_AT_LEAST = 0.3, 0.1
"""Time between two depth images for the arm while a skill runs, and before an arm motion is planned [s]."""
FARTHEST = 2.5
"""Range of the depth images for the arm [m]."""
CONTROL_PERIOD = 0.02
"""Simulated time between two steps of a skill in [s]."""


class NoRobot(OpenRALError):
    """A world without a robot, which no skill can move."""

    def __init__(self) -> None:
        super().__init__("the world was composed without a robot: skills need one")


@dataclass(frozen=True)
class HeldObject(HeldBody):
    """An object in the hand."""

    label: str  # Name that it was grasped by.
    above_support: float  # Height of the grasp above the surface that the object stood on in [m].
    orientation: HandOrientation  # Orientation of the hand when it closed.

    @property
    def up_in_body(self) -> Vector3:
        """Direction that was up when the hand closed: the body's own axis only if the object stood."""
        up: Vector3 = self.T_grasp_body[:3, :3].T @ self.orientation.axes(0.0)[2]
        return up

    @property
    def is_downward(self) -> bool:
        """True if the hand came from above."""
        return self.orientation.is_downward


FindObstruction = Callable[[Vector2, float], Obstruction | None]
"""Finds what blocks the way to within a distance [m] of a goal, shape (2,), in the world [m]."""


def _nothing_known(goal: Vector2, within: float) -> Obstruction | None:
    return None


@dataclass
class SkillContext:
    """One robot in one world; it outlives goals and keeps the held object between them."""

    world: SimWorldModel
    seed: int = 0
    held: HeldObject | None = None
    perceived: PerceivedFloor | None = None  # Map that the base plans on; None: it plans on the model.
    # Finds what blocks the way to a goal, both in the world; None where nothing is known.
    obstruction: FindObstruction = _nothing_known
    # What the cameras saw around the robot, which the arm keeps clear of; None: it keeps clear of the model.
    space: PerceivedSpace | None = None
    cancelled: bool = False  # Set from outside to end the running skill within one control period.
    # Motion to make before the skill may stop, such as turning a bottle upright.
    secure: Callable[[], Move[None]] | None = None
    # Returns the result; set once the work is done, which a failed retreat does not undo.
    achieved: Callable[[], SkillResult] | None = None

    def __post_init__(self) -> None:
        if self.world.robot is None:
            raise NoRobot
        self.robot, self.names = self.world.robot, self.world.robot.names
        self.control = RobotControl(self.model, self.data, self.robot)
        self.checker = (
            CollisionChecker(self.model, self.names)
            if self.space is None
            else PerceivedCollisionChecker(self.model, self.names, self.space)
        )
        self._scanned = -np.inf
        self.solver = IkSolver(self.robot)
        self.liquids = liquids_of(self.model)

    @property
    def model(self) -> mujoco.MjModel:
        """The compiled scene."""
        return self.world.model

    @property
    def data(self) -> mujoco.MjData:
        """Its state."""
        return self.world.data

    @property
    def head(self) -> HeadGeometry:
        """Geometry of the head with the lift where it is."""
        return self.control.head_geometry

    @property
    def on_handle(self) -> bool:
        """True while the hand holds a handle."""
        return bool(self.data.eq_active[self.model.equality(self.names.handle_connect).id])

    def begin(self) -> None:
        """Reset the state of the previous skill."""
        self.cancelled, self.secure, self.achieved = False, None, None

    def own_bodies(self) -> frozenset[int]:
        """Bodies of the robot and the held object."""
        return self.control.bodies | ({self.held.body} if self.held else frozenset())

    def set_checked_opening(self, opening: float) -> None:
        """Set the opening of the fingers in [m] in the collision checker until the next sync."""
        for finger in self.names.finger_joints:
            self.checker.set_joint(finger, opening / 2)

    def sync_collision_scene(self) -> None:
        """Update the collision checker to the scene's present state, as the robot knows it."""
        self.look_around_arm(SCAN_AT_LEAST)
        self.checker.sync(self.data, self.held)

    def look_around_arm(self, period: float) -> None:
        """Take depth images of head and wrist for the arm's space if the last are ``period`` [s] old."""
        if self.space is None or self.data.time - self._scanned < period:
            return
        self._scanned = float(self.data.time)
        self.space.centre_on(self.control.base_pose)
        for camera, view in ((self.names.head_camera, HEAD_VIEW), (self.names.wrist_camera, WRIST_VIEW)):
            window = view.rays(float(self.model.camera(camera).fovy[0]), self.data.time)
            T = self.control.T_map_body(self.names.cameras[camera])
            taken = scan(self.model, self.data, T, window, self.own_bodies(), FARTHEST)
            self.space.add_scan(taken.origin, taken.ends, taken.hit)

    def to_base_frame(self, T_map: Transform, base: PlanarPose) -> Transform:
        """Transform a pose from map to the frame of a base pose, shape (4, 4)."""
        T: Transform = np.linalg.inv(yaw_matrix(*base)) @ T_map
        return T
