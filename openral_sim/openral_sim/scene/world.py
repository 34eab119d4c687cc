"""Simulated world: the physics state, and every entity of the scene by id."""

from collections.abc import Mapping
from types import MappingProxyType

import mujoco
import numpy as np

from openral_core.arrays import Transform
from openral_core.errors import OpenRALError, format_choices
from openral_core.home_map import NoGoZone, Place, Pose2, Room
from openral_sim.assets.furniture.builder import yaw_quaternion
from openral_sim.robot.sim_robot import SimRobot
from openral_sim.scene.appliances import Appliances
from openral_sim.scene.compose import Composition, compose
from openral_sim.scene.entities import WorldFurniture, WorldObject, WorldPerson
from openral_sim.scene.scene import Scene
from openral_sim.scene.schema import Walk
from openral_sim.scene.walking import Walker

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
        self.robot: SimRobot | None = composition.robot
        self.objects: Mapping[str, WorldObject] = MappingProxyType(composition.objects)
        self.furniture: Mapping[str, WorldFurniture] = MappingProxyType(composition.furniture)
        self.people: Mapping[str, WorldPerson] = MappingProxyType(composition.people)
        self.rooms: Mapping[str, Room] = MappingProxyType({room.id: room for room in scene.home.rooms})
        self.places: Mapping[str, Place] = MappingProxyType({place.id: place for place in scene.home.places})
        self.keep_out: tuple[NoGoZone, ...] = ()
        self.found_zones: tuple[NoGoZone, ...] = ()
        self.model = self.spec.compile()
        self.data = mujoco.MjData(self.model)
        self.appliances = Appliances(
            self.model, (part for item in self.furniture.values() for part in item.appliances)
        )
        self.walkers: dict[str, Walker] = {}
        for name, style in scene.document.people.items():
            if style.walk is not None:
                self.start_walk(name, style.walk)
        mujoco.mj_forward(self.model, self.data)

    @classmethod
    def load(cls, scene: Scene, seed: int, robot: SimRobot | None = None) -> "SimWorldModel":
        """Build a scene with every object at rest.

        Args:
            seed: Seed of the objects' placements.
            robot: Robot at the scene's start pose; None builds the scene without a robot.
        """
        return cls(scene, compose(scene, seed, robot))

    @property
    def no_go_zones(self) -> tuple[NoGoZone, ...]:
        """Zones of the map, of the policy and of the found home that the robot's base must not enter."""
        return (*self.scene.home.no_go_zones, *self.keep_out, *self.found_zones)

    @property
    def time(self) -> float:
        """Simulated time since loading [s]."""
        return float(self.data.time)

    def step(self, seconds: float) -> None:
        """Advance the people who walk, and physics by whole time steps, at least one."""
        robot = None if self.robot is None else self.T_world(self.robot.names.base)[:2, 3]
        for name, walker in self.walkers.items():
            if not walker.has_arrived:
                self.move_body(self.people[name].body, walker.advance(self.time, seconds, robot))
        steps = max(1, round(seconds / self.model.opt.timestep))
        mujoco.mj_step(self.model, self.data, steps)
        self.appliances.advance(self.data)

    def start_walk(self, person: str, walk: Walk) -> None:
        """Have a person walk from where they are.

        Raises:
            UnknownSimId: If there is no such person.
        """
        if person not in self.people:
            raise UnknownSimId("person", person, self.people)
        self.walkers[person] = Walker(self.body_pose(self.people[person].body), walk)

    def body_pose(self, body: str) -> Pose2:
        """Return where furniture, a person or a door stands."""
        index = self.model.body(body).id
        x, y, _ = self.model.body_pos[index]
        w, _, _, z = self.model.body_quat[index]
        return Pose2(x=float(x), y=float(y), yaw=float(2.0 * np.arctan2(z, w)))

    def move_body(self, body: str, pose: Pose2) -> None:
        """Put furniture, a person or a door, which physics does not move, somewhere else on the floor."""
        index = self.model.body(body).id
        self.model.body_pos[index][:2] = pose.x, pose.y
        self.model.body_quat[index] = yaw_quaternion(pose.yaw)

    def T_world(self, body: str) -> Transform:
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
