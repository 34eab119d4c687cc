import mujoco
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from openral_core.arrays import PlanarPose, Rotation, Vector3
from openral_sim.motion_primitives.head import head_angles
from openral_sim.planning.range_sensor import line_of_sight
from openral_sim.planning.visibility import (
    Boxes,
    camera_pose_looking_at,
    is_occluded,
    nearby_occluders,
    visible_fraction,
)
from openral_sim.robot.joints import RobotNames
from openral_sim.robot.sim_robot import load_sim_robot
from openral_sim.scene.world import SimWorldModel

FLOOR = np.array([[1.0, 0.2 * y, 0.60] for y in (-1, 0, 1)])
HEAD = load_sim_robot().head
NOTHING = Boxes(np.empty((0, 3)), np.empty((0, 3, 3)), np.empty((0, 3)))
length = st.floats(-2.0, 2.0)
point = st.tuples(length, length, length)


def box(centre: tuple[float, ...], half: tuple[float, ...], yaw: float = 0.0) -> Boxes:
    c, s = np.cos(yaw), np.sin(yaw)
    R = np.array([[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]])
    return Boxes(np.array([centre]), R[None], np.array([half]))


@pytest.mark.parametrize(
    ("half", "hides"),
    [((0.01, 1.0, 0.10), False), ((0.01, 1.0, 0.30), True), ((0.01, 0.05, 0.30), False)],
    ids=["low", "high", "narrow"],
)
def test_a_front_hides_what_lies_behind_it_only_if_it_is_high_and_wide(
    half: tuple[float, ...], hides: bool
) -> None:
    eye, behind = np.array([0.0, 0.0, 1.0]), np.array([[1.0, 0.4, 0.60]])
    assert is_occluded(eye, behind, box((0.8, 0.0, 0.5), half))[0] == hides


def test_a_box_beyond_what_is_looked_at_hides_nothing() -> None:
    assert not is_occluded(np.zeros(3), np.array([[1.0, 0.0, 0.0]]), box((1.5, 0.0, 0.0), (0.1, 1.0, 1.0)))[0]


def test_a_box_behind_the_eye_hides_nothing() -> None:
    assert not is_occluded(np.zeros(3), np.array([[1.0, 0.0, 0.0]]), box((-0.5, 0.0, 0.0), (0.1, 1.0, 1.0)))[
        0
    ]


@given(eye=point, target=point, centre=point, yaw=st.floats(-3.0, 3.0))
def test_what_is_hidden_is_what_a_line_of_sight_passes_through(
    eye: tuple[float, ...], target: tuple[float, ...], centre: tuple[float, ...], yaw: float
) -> None:
    half = np.array([0.3, 0.5, 0.2])
    boxes = box(centre, tuple(half), yaw)
    shares = np.linspace(0.0, 1.0, 400)[:, None]
    line = (np.array(eye) + shares * (np.array(target) - np.array(eye)) - centre) @ boxes.axes[0]
    met = is_occluded(np.array(eye), np.array([target]), boxes)[0]
    if (np.abs(line) < half - 0.01).all(axis=1).any():
        assert met
    if not (np.abs(line) < half + 0.01).all(axis=1).any():
        assert not met


@pytest.mark.parametrize("base", [(0.0, 0.0, 0.0), (1.2, -0.7, 2.5)])
@pytest.mark.parametrize("aim", [(1.5, -1.0, 0.7), (-0.3, 0.6, 0.5), (0.9, 0.1, 1.6)])
def test_the_eye_is_where_the_head_camera_of_the_model_is(
    compiled: mujoco.MjModel, data: mujoco.MjData, names: RobotNames, base: PlanarPose, aim: Vector3
) -> None:
    eye, axes = camera_pose_looking_at(HEAD, np.array(base), np.array(aim))
    T = _of_the_model(compiled, data, names, np.array(base), np.array(aim))
    assert np.allclose(eye, T[0], atol=1e-6)
    assert np.allclose(axes, T[1], atol=1e-6)


def _of_the_model(
    model: mujoco.MjModel, data: mujoco.MjData, names: RobotNames, base: PlanarPose, aim: Vector3
) -> tuple[Vector3, Rotation]:
    """Position and axes of the camera's frame with the head turned as skills turn it."""
    for joint, value in zip(names.base_joints, base, strict=True):
        data.joint(joint).qpos = value
    for joint, angle in zip(names.head_joints, head_angles(HEAD, aim, base), strict=True):
        data.joint(joint).qpos = np.clip(angle, *model.joint(joint).range)
    mujoco.mj_kinematics(model, data)
    frame = data.body(names.head_optical_frame)
    return frame.xpos.copy(), frame.xmat.reshape(3, 3).copy()


def test_sees_more_of_a_tray_from_near_than_past_its_front_from_afar() -> None:
    front = box((0.9, 0.0, 0.60), (0.01, 0.4, 0.09))
    afar = visible_fraction(HEAD, np.array([-0.6, 0.0, 0.0]), FLOOR, front)
    near = visible_fraction(HEAD, np.array([0.5, 0.0, 0.0]), FLOOR, front)
    assert afar.fraction == 0.0
    assert near.fraction == 1.0


def test_points_to_the_middle_of_what_is_not_hidden() -> None:
    half_hidden = visible_fraction(
        HEAD, np.array([-0.5, 0.0, 0.0]), FLOOR, box((0.5, -0.4, 0.7), (0.01, 0.45, 0.6))
    )
    assert half_hidden.fraction == pytest.approx(1 / 3)
    assert np.allclose(half_hidden.aim, FLOOR[2])


def test_what_is_outside_the_picture_is_not_seen() -> None:
    wide_apart = np.array([[1.0, -2.0, 0.6], [1.0, 2.0, 0.6]])
    assert visible_fraction(HEAD, np.array([0.0, 0.0, 0.0]), wide_apart, NOTHING).fraction == 0.0
    assert visible_fraction(HEAD, np.array([-4.0, 0.0, 0.0]), wide_apart, NOTHING).fraction == 1.0


def test_the_head_does_not_look_over_its_shoulder() -> None:
    assert visible_fraction(HEAD, np.array([0.0, 0.0, np.pi]), FLOOR, NOTHING).fraction == 0.0


def test_hide_what_furniture_hides_and_nothing_else(still_world: SimWorldModel) -> None:
    model, data = still_world.model, still_world.data
    middle, rng = np.array([0.40, 1.70, 0.85]), np.random.default_rng(0)
    loose = frozenset(
        body
        for body in range(model.nbody)
        if model.body_jntnum[body] and model.jnt_type[model.body_jntadr[body]] == mujoco.mjtJoint.mjJNT_FREE
    )
    boxes = nearby_occluders(model, data, middle, 3.0, frozenset())
    eye = np.array([1.9, 1.7, 1.4])
    points = middle + rng.uniform(-0.8, 0.8, (60, 3))
    seen = [line_of_sight(model, data, eye, point, loose) for point in points]
    met = is_occluded(eye, points, boxes)
    # A line of sight forgives what is within 12 cm before a point.
    short = eye + (points - eye) * (1.0 - 0.12 / np.linalg.norm(points - eye, axis=1, keepdims=True))
    assert (~is_occluded(eye, short, boxes) == seen).mean() > 0.95
    assert 0 < met.sum() < len(points)


def test_are_those_near_by(still_world: SimWorldModel) -> None:
    at = np.array([0.40, 1.70, 0.85])
    near = nearby_occluders(still_world.model, still_world.data, at, 0.5, frozenset())
    all_of_them = nearby_occluders(still_world.model, still_world.data, at, 50.0, frozenset())
    assert 0 < len(near.centres) < len(all_of_them.centres)


def test_what_can_be_picked_up_is_none(still_world: SimWorldModel) -> None:
    bottle = next(item for item in still_world.objects.values() if item.kind == "wine_bottle")
    at = still_world.T_world(bottle.body)[:3, 3]
    boxes = nearby_occluders(still_world.model, still_world.data, at, 5.0, frozenset())
    local = np.einsum("nji,nj->ni", boxes.axes, at - boxes.centres)
    assert not (np.abs(local) < boxes.halves).all(axis=1).any()
