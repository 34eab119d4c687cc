"""Opening and closing doors, drawers and sliding doors, by the hand alone."""

from collections.abc import Callable
from functools import cache
from pathlib import Path

import mujoco
import numpy as np
import pytest
from numpy.typing import NDArray

from openral_core.geometry import Pose
from openral_core.skills import Feedback, ParamValue, SkillResult, SkillStatus, Verb
from openral_sim.assets.furniture.builder import DoorMotion
from openral_sim.assets.furniture.doors import points_inside
from openral_sim.motion_primitives.context import SkillContext
from openral_sim.robot.sim_robot import load_sim_robot
from openral_sim.scene.scene import Scene, load_scene
from openral_sim.scene.world import SimWorldModel

SCENES = Path(__file__).parents[3] / "scenes" / "deploy"

FRIDGE: dict[str, ParamValue] = {"target": Pose.planar(0.36, 1.7, 0.0, 0.875), "container_id": "fridge"}
CABINET: dict[str, ParamValue] = {"target": Pose.planar(2.0, 0.24, 1.57, 0.75), "container_id": "cabinet"}

Do = Callable[..., SkillResult]
AtHome = Callable[[int], SkillContext]


def hinge(container: ParamValue) -> str:
    return f"furniture/{container}/door/hinge"


def angle(robot: SkillContext, goal: dict[str, ParamValue]) -> float:
    return float(robot.data.joint(hinge(goal["container_id"])).qpos[0])


def connected(robot: SkillContext) -> bool:
    return bool(robot.data.eq_active[robot.model.equality(robot.names.handle_connect).id])


@pytest.mark.parametrize("goal", [FRIDGE, CABINET], ids=["fridge", "cabinet"])
def test_opens_a_door_wide_and_shuts_it_again(do: Do, at_home: AtHome, goal: dict[str, ParamValue]) -> None:
    robot = at_home(0)
    opened = do(Verb.OPEN, by=robot, **goal)
    assert opened.success, opened.message
    assert angle(robot, goal) > np.radians(75)
    assert opened.evidence["opening"] == pytest.approx(angle(robot, goal) / 1.92, abs=0.01)
    assert not connected(robot)
    again = do(Verb.OPEN, by=robot, **goal)
    assert again.success
    assert "already" in again.message
    shut = do(Verb.CLOSE, by=robot, **goal)
    assert shut.success, shut.message
    assert angle(robot, goal) < 0.03
    assert shut.evidence["opening"] == pytest.approx(0.0, abs=0.02)
    assert "already" in do(Verb.CLOSE, by=robot, **goal).message


def test_never_pins_the_hand_to_a_handle_it_does_not_touch(do: Do, at_home: AtHome) -> None:
    robot = at_home(0)
    for part in robot.world.furniture["fridge"].doors[0].handle_geoms:
        robot.model.geom(part).contype = robot.model.geom(part).conaffinity = 0
    result = do(Verb.OPEN, by=robot, **FRIDGE)
    assert result.status is SkillStatus.NOT_IN_GRIPPER_RANGE
    assert not connected(robot)
    assert angle(robot, FRIDGE) < 0.01


def test_notices_that_the_handle_slips(do: Do, at_home: AtHome) -> None:
    robot = at_home(0)

    def open_the_fingers(feedback: Feedback) -> bool:
        if feedback.stage == "pulling the door" and feedback.progress > 0.4:
            robot.data.eq_active[robot.model.equality(robot.names.handle_connect).id] = 0
            robot.control.grip(0.08)
        return False

    result = do(Verb.OPEN, by=robot, cancel_when=open_the_fingers, **FRIDGE)
    assert result.status is SkillStatus.LOST_OBJECT
    assert "handle" in result.message
    assert 0.1 < angle(robot, FRIDGE) < 1.2


def test_says_how_far_a_jammed_door_went(do: Do, at_home: AtHome) -> None:
    robot = at_home(0)
    robot.model.jnt_range[robot.model.joint(hinge("fridge")).id, 1] = 0.5
    result = do(Verb.OPEN, by=robot, **FRIDGE)
    assert result.status is SkillStatus.BLOCKED
    assert "degrees" in result.message
    assert not connected(robot)


def test_can_be_cancelled_while_pulling_and_lets_the_handle_go(do: Do, at_home: AtHome) -> None:
    robot = at_home(0)
    result = do(
        Verb.OPEN,
        by=robot,
        cancel_when=lambda reported: reported.stage == "pulling the door" and reported.progress > 0.3,
        **FRIDGE,
    )
    assert result.status is SkillStatus.CANCELLED
    assert not connected(robot)
    assert np.abs(robot.control.base_velocity).max() < 0.05
    commanded = robot.control.reach_target
    assert np.abs(commanded - robot.control.reach).max() < 0.1  # else the arm goes on to where it was going
    mujoco.mj_step(robot.model, robot.data, 1000)
    assert np.abs(commanded - robot.control.reach).max() < 0.1


@pytest.mark.parametrize(
    ("changed", "status", "words"),
    [
        ({"container_id": "sofa"}, SkillStatus.BAD_REQUEST, "containers with doors: 'fridge', 'cabinet'"),
        ({"target": Pose((8.0, 2.0, 0.5))}, SkillStatus.NOTHING_THERE, "door of 'fridge' is more than"),
        ({"target": "fridge"}, SkillStatus.BAD_REQUEST, "'target' must be a pose"),
    ],
)
@pytest.mark.parametrize("verb", [Verb.OPEN, Verb.CLOSE])
def test_refuses_what_is_no_door(
    do: Do,
    at_home: AtHome,
    verb: Verb,
    changed: dict[str, ParamValue],
    status: SkillStatus,
    words: str,
) -> None:
    result = do(verb, by=at_home(0), **(FRIDGE | changed))
    assert result.status is status
    assert words in result.message


@pytest.mark.parametrize(
    ("goal", "thing"),
    [
        (FRIDGE, "wine_bottle"),
        pytest.param(FRIDGE, "milk", marks=pytest.mark.slow),
        pytest.param(CABINET, "wine_glass", marks=pytest.mark.slow),
    ],
)
def test_takes_a_thing_out_of_what_it_opened(
    do: Do, at_home: AtHome, goal: dict[str, ParamValue], thing: str
) -> None:
    robot = at_home(1)
    item = robot.world.objects[thing]
    assert do(Verb.OPEN, by=robot, **goal).success
    x, y, z = (float(value) for value in robot.data.body(item.body).xpos)
    size = dict(zip(("size_x", "size_y", "size_z"), item.size, strict=True))
    took = do(Verb.GRASP, by=robot, target=Pose((x, y, z)), label=item.phrase, **size)
    assert took.success, took.message
    full = do(Verb.CLOSE, by=robot, **goal)
    assert full.status is SkillStatus.BAD_REQUEST
    assert "already holds" in full.message


@pytest.mark.parametrize("name", ["drawer", pytest.param("lower_drawer", marks=pytest.mark.slow)])
def test_draws_a_drawer_out_and_pushes_it_in_again(do: Do, name: str) -> None:
    world = SimWorldModel.load(load_scene(SCENES / "studio.yaml"), 0, load_sim_robot())
    load_sim_robot().set_stowed(world.model, world.data)
    robot, item = SkillContext(world), world.furniture[name]
    target = Pose.planar(item.pose.x, item.pose.y, item.pose.yaw, item.fixture.height / 2)
    opened = do(Verb.OPEN, by=robot, target=target, container_id=name)
    assert opened.success, opened.message
    assert world.door_opening(name) > 0.6
    shut = do(Verb.CLOSE, by=robot, target=target, container_id=name)
    assert shut.success, shut.message
    assert world.door_opening(name) < 0.06


HOUSE, STUDIO = SCENES / "house.yaml", SCENES / "studio.yaml"


@cache
def house() -> Scene:
    """The house without the things in it, which would only cost time."""
    scene = load_scene(HOUSE)
    return Scene(scene.document.model_copy(update={"objects": ()}), scene.home)


@pytest.fixture
def robot() -> SkillContext:
    world = SimWorldModel.load(house(), 0, load_sim_robot())
    load_sim_robot().set_stowed(world.model, world.data)
    return SkillContext(world, 0)


@pytest.mark.parametrize("container", ["drawer", pytest.param("wardrobe", marks=pytest.mark.slow)])
def test_draws_what_slides_and_shuts_it_again(do: Do, robot: SkillContext, container: str) -> None:
    world = robot.world
    assert isinstance(world, SimWorldModel)
    fixture, door = world.furniture[container], world.furniture[container].doors[0]
    assert door.motion is DoorMotion.SLIDE
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


@pytest.mark.parametrize("container", ["drawer", pytest.param("study_lower_drawer", marks=pytest.mark.slow)])
def test_looks_into_a_drawn_drawer_from_where_its_front_does_not_hide_its_floor(
    do: Do, robot: SkillContext, container: str
) -> None:
    world = robot.world
    assert isinstance(world, SimWorldModel)
    fixture, door = world.furniture[container].fixture, world.furniture[container].doors[0]
    robot.data.joint(door.joint).qpos = drawn = 0.95 * door.travel
    place = next(item for item in world.places.values() if item.looks_at == container).pose
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
    element = {"target": Pose((0.0, 0.0, 0.0)), "node_id": "ball_1", "inside": container}
    assert do(Verb.LOOK_AT, by=robot, **element).success
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
    world = SimWorldModel.load(scene, 0, load_sim_robot())
    load_sim_robot().set_stowed(world.model, world.data)
    robot, fixture = SkillContext(world, 0), world.furniture["drawer"]
    chest = Pose.planar(fixture.pose.x, fixture.pose.y, fixture.pose.yaw, 0.6)
    opened = do(Verb.OPEN, by=robot, target=chest, container_id="drawer")
    assert opened.success, opened.message
    element = world.objects[inside[0].id]
    x, y, z = (float(value) for value in world.data.body(element.body).xpos)
    sizes = dict(zip(("size_x", "size_y", "size_z"), element.size, strict=True))
    taken = do(Verb.GRASP, by=robot, target=Pose((x, y, z)), label=element.phrase, **sizes)
    assert taken.success, taken.message
    assert robot.held is not None
    assert world.door_opening("drawer") > 0.8
