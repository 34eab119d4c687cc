"""What a skill works with: the world it acts in, the robot's servos, and what the hand holds."""
# MERGED What a running skill tells after every control period.

from collections.abc import Callable, Generator, Mapping
from dataclasses import dataclass, field
from typing import Protocol, TypeVar

import mujoco
import numpy as np
from numpy.typing import NDArray

from openral_core.geometry import yaw_matrix
from openral_core.home_map import Fixture
from openral_core.skills import SkillResult
from openral_sim.assets.furniture.builder import FurnitureDoor
from openral_sim.planning.approach import HandOrientation
from openral_sim.planning.collision_checker import CollisionChecker, HeldBody
from openral_sim.planning.inverse_kinematics import IkSolver
from openral_sim.robot.control import RobotControl
from openral_sim.robot.joints import RobotNames
from openral_sim.scene.liquids import liquids_of

_T = TypeVar("_T")


@dataclass(frozen=True, slots=True)
class Feedback:
    """The stage a skill is in, in words, and how far along it is in [0, 1]."""

    stage: str
    progress: float


Move = Generator[Feedback, None, _T]
"""Part of a skill: each ``yield`` hands back control for one control period."""

Running = Generator[Feedback, None, SkillResult]
"""A running skill; its return value is how it ended."""


CONTROL_PERIOD = 0.02
"""Simulated time between two steps of a skill in [s]."""


class Person(Protocol):
    """Someone who can be handed things."""

    @property
    def body(self) -> str:
        """Name of their body in the model."""

    @property
    def hand_site(self) -> str:
        """Name of the site in their palm: z up, x away from them."""


class FurnitureInstance(Protocol):
    """A piece of furniture that may have doors."""

    @property
    def fixture(self) -> Fixture:
        """What the map says of it."""

    @property
    def doors(self) -> tuple[FurnitureDoor, ...]:
        """The names its doors carry in the model."""


class SimWorld(Protocol):
    """The least a skill needs of a world."""

    @property
    def model(self) -> mujoco.MjModel:
        """The compiled scene."""

    @property
    def data(self) -> mujoco.MjData:
        """Its state."""

    @property
    def people(self) -> Mapping[str, Person]:
        """Who can be handed things, by id."""

    @property
    def furniture(self) -> Mapping[str, FurnitureInstance]:
        """What stands in it, by id."""


@dataclass(frozen=True)
class Held(HeldBody):
    """What the hand holds.

    Attributes:
        label: What it was called when it was grasped.
        above_support: Height of the grasp above what it stood on in [m].
        pointing: How the hand pointed when it closed.
    """

    label: str
    above_support: float
    pointing: HandOrientation

    @property
    def downward(self) -> bool:
        """Whether the hand came from above."""
        return self.pointing.is_downward


@dataclass
class SkillContext:
    """One robot in one world; it outlives the goals and remembers what is held between them.

    Attributes:
        cancelled: Set from outside to end the running skill within one control period.
        secure: What has to be done before a skill may stop where it is, such as turning a bottle up.
        achieved: Tells how things stand, set once the work itself is done: leaving cannot undo it.
    """

    world: SimWorld
    seed: int = 0
    names: RobotNames = field(default_factory=RobotNames)
    held: Held | None = None
    cancelled: bool = False
    secure: Callable[[], Move[None]] | None = None
    achieved: Callable[[], SkillResult] | None = None

    def __post_init__(self) -> None:
        self.control = RobotControl(self.model, self.data, self.names)
        self.checker = CollisionChecker(self.model, self.names)
        self.solver = IkSolver()
        self.liquids = liquids_of(self.model)

    @property
    def model(self) -> mujoco.MjModel:
        """The compiled scene."""
        return self.world.model

    @property
    def data(self) -> mujoco.MjData:
        """Its state."""
        return self.world.data

    def begin(self) -> None:
        """Forget what was asked during the skill before."""
        self.cancelled, self.secure, self.achieved = False, None, None

    def own_bodies(self) -> frozenset[int]:
        """The robot's bodies and what it holds."""
        return self.control.bodies | ({self.held.body} if self.held else frozenset())

    def suppose_opening(self, opening: float) -> None:
        """Have the collision checker take the pads to be so far apart in [m] until the next look."""
        for finger in self.names.finger_joints:
            self.checker.suppose(finger, opening / 2)

    def look_around(self) -> None:
        """Bring the collision checker up to the scene's present state."""
        self.checker.look(self.data, self.held)

    def in_base(self, T_map: NDArray[np.float64], base: NDArray[np.float64]) -> NDArray[np.float64]:
        """A pose of map in the frame of a base pose, shape (4, 4)."""
        T: NDArray[np.float64] = np.linalg.inv(yaw_matrix(*base)) @ T_map
        return T
