"""Simulated world: the physics state, and every entity of the scene by id."""

from collections.abc import Mapping
from types import MappingProxyType

import mujoco
import numpy as np
from numpy.typing import NDArray

from openral_core.errors import OpenRALError, format_choices
from openral_core.home_map import NoGoZone, Place, Room
from openral_sim.robot.joints import RobotNames
from openral_sim.scene.compose import AddRobot, Composition, compose
from openral_sim.scene.entities import WorldFurniture, WorldObject, WorldPerson
from openral_sim.scene.scene import Scene

MIN_SUPPORT_FRACTION = 0.3
"""Smallest fraction of a body's weight [-] that its support must carry; less is a touch from the side."""


class UnknownSimId(OpenRALError):
    """An id that the world does not contain."""

    def __init__(self, kind: str, requested: str, valid: Mapping[str, object]) -> None:
        super().__init__(f"the world has no {kind} '{requested}'; valid ids: {format_choices(valid)}")


class SimWorldModel:
    """Running simulation of one scene; the map frame is MuJoCo's world frame (z up, metres)."""

    def __init__(self, scene: Scene, composition: Composition) -> None:
        self.scene = scene
        self.spec = composition.spec
        self.robot: RobotNames | None = composition.robot
        self.objects: Mapping[str, WorldObject] = MappingProxyType(composition.objects)
        self.furniture: Mapping[str, WorldFurniture] = MappingProxyType(composition.furniture)
        self.people: Mapping[str, WorldPerson] = MappingProxyType(composition.people)
        self.rooms: Mapping[str, Room] = MappingProxyType({room.id: room for room in scene.home.rooms})
        self.places: Mapping[str, Place] = MappingProxyType({place.id: place for place in scene.home.places})
        self.keep_out: tuple[NoGoZone, ...] = ()
        self.model = self.spec.compile()
        self.data = mujoco.MjData(self.model)
        mujoco.mj_forward(self.model, self.data)

    @classmethod
    def load(cls, scene: Scene, seed: int, add_robot: AddRobot | None = None) -> "SimWorldModel":
        """Build a scene with every object at rest.

        Args:
            scene: Scene to build.
            seed: Seed of the objects' placements.
            add_robot: Adds the robot at the scene's start pose; None builds the scene without a robot.
        """
        return cls(scene, compose(scene, seed, add_robot))

    @property
    def no_go_zones(self) -> tuple[NoGoZone, ...]:
        """Zones of the map and of the policy that the robot's base must not enter."""
        return (*self.scene.home.no_go_zones, *self.keep_out)

    @property
    def time(self) -> float:
        """Simulated time since loading [s]."""
        return float(self.data.time)

    def step(self, seconds: float) -> None:
        """Advance physics by whole time steps, at least one."""
        steps = max(1, round(seconds / self.model.opt.timestep))
        mujoco.mj_step(self.model, self.data, steps)

    def T_world(self, body: str) -> NDArray[np.float64]:
        """Return the pose of a body in the world, shape (4, 4)."""
        transform = np.eye(4)
        transform[:3, :3] = self.data.body(body).xmat.reshape(3, 3)
        transform[:3, 3] = self.data.body(body).xpos
        return transform

    def door_opening(self, container_id: str) -> float:
        """Return the opening of a piece of furniture in [0, 1]: 0 closed, 1 fully open or without doors.

        Raises:
            UnknownSimId: If there is no such furniture.
        """
        if container_id not in self.furniture:
            raise UnknownSimId("furniture", container_id, self.furniture)
        doors = self.furniture[container_id].doors
        if not doors:
            return 1.0
        openings = [self.data.joint(door.joint).qpos[0] / door.travel for door in doors]
        return float(np.clip(np.mean(openings), 0.0, 1.0))

    def support_of(self, object_id: str) -> str | None:
        """Return the id of the furniture or object under an object, "floor", "robot", or None in the air.

        Raises:
            UnknownSimId: If there is no such object.
        """
        if object_id not in self.objects:
            raise UnknownSimId("object", object_id, self.objects)
        return supporting_body(self.model, self.data, self.objects[object_id].body)


def supporting_body(model: mujoco.MjModel, data: mujoco.MjData, body: str) -> str | None:
    """Return the id of the body that carries most of a body's weight, judged by its contact forces.

    Ids come from body names such as `furniture/<id>/...`, `object/<id>`, `robot/...` and `floor`. None if
    no contact carries `MIN_SUPPORT_FRACTION` of the weight.
    """
    target = model.body(body).id
    lift: dict[str, float] = {}
    for index in range(data.ncon):
        other, force = upward_force(model, data, index, target)
        if other is not None:
            lift[other] = lift.get(other, 0.0) + force
    weight = model.body(body).mass[0] * -model.opt.gravity[2]
    carrier = max(lift, key=lambda name: lift[name], default=None)
    return carrier if carrier is not None and lift[carrier] > MIN_SUPPORT_FRACTION * weight else None


def upward_force(
    model: mujoco.MjModel, data: mujoco.MjData, index: int, target: int
) -> tuple[str | None, float]:
    """Return the id of the body in contact with the target, and its upward force on it [N]."""
    contact = data.contact[index]
    first, second = (int(model.geom_bodyid[geom]) for geom in contact.geom)
    if target not in (first, second):
        return None, 0.0
    wrench = np.zeros(6)
    mujoco.mj_contactForce(model, data, index, wrench)
    # The contact frame's x axis points from the first geom to the second.
    upward = float(contact.frame.reshape(3, 3)[:, 2] @ wrench[:3])
    other, force = (first, upward) if target == second else (second, -upward)
    kind, _, rest = model.body(other).name.partition("/")
    return rest.partition("/")[0] if kind in ("furniture", "object", "person") else kind, force
