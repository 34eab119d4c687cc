import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from openral_sim.scene.schema import Jitter, ObjectPlacement


def placement(xy: float, yaw: float) -> ObjectPlacement:
    return ObjectPlacement(
        id="m", kind="mug", fixture="f", surface="s", at=(0.1, -0.2), yaw=1.0, jitter=Jitter(xy=xy, yaw=yaw)
    )


@given(st.integers(0, 2**32), st.floats(0, 0.5), st.floats(0, 3))
def test_a_draw_stays_within_its_jitter(seed: int, xy: float, yaw: float) -> None:
    pose = placement(xy, yaw).sample(np.random.default_rng(seed))
    assert abs(pose.x - 0.1) <= xy + 1e-12
    assert abs(pose.y + 0.2) <= xy + 1e-12
    assert abs(pose.yaw - 1.0) <= yaw + 1e-12


def test_the_same_seed_draws_the_same_pose_and_another_one_another() -> None:
    draws = [placement(0.1, 0.1).sample(np.random.default_rng(seed)) for seed in (3, 3, 4)]
    assert draws[0] == draws[1] != draws[2]
