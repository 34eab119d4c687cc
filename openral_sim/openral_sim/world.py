"""The simulated world: physics, and everything in it by id."""

from collections.abc import Mapping
from types import MappingProxyType

import mujoco
import numpy as np
from numpy.typing import NDArray

from openral_core.errors import OpenRALError
from openral_core.maps import Place, Room
from openral_sim.compositions import AddRobot, Composition, compose
from openral_sim.entities import WorldFurniture, WorldObject, WorldPerson
from openral_sim.robot.names import RobotNames
from openral_sim.scenes import Scene
from openral_sim.supports import support_of


class UnknownId(OpenRALError):
    """An id the world does not have."""

    def __init__(self, kind: str, asked: str, valid: Mapping[str, object]) -> None:
        super().__init__(f"the world has no {kind} '{asked}'; it has: {', '.join(valid) or 'none'}")


class World:
    """A running simulation; the map frame is MuJoCo's world frame (z up, metres)."""

    def __init__(self, scene: Scene, composition: Composition) -> None:
        self.scene = scene
        self.spec = composition.spec
        self.robot: RobotNames | None = composition.robot
        self.objects: Mapping[str, WorldObject] = MappingProxyType(composition.objects)
        self.furniture: Mapping[str, WorldFurniture] = MappingProxyType(composition.furniture)
        self.people: Mapping[str, WorldPerson] = MappingProxyType(composition.people)
        self.rooms: Mapping[str, Room] = MappingProxyType({room.id: room for room in scene.home.rooms})
        self.places: Mapping[str, Place] = MappingProxyType({place.id: place for place in scene.home.places})
        self.model = self.spec.compile()
        self.data = mujoco.MjData(self.model)
        mujoco.mj_forward(self.model, self.data)

    @classmethod
    def load(cls, scene: Scene, seed: int, add_robot: AddRobot | None = None) -> "World":
        """Build a scene with every object at rest.

        Args:
            scene: What to build.
            seed: Draws the objects' placements.
            add_robot: Adds the robot at the scene's start pose; without it there is none.
        """
        return cls(scene, compose(scene, seed, add_robot))

    @property
    def time(self) -> float:
        """Simulated time since loading [s]."""
        return float(self.data.time)

    def step(self, seconds: float) -> None:
        """Advance physics by whole time steps, at least one."""
        steps = max(1, round(seconds / self.model.opt.timestep))
        mujoco.mj_step(self.model, self.data, steps)

    def T_world(self, body: str) -> NDArray[np.float64]:
        """The pose of a body in the world, shape (4, 4)."""
        transform = np.eye(4)
        transform[:3, :3] = self.data.body(body).xmat.reshape(3, 3)
        transform[:3, 3] = self.data.body(body).xpos
        return transform

    def door_opening(self, container_id: str) -> float:
        """How far a piece of furniture stands open: 0 shut, 1 wide open; without a door always 1.

        Raises:
            UnknownId: If there is no such furniture.
        """
        if container_id not in self.furniture:
            raise UnknownId("furniture", container_id, self.furniture)
        doors = self.furniture[container_id].doors
        if not doors:
            return 1.0
        angles = [self.data.joint(door.joint).qpos[0] / door.travel for door in doors]
        return float(np.clip(np.mean(angles), 0.0, 1.0))

    def support_of(self, object_id: str) -> str | None:
        """The id of the furniture or object that carries an object, "floor", "robot", or None in the air.

        Raises:
            UnknownId: If there is no such object.
        """
        if object_id not in self.objects:
            raise UnknownId("object", object_id, self.objects)
        return support_of(self.model, self.data, self.objects[object_id].body)
