import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from openral_sim.planning.arm_planner import SPEEDS, Trajectory

Vector = NDArray[np.float64]

postures = st.lists(st.floats(-2, 2), min_size=8, max_size=8)
paths = st.lists(postures, min_size=1, max_size=5).map(np.array)


@given(paths, st.floats(0.1, 1.0))
def test_starts_and_ends_on_its_corners(corners: Vector, share: float) -> None:
    trajectory = Trajectory(corners, share)
    assert np.allclose(trajectory.at(0.0), corners[0])
    assert np.allclose(trajectory.at(trajectory.duration), corners[-1], atol=1e-6)
    assert np.allclose(trajectory.at(trajectory.duration + 5), corners[-1], atol=1e-6)


@given(paths, st.floats(0.1, 1.0))
def test_no_joint_is_faster_than_its_share(corners: Vector, share: float) -> None:
    trajectory = Trajectory(corners, share)
    times = np.linspace(0, trajectory.duration, 200)
    postures = np.array([trajectory.at(time) for time in times])
    speeds = np.abs(np.diff(postures, axis=0)) / (times[1] - times[0])
    assert (speeds <= SPEEDS * share * (1 + 1e-6)).all()
