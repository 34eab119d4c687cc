"""Conversions of poses."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from openral_core.geometry import InvalidGeometry, Pose

pytest.importorskip("openral_msgs")

from openral_ros.conversions import geometry

numbers = st.floats(-1e3, 1e3, allow_nan=False)
poses = st.builds(Pose.planar, numbers, numbers, st.floats(-3.1, 3.1), numbers)


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
