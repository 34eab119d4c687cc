from collections import Counter
from collections.abc import Iterator

import mujoco
import numpy as np
import pytest
from numpy.typing import NDArray

from openral_sim.rendering.camera import CameraRenderer, UnknownSimCamera, free_camera
from openral_sim.rendering.sensor import SENSORS, SensorName
from openral_sim.robot.sim_robot import load_sim_robot
from openral_sim.scene.scene import Scene
from openral_sim.scene.world import SimWorldModel

SIZE = (160, 120)
View = tuple[tuple[float, float, float], float, float, float]


@pytest.fixture(scope="module")
def world(scene: Scene) -> SimWorldModel:
    world = SimWorldModel.load(scene, 0, load_sim_robot())
    load_sim_robot().set_stowed(world.model, world.data)
    return world


@pytest.fixture
def renderer(world: SimWorldModel) -> Iterator[CameraRenderer]:
    with CameraRenderer(world, "robot/head", *SIZE) as renderer:
        yield renderer


def test_a_frame_has_the_size_asked_for_and_a_picture_in_it(renderer: CameraRenderer) -> None:
    frame = renderer.render()
    assert frame.rgb.shape == (120, 160, 3)
    assert frame.rgb.dtype == np.uint8
    assert frame.depth.shape == (120, 160)
    assert frame.depth.dtype == np.float32
    assert len(np.unique(frame.rgb.reshape(-1, 3), axis=0)) > 100
    assert frame.rgb.mean() > 60


def test_the_lower_half_sees_nearer_things_than_the_upper(renderer: CameraRenderer) -> None:
    depth = renderer.render().depth
    assert np.median(depth[100:]) < np.median(depth[40:60])


def test_depth_is_what_a_ray_measures(world: SimWorldModel, renderer: CameraRenderer) -> None:
    frame = renderer.render()
    camera = world.data.camera("robot/head")
    R = camera.xmat.reshape(3, 3)
    checked = []
    for v, u in np.random.default_rng(0).integers((2, 2), (118, 158), (300, 2)):
        around = frame.depth[v - 1 : v + 2, u - 1 : u + 2]
        if around.min() > 0 and np.ptp(around) < 0.02:
            checked.append(frame.depth[v, u] - ray_depth(world, camera.xpos, R, frame.K, u, v))
    assert len(checked) > 100
    assert np.percentile(np.abs(checked), 99) < 0.002


def ray_depth(
    world: SimWorldModel,
    eye: NDArray[np.float64],
    R: NDArray[np.float64],
    K: NDArray[np.float64],
    u: int,
    v: int,
) -> float:
    direction = np.array([(u - K[0, 2]) / K[0, 0], -(v - K[1, 2]) / K[1, 1], -1.0])
    seen_groups = np.array([1, 1, 1, 0, 0, 0], dtype=np.uint8)
    hit = np.zeros(1, dtype=np.int32)
    head = world.model.body("robot/head_tilt_link").id
    return mujoco.mj_ray(world.model, world.data, eye, R @ direction, seen_groups, 1, head, hit)


def test_depth_is_zero_where_nothing_is(world: SimWorldModel) -> None:
    with CameraRenderer(world, "robot/head", *SIZE) as renderer:
        world.data.joint("robot/head_tilt").qpos[0] = -0.5
        mujoco.mj_forward(world.model, world.data)
        depth = renderer.render().depth
        world.data.joint("robot/head_tilt").qpos[0] = 0.0
        mujoco.mj_forward(world.model, world.data)
    assert (depth == 0).any()


def test_the_focal_length_follows_the_field_of_view(world: SimWorldModel, renderer: CameraRenderer) -> None:
    fovy = np.radians(world.model.camera("robot/head").fovy[0])
    assert renderer.K[1, 1] == pytest.approx(60 / np.tan(fovy / 2))
    assert renderer.K[0, 0] == renderer.K[1, 1]


def test_from_the_start_the_robot_sees_the_mugs_and_the_baguette(world: SimWorldModel) -> None:
    with CameraRenderer(world, "robot/head", 320, 240) as renderer:
        seen = renderer.segment()
        area = {phrase: int((seen == number).sum()) for number, phrase in renderer.labels.items()}
    assert area["red mug"] > 40
    assert area["blue mug"] > 40
    assert area["baguette"] > 80
    assert area["kitchen counter"] > 5000


def test_segments_lie_where_the_objects_are(world: SimWorldModel, renderer: CameraRenderer) -> None:
    seen = renderer.segment()
    number = next(number for number, phrase in renderer.labels.items() if phrase == "baguette")
    rows, columns = np.nonzero(seen == number)
    camera = world.data.camera("robot/head")
    x, y, z = camera.xmat.reshape(3, 3).T @ (world.T_world("object/baguette")[:3, 3] - camera.xpos)
    u = renderer.K[0, 2] - renderer.K[0, 0] * x / z
    v = renderer.K[1, 2] + renderer.K[1, 1] * y / z
    assert abs(columns.mean() - u) < 3
    assert abs(rows.mean() - v) < 3


def test_two_things_of_one_phrase_have_ids_of_their_own(renderer: CameraRenderer) -> None:
    assert Counter(renderer.labels.values())["wine glass"] == 2
    assert 0 not in renderer.labels


@pytest.mark.parametrize(
    ("container", "eye", "hidden"),
    [
        ("fridge", ((0.5, 1.7, 0.95), 180, -5, 2.2), {"wine bottle", "milk"}),
        ("cabinet", ((2.0, 0.3, 0.9), 270, -5, 1.4), {"wine glass"}),
    ],
)
def test_a_shut_container_hides_all_that_is_inside_and_an_open_one_shows_it(
    world: SimWorldModel, container: str, eye: View, hidden: set[str]
) -> None:
    door = world.data.joint(world.furniture[container].doors[0].joint)
    assert not hidden & seen_from(world, eye)
    door.qpos[0] = 1.9
    mujoco.mj_forward(world.model, world.data)
    visible = seen_from(world, eye)
    door.qpos[0] = 0.0
    mujoco.mj_forward(world.model, world.data)
    assert hidden <= visible


def seen_from(world: SimWorldModel, eye: View) -> set[str]:
    with CameraRenderer(world, "robot/head", 320, 240) as renderer:
        renderer._camera = free_camera(*eye)
        return {renderer.labels[number] for number in np.unique(renderer.segment()) if number}


def test_a_sensor_errs_the_same_way_each_time_and_leaves_the_labels(world: SimWorldModel) -> None:
    def taken(name: SensorName, seed: int) -> tuple[bytes, bytes, bytes]:
        with CameraRenderer(world, "robot/head", *SIZE, sensor=SENSORS[name], seed=seed) as renderer:
            frame = renderer.render()
            return frame.rgb.tobytes(), frame.depth.tobytes(), renderer.segment().tobytes()

    perfect, errs, again, other = (
        taken(*choice)
        for choice in (
            (SensorName.OFF, 1),
            (SensorName.REALSENSE, 1),
            (SensorName.REALSENSE, 1),
            (SensorName.REALSENSE, 2),
        )
    )
    assert errs == again
    assert len({perfect[0], errs[0], other[0]}) == len({perfect[1], errs[1], other[1]}) == 3
    assert perfect[2] == errs[2]


def test_an_unknown_camera_lists_the_ones_there_are(world: SimWorldModel) -> None:
    with pytest.raises(UnknownSimCamera, match=r"'robot/tail'.*robot/head"):
        CameraRenderer(world, "robot/tail", *SIZE)
