"""The simulated world: physics, and everything in it by id."""
# MERGED What carries an object, told from its contacts.

from collections.abc import Mapping
from types import MappingProxyType

import mujoco
import numpy as np
from numpy.typing import NDArray

from openral_core.errors import OpenRALError
from openral_core.home_map import Place, Room
from openral_sim.robot.joints import RobotNames
from openral_sim.scene.compose import AddRobot, Composition, compose
from openral_sim.scene.entities import WorldFurniture, WorldObject, WorldPerson
from openral_sim.scene.scene import Scene

_MIN_SHARE = 0.3


def supporting_body(model: mujoco.MjModel, data: mujoco.MjData, body: str) -> str | None:
    """The id of what pushes a body up most; None if nothing carries a fair share of its weight.

    Ids come from body names such as `furniture/<id>/...`, `object/<id>`, `robot/...` and `floor`.
    """
    target = model.body(body).id
    lift: dict[str, float] = {}
    for index in range(data.ncon):
        other, force = _push(model, data, index, target)
        if other is not None:
            lift[other] = lift.get(other, 0.0) + force
    weight = model.body(body).mass[0] * -model.opt.gravity[2]
    carrier = max(lift, key=lambda name: lift[name], default=None)
    return carrier if carrier is not None and lift[carrier] > _MIN_SHARE * weight else None


def _push(model: mujoco.MjModel, data: mujoco.MjData, index: int, target: int) -> tuple[str | None, float]:
    """Who touches the target in a contact, and with what upward force on it [N]."""
    contact = data.contact[index]
    first, second = (int(model.geom_bodyid[geom]) for geom in contact.geom)
    if target not in (first, second):
        return None, 0.0
    wrench = np.zeros(6)
    mujoco.mj_contactForce(model, data, index, wrench)
    # The contact frame's x axis points from the first geom to the second.
    upward = float(contact.frame.reshape(3, 3)[:, 2] @ wrench[:3])
    other, force = (first, upward) if target == second else (second, -upward)
    return _owner(model.body(other).name), force


def _owner(body: str) -> str:
    kind, _, rest = body.partition("/")
    return rest.partition("/")[0] if kind in ("furniture", "object", "person") else kind


class UnknownSimId(OpenRALError):
    """An id the world does not have."""

    def __init__(self, kind: str, asked: str, valid: Mapping[str, object]) -> None:
        super().__init__(f"the world has no {kind} '{asked}'; it has: {', '.join(valid) or 'none'}")


class SimWorldModel:
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
    def load(cls, scene: Scene, seed: int, add_robot: AddRobot | None = None) -> "SimWorldModel":
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
            raise UnknownSimId("furniture", container_id, self.furniture)
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
            raise UnknownSimId("object", object_id, self.objects)
        return supporting_body(self.model, self.data, self.objects[object_id].body)
