import mujoco
import numpy as np
import pytest

from openral_sim.robot.sim_robot import load_sim_robot
from openral_sim.scene.compose import compose
from openral_sim.scene.scene import Scene
from openral_sim.scene.world import SimWorldModel

RESTING = 0.03


@pytest.mark.parametrize("seed", range(10))
def test_objects_rest_where_they_were_placed(scene: Scene, seed: int) -> None:
    world = SimWorldModel.load(scene, seed)
    placed = np.random.default_rng(seed)
    for placement in scene.document.objects:
        fixture, surface = scene.spot(placement)
        drawn = placement.sample(placed)
        item = world.objects[placement.id]
        wanted = (*fixture.pose.to_parent(drawn.x, drawn.y), surface.z + item.size[2] / 2)
        assert np.linalg.norm(world.T_world(item.body)[:3, 3] - wanted) < RESTING, item.id


def test_nothing_interpenetrates_at_the_start(scene: Scene) -> None:
    world = SimWorldModel.load(scene, 0, load_sim_robot())
    deep = [
        (world.model.geom(contact.geom[0]).name, world.model.geom(contact.geom[1]).name, contact.dist)
        for contact in world.data.contact
        if contact.dist < -0.002
    ]
    assert deep == []


def test_a_seed_always_gives_the_same_world(scene: Scene, world: SimWorldModel) -> None:
    again, other = SimWorldModel.load(scene, 0), SimWorldModel.load(scene, 1)
    assert np.array_equal(again.data.qpos, world.data.qpos)
    assert not np.array_equal(other.data.qpos, world.data.qpos)


def test_the_robot_does_not_rub_on_the_floor(scene: Scene) -> None:
    composition = compose(scene, 0, load_sim_robot())
    excluded = {(pair.bodyname1, pair.bodyname2) for pair in composition.spec.excludes}
    robot_bodies = [body.name for body in composition.spec.bodies if body.name.startswith("robot/")]
    assert {("floor", name) for name in robot_bodies} <= excluded


def test_the_palm_is_free_above_and_near_the_person_in_the_map(
    still_world: SimWorldModel, scene: Scene
) -> None:
    person = still_world.people["requester"]
    palm = still_world.data.site(person.hand_site).xpos
    ahead, _ = scene.home.agent("requester").pose.to_local(palm[0], palm[1])
    assert 0.3 < ahead < 0.5
    distance = mujoco.mj_ray(
        still_world.model,
        still_world.data,
        palm + np.array([0, 0, 0.02]),
        [0, 0, 1.0],
        None,
        1,
        -1,
        np.zeros(1, np.int32),
    )
    assert distance == -1
