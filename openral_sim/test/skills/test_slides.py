"""Drawing and shutting drawers and sliding doors, by the hand alone."""

from collections.abc import Callable
from functools import cache
from pathlib import Path

import mujoco
import numpy as np
import pytest
from numpy.typing import NDArray

from openral_core.geometry import Pose
from openral_core.skills import ParamValue, SkillResult, Verb
from openral_sim.assets.furniture.builder import Motion
from openral_sim.assets.furniture.doors import points_inside
from openral_sim.robot import add_robot, set_stowed
from openral_sim.scene.scene import Scene, load_scene
from openral_sim.skills.context import SkillContext
from openral_sim.world import SimWorldModel

Do = Callable[..., SkillResult]
SCENES = Path(__file__).parents[3] / "scenes" / "deploy"
HOUSE, STUDIO = SCENES / "house.yaml", SCENES / "studio.yaml"


@cache
def house() -> Scene:
    """The house without the things in it, which would only cost time."""
    scene = load_scene(HOUSE)
    return Scene(scene.document.model_copy(update={"objects": ()}), scene.home)


@pytest.fixture
def robot() -> SkillContext:
    world = SimWorldModel.load(house(), 0, add_robot)
    set_stowed(world.model, world.data)
    return SkillContext(world, 0)


@pytest.mark.parametrize("container", ["drawer", "wardrobe"])
def test_draws_what_slides_and_shuts_it_again(do: Do, robot: SkillContext, container: str) -> None:
    world = robot.world
    assert isinstance(world, SimWorldModel)
    fixture, door = world.furniture[container], world.furniture[container].doors[0]
    assert door.motion is Motion.SLIDE
    goal: dict[str, ParamValue] = {
        "target": Pose.planar(fixture.pose.x, fixture.pose.y, fixture.pose.yaw, 0.6),
        "container_id": container,
    }
    opened = do(Verb.OPEN, by=robot, **goal)
    assert opened.success, opened.message
    assert world.door_opening(container) > 0.8
    assert opened.evidence["opening"] == pytest.approx(world.door_opening(container), abs=0.02)
    assert "already" in do(Verb.OPEN, by=robot, **goal).message
    shut = do(Verb.CLOSE, by=robot, **goal)
    assert shut.success, shut.message
    assert world.door_opening(container) < 0.1


@pytest.mark.parametrize("container", ["drawer", "study_lower_drawer"])
def test_looks_into_a_drawn_drawer_from_where_its_front_does_not_hide_its_floor(
    do: Do, robot: SkillContext, container: str
) -> None:
    world = robot.world
    assert isinstance(world, SimWorldModel)
    fixture, door = world.furniture[container].fixture, world.furniture[container].doors[0]
    robot.data.joint(door.joint).qpos = drawn = 0.95 * door.travel
    place = next(each for each in world.places.values() if each.looks_at == container).pose
    chest: dict[str, ParamValue] = {
        "target": Pose.planar(fixture.pose.x, fixture.pose.y, fixture.pose.yaw, fixture.height / 2),
        "node_id": container,
    }
    do(Verb.NAVIGATE, by=robot, goal=Pose.planar(place.x, place.y, place.yaw))
    assert _seen_of_its_floor(robot, points_inside(fixture, drawn)) < 0.5
    looked = do(Verb.LOOK_AT, by=robot, **chest)
    assert looked.success, looked.message
    assert float(looked.evidence["drove"]) > 0.2
    assert float(looked.evidence["in_sight"]) > 0.75
    assert _seen_of_its_floor(robot, points_inside(fixture, drawn)) > 0.75
    stood = robot.control.base_pose
    thing = {"target": Pose((0.0, 0.0, 0.0)), "node_id": "ball_1", "inside": container}
    assert do(Verb.LOOK_AT, by=robot, **thing).success
    assert np.linalg.norm(robot.control.base_pose - stood) < 0.1


def test_does_not_go_nearer_to_what_is_shut(do: Do, robot: SkillContext) -> None:
    fixture = robot.world.furniture["drawer"].fixture
    stood = robot.control.base_pose[:2]
    target = Pose.planar(fixture.pose.x, fixture.pose.y, fixture.pose.yaw, 0.6)
    assert do(Verb.LOOK_AT, by=robot, target=target, node_id="drawer").success
    assert np.linalg.norm(robot.control.base_pose[:2] - stood) < 0.05


def _seen_of_its_floor(robot: SkillContext, points: NDArray[np.float64]) -> float:
    """Share of points that physics' own rays reach from the head camera, within its picture."""
    T = robot.control.T_map_body(robot.names.head_optical_frame)
    x, y, z = ((points - T[:3, 3]) @ T[:3, :3]).T
    shown = (z > 0) & (np.abs(x) < 0.69 * z) & (np.abs(y) < 0.52 * z)
    geom = np.full(1, -1, dtype=np.int32)
    met = [
        mujoco.mj_ray(robot.model, robot.data, T[:3, 3], p - T[:3, 3], None, True, -1, geom) for p in points
    ]
    clear = (np.array(met) < 0) | (np.array(met) >= 1.0)
    return float((shown & clear).mean())


def test_lifts_what_lies_in_a_drawer_over_its_front(do: Do) -> None:
    scene = load_scene(STUDIO)
    inside = tuple(item for item in scene.document.objects if item.fixture == "drawer")
    scene = Scene(scene.document.model_copy(update={"objects": inside}), scene.home)
    world = SimWorldModel.load(scene, 0, add_robot)
    set_stowed(world.model, world.data)
    robot, fixture = SkillContext(world, 0), world.furniture["drawer"]
    chest = Pose.planar(fixture.pose.x, fixture.pose.y, fixture.pose.yaw, 0.6)
    opened = do(Verb.OPEN, by=robot, target=chest, container_id="drawer")
    assert opened.success, opened.message
    thing = world.objects[inside[0].id]
    x, y, z = (float(value) for value in world.data.body(thing.body).xpos)
    sizes = dict(zip(("size_x", "size_y", "size_z"), thing.size, strict=True))
    taken = do(Verb.GRASP, by=robot, target=Pose((x, y, z)), label=thing.phrase, **sizes)
    assert taken.success, taken.message
    assert robot.held is not None
    assert world.door_opening("drawer") > 0.8
