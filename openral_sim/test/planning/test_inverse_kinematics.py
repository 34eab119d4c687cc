import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from openral_core.arrays import Transform
from openral_core.grasping.approach import top_down
from openral_sim.planning.inverse_kinematics import IkFailed, IkSolver
from openral_sim.robot.sim_robot import load_sim_robot

SOLVER = IkSolver(load_sim_robot())


def down_at(x: float, y: float, z: float, turn: float = 0.0) -> Transform:
    u, v, w = top_down(turn).R_map_approach.T
    T = np.eye(4)
    T[:3, :3], T[:3, 3] = np.column_stack([v, u, -w]), (x, y, z)
    return T


@given(st.floats(0.4, 0.75), st.floats(-0.15, 0.15), st.floats(0.3, 1.1), st.floats(-3.1, 3.1))
@settings(max_examples=40, deadline=None)
def test_what_it_finds_is_where_it_was_asked(x: float, y: float, z: float, turn: float) -> None:
    T = down_at(x, y, z, turn)
    q = SOLVER.solve(T, load_sim_robot().comfortable, tries=6)
    assert np.allclose(SOLVER.forward(q)[:3, 3], T[:3, 3], atol=0.003)
    assert np.allclose(SOLVER.forward(q)[:3, :3], T[:3, :3], atol=0.03)


def test_stays_within_the_joint_limits() -> None:
    low, high = load_sim_robot().reach_model.jnt_range.T
    q = SOLVER.solve(down_at(0.6, 0.0, 0.9), load_sim_robot().comfortable)
    assert ((q >= low) & (q <= high)).all()


def test_stays_near_where_it_starts() -> None:
    q = SOLVER.solve(down_at(0.6, 0.0, 0.9), load_sim_robot().comfortable)
    near = SOLVER.solve(down_at(0.61, 0.0, 0.9), q)
    assert np.abs(near - q).max() < 0.1


def test_says_how_far_an_unreachable_pose_stays() -> None:
    with pytest.raises(IkFailed, match=r"\(0.95, 0.00, 0.90\) in base_link: .* after 2 tries"):
        SOLVER.solve(down_at(0.95, 0.0, 0.9), load_sim_robot().comfortable, tries=2)


def test_does_not_even_try_what_a_stretched_arm_could_not_touch() -> None:
    with pytest.raises(IkFailed, match=r"off by 18.* after 0 tries"):
        SOLVER.solve(down_at(3.0, 0.0, 0.9), load_sim_robot().comfortable)


def test_the_same_seed_finds_the_same_posture() -> None:
    T = down_at(0.5, 0.1, 0.5, 2.0)
    awkward = np.zeros(8)
    assert np.array_equal(SOLVER.solve(T, awkward, 6, seed=4), SOLVER.solve(T, awkward, 6, seed=4))
