"""Whole fetches in the home scene, from the positions a memory would give."""

from collections.abc import Callable

import numpy as np
import pytest

from openral_core.geometry import Pose
from openral_core.skills import SkillResult, Verb
from openral_sim.motion_primitives.context import SkillContext
from openral_sim.robot.sim_robot import load_sim_robot
from openral_sim.scene.scene import Scene
from openral_sim.scene.world import SimWorldModel


@pytest.mark.parametrize(("thing", "seed"), [("baguette", 1), ("red_mug", 2), ("lemon", 3)])
def test_brings_a_thing_to_the_person(
    do: Callable[..., SkillResult], scene: Scene, thing: str, seed: int
) -> None:
    world = SimWorldModel.load(scene, seed, load_sim_robot())
    load_sim_robot().set_stowed(world.model, world.data)
    robot, began = SkillContext(world, seed), world.time
    person, item = world.people["requester"], world.objects[thing]
    x, y, z = world.T_world(item.body)[:3, 3] + np.random.default_rng(seed).uniform(-0.01, 0.01, 3)
    size = dict(zip(("size_x", "size_y", "size_z"), item.size, strict=True))
    assert do(Verb.GRASP, by=robot, target=Pose((x, y, z)), label=item.phrase, **size).success
    agent = Pose.planar(person.pose.x, person.pose.y, person.pose.yaw)
    assert do(Verb.HANDOVER, by=robot, agent=agent, agent_id=person.id).success
    world.step(1.0)
    palm = world.data.site(person.hand_site).xpos
    assert np.linalg.norm(world.T_world(item.body)[:3, 3] - palm) < 0.15
    assert world.time - began < 45.0
