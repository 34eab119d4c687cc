from importlib.machinery import ModuleSpec
from pathlib import Path

import mujoco
import numpy as np
import pytest

from openral_sim.robot import franka, robot_only_model
from openral_sim.robot.franka import decimate, read_stl


def test_names_the_pip_command_when_the_wheel_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(franka, "find_spec", lambda name: None)
    with pytest.raises(franka.FrankaAssetsMissing, match="pip install --no-deps gymnasium-robotics"):
        franka.assets_folder()


def test_names_the_folder_when_the_wheel_lacks_it(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    found = ModuleSpec("gymnasium_robotics", None, origin=str(tmp_path / "__init__.py"))
    monkeypatch.setattr(franka, "find_spec", lambda name: found)
    with pytest.raises(franka.FrankaAssetsMissing, match="kitchen_franka"):
        franka.assets_folder()


def test_never_imports_the_package_that_carries_the_meshes() -> None:
    import sys

    franka.load_arm()
    assert "gymnasium_robotics" not in sys.modules


def test_meshes_are_light_enough_for_a_software_renderer() -> None:
    model = franka.load_arm().compile()
    assert model.nmeshface < 15_000


SQUARE = np.array([[(0, 0, 0), (1, 0, 0), (1, 1, 0)], [(0, 0, 0), (1, 1, 0), (0, 1, 0)]], dtype="<f4")


@pytest.fixture
def square_file(tmp_path: Path) -> Path:
    facets = b"".join(bytes(12) + triangle.tobytes() + bytes(2) for triangle in SQUARE)
    path = tmp_path / "square.stl"
    path.write_bytes(bytes(80) + len(SQUARE).to_bytes(4, "little") + facets)
    return path


def test_shares_the_corners_of_neighbouring_faces(square_file: Path) -> None:
    vertices, faces = read_stl(square_file)
    assert vertices.shape == (4, 3)
    assert np.array_equal(
        np.sort(vertices[faces].reshape(-1, 3), axis=0), np.sort(SQUARE.reshape(-1, 3), axis=0)
    )


def test_leaves_a_light_mesh_as_it_is(square_file: Path) -> None:
    vertices, faces = read_stl(square_file)
    assert decimate(vertices, faces, limit=2)[1] is faces


def test_reduces_a_heavy_mesh_to_the_limit() -> None:
    x, y = np.meshgrid(np.arange(20), np.arange(20))
    vertices = np.column_stack([x.ravel(), y.ravel(), np.sin(x.ravel())]).astype(np.float32)
    corner = (np.arange(19)[:, None] * 20 + np.arange(19)).ravel()[:, None]
    faces = np.vstack([corner + np.array(offsets) for offsets in ((0, 1, 21), (0, 21, 20))]).astype(np.int32)
    reduced, kept = decimate(vertices, faces, limit=100)
    assert 0 < len(kept) <= 100
    assert kept.max() < len(reduced)


def test_the_planner_and_the_model_share_one_gripper() -> None:
    model, geometry = robot_only_model(), franka.GRIPPER
    assert model.geom("robot/arm_left_pad").size == pytest.approx(geometry.pad_half_size)
    assert model.actuator("robot/gripper").ctrlrange[1] == geometry.finger_travel
    assert (geometry.max_opening, geometry.pad_depth) == (0.080, 0.014)
    assert (geometry.pad_half_width, geometry.finger_half_width) == (0.012, 0.018)


def test_the_tips_end_where_the_geometry_says() -> None:
    model = robot_only_model()
    data = mujoco.MjData(model)
    mujoco.mj_forward(model, data)
    site, pad = data.site("robot/grasp"), data.geom("robot/arm_left_pad")
    approach = site.xmat.reshape(3, 3)[:, 2]
    tip = float(approach @ (pad.xpos - site.xpos)) + float(model.geom("robot/arm_left_pad").size[2])
    assert tip == pytest.approx(franka.GRIPPER.tip_length, abs=0.001)
