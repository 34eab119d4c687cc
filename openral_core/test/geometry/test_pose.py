"""Poses and transforms compose, invert and refuse what is no pose."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from openral_core.geometry import InvalidGeometry, Pose, angle_between, inverse, transform_points, wrap_angle

numbers = st.floats(-100.0, 100.0)
quaternions = st.tuples(*[st.floats(-1.0, 1.0)] * 4).filter(lambda q: sum(x * x for x in q) > 0.01)
poses = st.builds(Pose, st.tuples(numbers, numbers, numbers), quaternions)


@given(poses)
def test_a_pose_is_its_matrix(pose: Pose) -> None:
    again = Pose.from_matrix(pose.matrix())
    assert np.allclose(again.matrix(), pose.matrix(), atol=1e-9)


@given(poses, poses)
def test_the_inverse_of_a_product_is_the_product_of_inverses(first: Pose, second: Pose) -> None:
    A, B = first.matrix(), second.matrix()
    assert np.allclose(inverse(A @ B), inverse(B) @ inverse(A), atol=1e-6)


@given(poses, st.tuples(numbers, numbers, numbers))
def test_points_go_there_and_back(pose: Pose, point: tuple[float, float, float]) -> None:
    T = pose.matrix()
    there = transform_points(T, np.array([point]))
    assert np.allclose(transform_points(inverse(T), there), [point], atol=1e-6)


@given(st.floats(-math.pi, math.pi - 1e-6))
def test_a_planar_pose_keeps_its_yaw(yaw: float) -> None:
    assert angle_between(Pose.planar(1.0, 2.0, yaw).yaw, yaw) < 1e-9


@given(st.floats(-100.0, 100.0))
def test_wrapped_angles_are_the_same_angle(angle: float) -> None:
    assert -math.pi <= wrap_angle(angle) < math.pi
    assert math.isclose(math.cos(angle), math.cos(wrap_angle(angle)), abs_tol=1e-9)


@pytest.mark.parametrize(
    ("position", "orientation"),
    [((math.nan, 0, 0), (0, 0, 0, 1)), ((0, 0, math.inf), (0, 0, 0, 1)), ((0, 0, 0), (0, 0, 0, 0))],
)
def test_numbers_that_are_no_pose_are_refused(position: tuple[float], orientation: tuple[float]) -> None:
    with pytest.raises(InvalidGeometry):
        Pose(position, orientation)  # type: ignore[arg-type]
