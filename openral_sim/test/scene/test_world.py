import mujoco
import numpy as np
import pytest
from numpy.typing import NDArray

from openral_core.home_map import Pose2
from openral_sim.robot.sim_robot import load_sim_robot
from openral_sim.scene.compose import TIMESTEP
from openral_sim.scene.scene import Scene
from openral_sim.scene.schema import Walk
from openral_sim.scene.world import SimWorldModel, UnknownSimId


def positions(world: SimWorldModel) -> dict[str, NDArray[np.float64]]:
    return {item.id: world.T_world(item.body)[:3, 3] for item in world.objects.values()}


def test_nothing_moves_once_loaded(world: SimWorldModel) -> None:
    before = positions(world)
    world.step(2.0)
    after = positions(world)
    assert {
        name: float(np.linalg.norm(after[name] - before[name])) < 0.005 for name in before
    } == dict.fromkeys(before, True)


def test_every_object_lies_on_the_fixture_it_was_placed_on(world: SimWorldModel) -> None:
    world.step(0.2)
    wanted = {placement.id: placement.fixture for placement in world.scene.document.objects}
    assert {name: world.support_of(name) for name in world.objects} == wanted


def test_an_object_in_the_air_lies_on_nothing_and_a_fallen_one_on_the_floor(world: SimWorldModel) -> None:
    world.data.joint("object/can").qpos[:3] = (2.0, 2.0, 1.0)
    world.step(TIMESTEP)
    assert world.support_of("can") is None
    world.step(3.0)
    assert world.support_of("can") == "floor"


def test_an_object_on_a_plate_lies_on_the_plate(world: SimWorldModel) -> None:
    x, y, z = world.T_world("object/plate")[:3, 3]
    world.data.joint("object/can").qpos[:3] = (x, y, z + 0.08)
    world.step(1.0)
    assert world.support_of("can") == "plate"
    assert world.support_of("plate") == "dining_table"


def test_a_door_tells_how_far_it_stands_open(world: SimWorldModel) -> None:
    assert world.door_opening("fridge") == 0.0
    assert world.door_opening("bookshelf") == 1.0
    door = world.furniture["fridge"].doors[0]
    world.data.joint(door.joint).qpos[0] = door.travel / 2
    assert world.door_opening("fridge") == pytest.approx(0.5)


def test_time_passes_in_whole_steps(world: SimWorldModel) -> None:
    world.step(0.1)
    assert world.time == pytest.approx(0.1)
    world.step(0.0)
    assert world.time == pytest.approx(0.1 + TIMESTEP)


def test_unknown_ids_list_the_valid_ones(still_world: SimWorldModel) -> None:
    with pytest.raises(UnknownSimId, match=r"no furniture 'oven'.*fridge"):
        still_world.door_opening("oven")
    with pytest.raises(UnknownSimId, match=r"no object 'unicorn'.*baguette"):
        still_world.support_of("unicorn")


def test_the_robot_fits_at_every_place(scene: Scene, still_world: SimWorldModel) -> None:
    """No fixture, wall or person within the base's reach, at the heights its body has."""
    starts = [place.pose for place in scene.home.places] + [scene.document.robot]
    probe = mujoco.MjData(still_world.model)
    mujoco.mj_forward(still_world.model, probe)
    for pose in starts:
        for height in (0.15, 0.5, 0.8, 1.2):
            ranges = [
                ray(still_world, (pose.x, pose.y, height), angle) for angle in np.arange(0, 2 * np.pi, 0.2)
            ]
            assert min(ranges) > load_sim_robot().description.base.radius + 0.05, (pose, height)


def ray(world: SimWorldModel, start: tuple[float, float, float], angle: float) -> float:
    hit = np.zeros(1, dtype=np.int32)
    direction = np.array([np.cos(angle), np.sin(angle), 0.0])
    distance = mujoco.mj_ray(world.model, world.data, np.array(start), direction, None, 1, -1, hit)
    return distance if distance >= 0 else np.inf


def test_graspable_things_are_near_the_front_at_a_height_an_arm_reaches(
    scene: Scene, still_world: SimWorldModel
) -> None:
    for name in ("baguette", "red_mug", "blue_mug", "can", "wine_bottle", "milk", "wine_glass"):
        placement = next(item for item in scene.document.objects if item.id == name)
        fixture, surface = scene.spot(placement)
        assert 0.70 <= surface.z <= 0.95, name
        assert fixture.depth / 2 - placement.at[0] < 0.3, name
        assert still_world.objects[name].graspable, name


def test_a_person_walks_while_time_passes(world: SimWorldModel) -> None:
    there = world.body_pose("person/requester")
    world.start_walk("requester", Walk(path=((there.x - 1.0, there.y),), speed=1.0))
    for _ in range(100):
        world.step(0.02)
    assert world.T_world("person/requester")[:2, 3] == pytest.approx((there.x - 1.0, there.y), abs=0.02)
    with pytest.raises(UnknownSimId, match="butler"):
        world.start_walk("butler", Walk(path=((0.0, 0.0),)))


def test_a_sliding_door_shuts_its_doorway_and_is_in_the_wall_while_open(
    scene: Scene, still_world: SimWorldModel
) -> None:
    walls = [
        wall.model_copy(update={"opening": wall.opening.model_copy(update={"door": True})})
        if wall.opening
        else wall
        for wall in scene.document.walls
    ]
    document = scene.document.model_copy(update={"walls": tuple(walls), "objects": ()})
    world = SimWorldModel.load(Scene(document, scene.home), 0)
    opening = next(wall.opening for wall in walls if wall.id == "middle")
    assert opening is not None
    doorway = opening.at + opening.width / 2
    assert abs(world.body_pose("door/middle").y - doorway) == pytest.approx(opening.width)
    x, y = next(wall for wall in walls if wall.id == "middle").door_position(shut=True)
    world.move_body("door/middle", Pose2(x=x, y=y, yaw=world.body_pose("door/middle").yaw))
    world.step(0.02)
    assert world.T_world("door/middle")[:2, 3] == pytest.approx((5.0, doorway))
