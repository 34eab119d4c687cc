import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from openral_core.arrays import Array
from openral_core.geometry import angle_between
from openral_sim.motion_primitives.base_motion import DriveLimits, PathFollower

Corners = list[tuple[float, float]]

DT = 0.02
LIMITS = DriveLimits()


def drive(path: Corners, yaw: float, start_yaw: float = 0.0, seconds: float = 60.0) -> tuple[Array, Array]:
    """Integrate the commanded velocities of an ideal base; returns poses and velocities."""
    follower = PathFollower(np.array(path, dtype=float), yaw)
    pose, poses, velocities = np.array([*path[0], start_yaw], dtype=float), [], []
    for _ in range(int(seconds / DT)):
        if follower.arrived(pose):
            break
        velocity = follower.command(pose, DT)
        pose = pose + velocity * DT
        poses.append(pose)
        velocities.append(velocity)
    return np.array(poses), np.array(velocities)


@pytest.mark.parametrize(
    "path",
    [
        [(0, 0), (4, 0)],
        [(0, 0), (2, 0), (2, 2), (0, 2)],
        [(0, 0), (0.1, 0.0)],
        [(0, 0), (-1.5, 0.3), (1.0, 0.2)],
    ],
)
@pytest.mark.parametrize("yaw", [0.0, 3.0, -1.5])
def test_ends_on_the_goal_with_its_heading(path: Corners, yaw: float) -> None:
    poses, _ = drive(path, yaw)
    assert np.linalg.norm(poses[-1][:2] - path[-1]) < 0.01
    assert angle_between(float(poses[-1][2]), yaw) < np.radians(2)


def test_turns_on_the_spot_when_the_path_has_no_length() -> None:
    poses, _ = drive([(1, 1), (1, 1)], 2.5)
    assert angle_between(float(poses[-1][2]), 2.5) < 0.02
    assert np.abs(poses[:, :2] - 1).max() < 0.01


def test_four_metres_take_no_longer_than_seven_seconds() -> None:
    poses, _ = drive([(0, 0), (4, 0)], 0.0)
    assert len(poses) * DT < 7.0


def test_faces_the_way_it_goes() -> None:
    poses, _ = drive([(0, 0), (0, 4)], 0.0)
    midway = poses[np.abs(poses[:, 1] - 2.0).argmin()]
    assert angle_between(float(midway[2]), np.pi / 2) < 0.1


@given(
    st.lists(st.tuples(st.floats(-3, 3), st.floats(-3, 3)), min_size=2, max_size=5),
    st.floats(-3.1, 3.1),
    st.floats(-3.1, 3.1),
)
@settings(max_examples=25, deadline=None)
def test_never_exceeds_speed_or_acceleration(path: Corners, yaw: float, start_yaw: float) -> None:
    _, velocities = drive(path, yaw, start_yaw, seconds=12.0)
    if len(velocities) == 0:
        return
    changes = np.diff(np.vstack([np.zeros(3), velocities]), axis=0) / DT
    assert np.linalg.norm(velocities[:, :2], axis=1).max() <= LIMITS.speed + 1e-6
    assert np.abs(velocities[:, 2]).max() <= LIMITS.turn_rate + 1e-6
    assert np.linalg.norm(changes[:, :2], axis=1).max() <= LIMITS.acceleration + 1e-6
    assert np.abs(changes[:, 2]).max() <= LIMITS.turn_acceleration + 1e-6
