import mujoco
import numpy as np
import pytest

from openral_core.grasping.approach import top_down
from openral_sim.planning.collision_checker import MARGIN, CollisionChecker, HeldBody
from openral_sim.planning.inverse_kinematics import IkSolver
from openral_sim.robot.joints import RobotNames
from openral_sim.robot.sim_robot import load_sim_robot

HOME = np.array(load_sim_robot().stowed)
NEARER = np.array([0.3, 0.0, 0.0])


def above(x: float, y: float, z: float) -> np.ndarray:
    u, v, w = top_down(0.0).R_map_approach.T
    T = np.eye(4)
    T[:3, :3], T[:3, 3] = np.column_stack([v, u, -w]), (x, y, z)
    return IkSolver(load_sim_robot()).solve(T, load_sim_robot().comfortable, tries=4)


@pytest.fixture
def checker(compiled: mujoco.MjModel, data: mujoco.MjData, names: RobotNames) -> CollisionChecker:
    checker = CollisionChecker(compiled, names)
    checker.sync(data)
    return checker


def test_the_start_posture_touches_nothing(checker: CollisionChecker) -> None:
    assert checker.is_free(HOME)


def test_names_what_touches(checker: CollisionChecker) -> None:
    inside = above(0.75, 0.3, 0.7)
    assert not checker.is_free(inside, NEARER)
    assert any("world" in pair for pair in checker.contact_pairs(inside, NEARER))


def test_a_base_pose_beside_the_box_is_free_and_one_in_it_is_not(checker: CollisionChecker) -> None:
    assert checker.is_free(HOME, np.array([-0.5, 0.0, 0.0]))
    assert not checker.is_free(HOME, np.array([1.0, 0.0, 0.0]))


def test_spares_contact_only_near_the_point_it_was_told(checker: CollisionChecker) -> None:
    on_ball = above(0.7, 0.0, 0.88)
    base, deep_in_the_box = np.array([0.5, 0.0, 0.0]), np.array([0.9, 0.0, 0.0])
    assert any("ball" in pair for pair in checker.contact_pairs(on_ball, base))
    checker.allow_contact_near(np.array([1.2, 0.0, 0.86]), 0.12)
    assert not any("ball" in pair for pair in checker.contact_pairs(on_ball, base))
    assert not checker.is_free(on_ball, deep_in_the_box)


def test_what_is_held_moves_with_the_hand(
    compiled: mujoco.MjModel, data: mujoco.MjData, checker: CollisionChecker
) -> None:
    posture = above(0.7, 0.3, 0.87)
    assert checker.is_free(posture, NEARER)
    T = np.eye(4)
    T[2, 3] = 0.10
    checker.sync(data, HeldBody(compiled.body("ball").id, T))
    assert any("ball" in pair for pair in checker.contact_pairs(posture, NEARER))


def test_what_is_held_keeps_the_robots_distance_until_it_is_let_go(
    compiled: mujoco.MjModel, data: mujoco.MjData, checker: CollisionChecker
) -> None:
    ball, posture = compiled.body("ball").id, above(0.7, 0.3, 1.1)
    T = np.eye(4)
    T[2, 3] = 0.10
    checker.sync(data, HeldBody(ball, T))
    beside_the_box = next(
        posture - np.eye(8)[0] * down
        for down in np.arange(0.0, 0.5, 0.002)
        if checker.contact_pairs(posture - np.eye(8)[0] * down, NEARER)
    )
    lower = beside_the_box - np.eye(8)[0] * 0.5 * MARGIN
    assert {("ball", "world"), ("world", "ball")} & set(checker.contact_pairs(beside_the_box, NEARER))
    checker.sync(data)
    assert checker.is_free(lower, NEARER)


def test_leaves_the_scene_itself_alone(
    data: mujoco.MjData, compiled: mujoco.MjModel, checker: CollisionChecker
) -> None:
    before, margins = data.qpos.copy(), compiled.geom_margin.copy()
    checker.is_free(above(0.7, 0.0, 0.9), np.array([1.0, 1.0, 1.0]))
    assert np.array_equal(data.qpos, before)
    assert np.array_equal(compiled.geom_margin, margins)


def test_sees_an_obstacle_halfway(data: mujoco.MjData, checker: CollisionChecker, names: RobotNames) -> None:
    data.joint(names.base_joints[0]).qpos = 0.5
    checker.sync(data)
    left, right = above(0.7, 0.3, 0.87), above(0.7, -0.3, 0.87)
    assert checker.is_free(left)
    assert checker.is_free(right)
    assert not checker.is_path_free(left, right)
    assert checker.is_path_free(left, left + np.array([0.2, 0, 0, 0, 0, 0, 0, 0]))


def test_a_tried_base_pose_is_forgotten(checker: CollisionChecker) -> None:
    assert not checker.is_free(HOME, np.array([1.0, 0.0, 0.0]))
    assert checker.is_free(HOME)
