import re
from dataclasses import replace
from itertools import pairwise, takewhile

import mujoco
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from openral_core.arrays import Array, Joints
from openral_sim.planning import arm_planner
from openral_sim.planning.arm_planner import ArmPathSearch, NoArmPath, Trajectory
from openral_sim.planning.collision_checker import CollisionChecker
from openral_sim.robot.joints import RobotNames
from openral_sim.robot.sim_robot import load_sim_robot

ROBOT = load_sim_robot()
HOME = ROBOT.stowed
NEAR = HOME + np.array([0.2, 0.3, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0])


class Gate:
    """Postures are free except for a slab in joint 1, open only where joint 2 leans far back."""

    reach_limits = ROBOT.reach_model.jnt_range

    def __init__(self, *, shut: bool = False) -> None:
        self._shut = shut

    def is_free(self, posture: Joints) -> bool:
        in_slab = bool(0.3 < posture[1] < 0.6)
        return not in_slab or (not self._shut and bool(posture[2] < -0.5))

    def is_path_free(self, first: Joints, last: Joints) -> bool:
        return all(self.is_free(first + (last - first) * share) for share in np.linspace(0, 1, 40))

    def contact_pairs(self, _: Array) -> list[tuple[str, str]]:
        return [("gate", "arm")]


BEFORE = np.array([0.2, 0.0, 0.0, 0.0, -1.5, 0.0, 0.0, 0.0])
BEHIND = np.array([0.2, 1.0, 0.0, 0.0, -1.5, 0.0, 0.0, 0.0])


def test_goes_straight_when_nothing_is_in_the_way(
    compiled: mujoco.MjModel, data: mujoco.MjData, names: RobotNames
) -> None:
    checker = CollisionChecker(compiled, names)
    checker.sync(data)
    path = ArmPathSearch(checker, HOME, NEAR).advance()
    assert path is not None
    assert np.array_equal(path, [HOME, NEAR])


def test_finds_the_way_round() -> None:
    gate = Gate()
    path = ArmPathSearch(gate, BEFORE, BEHIND, seed=1).advance()  # type: ignore[arg-type]
    assert path is not None
    assert np.allclose(path[0], BEFORE)
    assert np.allclose(path[-1], BEHIND)
    assert len(path) > 2
    assert all(gate.is_path_free(a, b) for a, b in pairwise(path))


def test_the_same_seed_finds_the_same_way() -> None:
    once, again = (
        ArmPathSearch(Gate(), BEFORE, BEHIND, seed=5).advance()  # type: ignore[arg-type]
        for _ in range(2)
    )
    assert once is not None
    assert again is not None
    assert np.array_equal(once, again)


def test_pauses_after_a_bounded_number_of_postures() -> None:
    search = ArmPathSearch(Gate(shut=True), BEFORE, BEHIND)  # type: ignore[arg-type]
    assert search.advance() is None
    assert re.search(r"no collision-free arm path: none found after 20\d\d postures", str(search.failure))


def test_goes_on_where_it_paused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(arm_planner, "CONFIG", replace(arm_planner.CONFIG, max_checks=20))
    search = ArmPathSearch(Gate(), BEFORE, BEHIND, seed=1)  # type: ignore[arg-type]
    parts = list(takewhile(lambda path: path is None, (search.advance() for _ in range(100))))
    assert 0 < len(parts) < 100


def test_names_what_is_touched_at_the_end() -> None:
    inside = np.where(np.arange(8) == 1, 0.45, BEFORE)
    with pytest.raises(NoArmPath, match="at the goal gate touches arm"):
        ArmPathSearch(Gate(), BEFORE, inside)  # type: ignore[arg-type]


postures = st.lists(st.floats(-2, 2), min_size=8, max_size=8)
paths = st.lists(postures, min_size=1, max_size=5).map(np.array)


@given(paths, st.floats(0.1, 1.0))
def test_starts_and_ends_on_its_corners(corners: Array, share: float) -> None:
    trajectory = Trajectory(corners, ROBOT.speeds, share)
    assert np.allclose(trajectory.at(0.0), corners[0])
    assert np.allclose(trajectory.at(trajectory.duration), corners[-1], atol=1e-6)
    assert np.allclose(trajectory.at(trajectory.duration + 5), corners[-1], atol=1e-6)


@given(paths, st.floats(0.1, 1.0))
def test_no_joint_is_faster_than_its_share(corners: Array, share: float) -> None:
    trajectory = Trajectory(corners, ROBOT.speeds, share)
    times = np.linspace(0, trajectory.duration, 200)
    postures = np.array([trajectory.at(time) for time in times])
    speeds = np.abs(np.diff(postures, axis=0)) / (times[1] - times[0])
    assert (speeds <= ROBOT.speeds * share * (1 + 1e-6)).all()
