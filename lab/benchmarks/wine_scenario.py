"""The wine scenario, skill by skill in one process, on poses within 1 cm of the truth."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np

from openral_core.geometry import Pose
from openral_core.skills import ParamValue, Verb
from openral_sim.motion_primitives.context import SkillContext
from openral_sim.robot.sim_robot import load_sim_robot
from openral_sim.scene.world import SimWorldModel

NOISE = 0.01
"""Largest error of a recalled position, along each axis [m]."""
BOTTLE, GLASS, COUNTER = "wine_bottle", "wine_glass", "kitchen_counter"
Params = dict[str, ParamValue]


@dataclass
class Scenario:
    """One robot in one home."""

    world: SimWorldModel
    seed: int

    def __post_init__(self) -> None:
        load_sim_robot().set_stowed(self.world.model, self.world.data)
        self.robot = SkillContext(self.world, self.seed)
        self.rng = np.random.default_rng(self.seed)

    def fixture(self, name: str) -> Pose:
        """Return the centre of a piece of furniture on the map."""
        item = self.world.furniture[name]
        return Pose.planar(item.pose.x, item.pose.y, item.pose.yaw, item.fixture.height / 2)

    def thing(self, name: str) -> Params:
        """Return an object as memory would recall it."""
        item = self.world.objects[name]
        x, y, z = (
            float(v) for v in self.world.T_world(item.body)[:3, 3] + self.rng.uniform(-NOISE, NOISE, 3)
        )
        size = dict(zip(("size_x", "size_y", "size_z"), item.size, strict=True))
        return {"target": Pose((x, y, z)), "label": item.phrase, **size}


def steps(scenario: Scenario) -> Iterator[tuple[str, Verb, Callable[[], Params]]]:
    """The scenario in order; each step's parameters are asked for when it begins."""
    person = scenario.world.people["requester"]

    def stand(place: str) -> Callable[[], Params]:
        pose = scenario.world.places[place].pose
        return lambda: {"goal": Pose.planar(pose.x, pose.y, pose.yaw)}

    def door(name: str) -> Callable[[], Params]:
        return lambda: {"target": scenario.fixture(name), "container_id": name}

    def vessel() -> Params:
        glass = scenario.thing(GLASS)
        return {"target": glass["target"], "label": glass["label"]}

    put: Params = {"target": scenario.fixture(COUNTER)}
    agent = Pose.planar(person.pose.x, person.pose.y, person.pose.yaw)
    yield "go to the fridge", Verb.NAVIGATE, stand("at_fridge")
    yield "open the fridge", Verb.OPEN, door("fridge")
    yield "take the bottle", Verb.GRASP, lambda: scenario.thing(BOTTLE)
    yield "put the bottle on the counter", Verb.PLACE, lambda: put
    yield "close the fridge", Verb.CLOSE, door("fridge")
    yield "open the cabinet", Verb.OPEN, door("cabinet")
    yield "take a glass", Verb.GRASP, lambda: scenario.thing(GLASS)
    yield "put the glass on the counter", Verb.PLACE, lambda: put
    yield "take the bottle again", Verb.GRASP, lambda: scenario.thing(BOTTLE)
    yield "pour", Verb.POUR, vessel
    yield "put the bottle down", Verb.PLACE, lambda: put
    yield "take the full glass", Verb.GRASP, lambda: scenario.thing(GLASS)
    yield "go to the living room", Verb.NAVIGATE, stand("living_room_middle")
    yield "hand it over", Verb.HANDOVER, lambda: {"agent": agent, "agent_id": person.id}
