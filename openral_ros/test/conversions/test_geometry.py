"""Conversions of poses and stamps."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from openral_core.geometry import InvalidGeometry, Pose

pytest.importorskip("openral_msgs")
from builtin_interfaces.msg import Time

from openral_ros.conversions import geometry
from openral_ros.conversions import geometry as times

numbers = st.floats(-1e3, 1e3, allow_nan=False)
poses = st.builds(Pose.planar, numbers, numbers, st.floats(-3.1, 3.1), numbers)


@given(st.floats(-2e9, 2e9))
def test_stamps_keep_their_time_to_a_microsecond(time: float) -> None:
    assert times.seconds(times.stamp_of(time)) == pytest.approx(time, abs=1e-6)


@given(st.integers(-(2**31), 2**31 - 1), st.integers(0, 10**9 - 1))
def test_whatever_stamp_comes_can_be_told_again(sec: int, nanosec: int) -> None:
    time = times.seconds(Time(sec=sec, nanosec=nanosec))
    assert times.seconds(times.stamp_of(time)) == pytest.approx(time, abs=1e-6)


@pytest.mark.parametrize(
    ("time", "sec"), [(2147483648.0, 2**31 - 1), (math.inf, 2**31 - 1), (-1e300, -(2**31))]
)
def test_a_time_that_no_stamp_holds_is_the_nearest_that_can(time: float, sec: int) -> None:
    assert times.stamp_of(time).sec == sec


def test_a_time_that_is_no_number_is_refused() -> None:
    with pytest.raises(times.InvalidTime):
        times.stamp_of(math.nan)


@given(poses)
def test_poses_survive(pose: Pose) -> None:
    assert close(geometry.pose_from_message(geometry.pose_message(pose)), pose)
    assert close(geometry.pose_from_transform(geometry.transform_message(pose)), pose)


def test_a_pose_that_is_not_a_number_is_refused() -> None:
    message = geometry.pose_message(Pose())
    message.position.x = float("nan")
    with pytest.raises(InvalidGeometry, match="three finite numbers"):
        geometry.pose_from_message(message)


def close(first: Pose, second: Pose) -> bool:
    same = np.allclose(first.position, second.position) and np.allclose(
        np.abs(np.dot(first.orientation, second.orientation)), 1.0
    )
    return bool(same)
