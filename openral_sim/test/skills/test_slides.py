"""Drawing and shutting drawers and sliding doors, by the hand alone."""

from collections.abc import Callable
from functools import cache
from pathlib import Path

import pytest

from openral_core.geometry import Pose
from openral_core.skills import ParamValue, SkillResult, Verb
from openral_sim.furniture import Motion
from openral_sim.robot import add_robot, stand_tucked
from openral_sim.scenes import Scene, load_scene
from openral_sim.skills import SkillContext
from openral_sim.world import World

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
    world = World.load(house(), 0, add_robot)
    stand_tucked(world.model, world.data)
    return SkillContext(world, 0)


@pytest.mark.parametrize("container", ["drawer", "wardrobe"])
def test_draws_what_slides_and_shuts_it_again(do: Do, robot: SkillContext, container: str) -> None:
    world = robot.world
    assert isinstance(world, World)
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


def test_lifts_what_lies_in_a_drawer_over_its_front(do: Do) -> None:
    scene = load_scene(STUDIO)
    inside = tuple(item for item in scene.document.objects if item.fixture == "drawer")
    scene = Scene(scene.document.model_copy(update={"objects": inside}), scene.home)
    world = World.load(scene, 0, add_robot)
    stand_tucked(world.model, world.data)
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
