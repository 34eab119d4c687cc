import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from openral_sim.planning.motion_profile import MotionProfile

profiles = st.builds(MotionProfile, st.floats(0.0, 5.0), st.floats(0.1, 2.0), st.floats(0.1, 1.0))


@given(profiles)
def test_starts_and_ends_at_rest_after_the_whole_distance(profile: MotionProfile) -> None:
    assert profile.at(0.0) == (0.0, 0.0)
    assert profile.at(profile.duration) == profile.at(profile.duration + 1.0) == (profile.distance, 0.0)


@given(profiles)
def test_never_turns_back(profile: MotionProfile) -> None:
    travelled = [profile.at(float(time))[0] for time in np.linspace(0.0, profile.duration, 100)]
    assert (np.diff(travelled) >= -1e-9).all()


def test_cruises_between_the_ramps() -> None:
    assert MotionProfile(distance=2.0, top_speed=1.0, ramp=0.5).at(1.0)[1] == pytest.approx(1.0)
