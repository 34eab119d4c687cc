"""Viewpoints of the robot's cameras."""

from collections import Counter

import numpy as np
import pytest

from openral_sim.planning.inverse_kinematics import IkSolver
from openral_sim.robot.sim_robot import load_sim_robot
from openral_sim.scene.world import SimWorldModel
from openral_training.data.arrangement import ArrangedHome
from openral_training.data.viewpoints import CONFIG, WEIGHTS, Viewpoint, ViewpointSampler
from openral_training.homes.home import sample_home


@pytest.fixture(scope="module")
def home() -> ArrangedHome:
    return ArrangedHome(SimWorldModel.load(sample_home(1001), 0, load_sim_robot()))


@pytest.fixture(scope="module")
def sampled(home: ArrangedHome) -> list[tuple[Viewpoint, np.ndarray, np.ndarray]]:
    """Viewpoints, each with where the robot's base and that camera's optical frame then are."""
    rng = np.random.default_rng(3)
    home.rearrange(rng)
    sampler, found = ViewpointSampler(home, IkSolver(load_sim_robot()), rng), []
    for _ in range(60):
        view = sampler.sample()
        base = home.world.T_world(load_sim_robot().names.base)
        found.append((view, base, home.world.T_world(load_sim_robot().names.cameras[view.camera])))
    return found


def test_every_kind_of_viewpoint_is_found_in_an_ordinary_home(
    sampled: list[tuple[Viewpoint, np.ndarray, np.ndarray]],
) -> None:
    assert sum(WEIGHTS.values()) == pytest.approx(1.0)
    assert set(Counter(view.kind for view, _, _ in sampled)) == set(WEIGHTS)


def test_poses_are_rigid_and_level_enough_to_be_cameras(
    sampled: list[tuple[Viewpoint, np.ndarray, np.ndarray]],
) -> None:
    for view, _, _ in sampled:
        R = view.T_map_camera[:3, :3]
        assert np.allclose(R.T @ R, np.eye(3), atol=1e-9)
        assert np.linalg.det(R) == pytest.approx(1.0)
        if view.kind in ("drive", "place", "object", "free"):
            assert R[2, 1] < -0.3, "the image is upside down"


def test_the_camera_is_where_the_robot_has_it_but_for_its_mounting(
    sampled: list[tuple[Viewpoint, np.ndarray, np.ndarray]],
) -> None:
    for view, _, T_map_frame in sampled:
        if view.kind == "free":
            continue
        offset = view.T_map_camera[:3, 3] - T_map_frame[:3, 3]
        assert np.allclose(offset[:2], 0.0)
        assert CONFIG.lift[0] <= offset[2] <= CONFIG.lift[1]
        cosine = (np.trace(view.T_map_camera[:3, :3].T @ T_map_frame[:3, :3]) - 1) / 2
        assert np.arccos(np.clip(cosine, -1, 1)) < 6 * CONFIG.mounting


def test_the_robot_drives_and_looks_from_where_it_can_stand(
    home: ArrangedHome, sampled: list[tuple[Viewpoint, np.ndarray, np.ndarray]]
) -> None:
    for view, T_map_base, _ in sampled:
        if view.kind in ("drive", "object", "wrist"):
            assert home.grid.clearance_at(T_map_base[:2, 3]) > 0.25


def test_an_object_that_was_held_is_back_where_it_lay(home: ArrangedHome) -> None:
    rng = np.random.default_rng(4)
    home.rearrange(rng)
    lying = {item.id: home.position(item) for item in home.objects}
    sampler, held = ViewpointSampler(home, IkSolver(load_sim_robot()), rng), 0
    for _ in range(60):
        view = sampler.sample()
        moved = [item.id for item in home.objects if not np.array_equal(home.position(item), lying[item.id])]
        assert len(moved) == (view.kind == "hold")
        held += len(moved)
    assert held > 0
