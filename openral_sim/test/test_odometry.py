"""The pose that a robot with drifting odometry believes to have."""

import numpy as np
import pytest

from openral_core.geometry import inverse, yaw_matrix
from openral_sim.odometry import DRIFTS, DriftName, Localisation

START = np.array([1.0, 2.0, 0.5])


def square(side: float = 2.0) -> list[np.ndarray]:
    """Poses along a square, in steps of a control period."""
    poses, x, y, yaw = [], *START
    for _ in range(4):
        for _ in range(100):
            x, y = x + side / 100 * np.cos(yaw), y + side / 100 * np.sin(yaw)
            poses.append(np.array([x, y, yaw]))
        for _ in range(50):
            yaw += np.pi / 100
            poses.append(np.array([x, y, yaw]))
    return poses


def driven(drift: DriftName, seed: int = 0) -> Localisation:
    made = Localisation(START, DRIFTS[drift], seed)
    for pose in square():
        made.advance(pose)
    return made


def test_without_drift_map_and_world_are_one() -> None:
    made = driven(DriftName.OFF)
    assert not made.drifts
    assert np.array_equal(made.T_map_world, np.eye(4))
    assert made.error == pytest.approx((0.0, 0.0), abs=1e-9)


def test_a_drifting_odometry_errs_as_its_seed_says_and_by_little() -> None:
    made, again, other = driven(DriftName.MILD), driven(DriftName.MILD), driven(DriftName.MILD, 1)
    assert made.error == again.error != other.error
    ends = np.array([driven(DriftName.MILD, seed).error for seed in range(20)])
    assert 0.01 < np.median(ends[:, 0]) < 0.3, "eight metres and a full turn"
    assert 0.005 < np.median(ends[:, 1]) < 0.15


def test_poses_go_from_map_to_world_and_back() -> None:
    made = driven(DriftName.MILD)
    assert np.allclose(made.T_map_world @ made.T_world_map, np.eye(4))
    true = yaw_matrix(*square()[-1])
    assert np.allclose(made.T_odom_world @ true, made.T_odom_base)
    assert np.allclose(made.T_map_world @ true, made.T_map_odom @ made.T_odom_base)


def test_a_correction_moves_the_robot_in_the_map() -> None:
    made = driven(DriftName.MILD)
    believed, true = made.T_map_world @ yaw_matrix(*square()[-1]), yaw_matrix(*square()[-1])
    made.correct(true @ inverse(believed))
    assert made.error == pytest.approx((0.0, 0.0), abs=1e-6)
    assert np.allclose(made.T_map_world, np.eye(4))


def test_wheels_that_slip_put_the_robot_elsewhere() -> None:
    made = driven(DriftName.MILD)
    believed = made.T_odom_base
    made.slip(0.4, -0.3, 0.26)
    assert np.allclose(made.T_odom_base, believed @ yaw_matrix(0.4, -0.3, 0.26))
