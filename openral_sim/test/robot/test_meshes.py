import sys
from importlib.machinery import ModuleSpec
from pathlib import Path

import numpy as np
import pytest

from openral_sim.robot import meshes
from openral_sim.robot.meshes import RobotAssetsMissing, assets_folder, decimate, read_stl
from openral_sim.robot.sim_robot import load_sim_robot

PACKAGE, INSTALL = "gymnasium_robotics:envs/assets/kitchen_franka", "pip install --no-deps gymnasium-robotics"


def test_names_the_pip_command_when_the_package_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(meshes, "find_spec", lambda name: None)
    with pytest.raises(RobotAssetsMissing, match=INSTALL):
        assets_folder(PACKAGE, Path(), INSTALL)


def test_names_the_folder_when_the_package_lacks_it(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    found = ModuleSpec("gymnasium_robotics", None, origin=str(tmp_path / "__init__.py"))
    monkeypatch.setattr(meshes, "find_spec", lambda name: found)
    with pytest.raises(RobotAssetsMissing, match="kitchen_franka"):
        assets_folder(PACKAGE, Path(), INSTALL)


def test_a_folder_without_a_package_is_beside_the_description(tmp_path: Path) -> None:
    (tmp_path / "parts").mkdir()
    assert assets_folder("parts", tmp_path, "") == tmp_path / "parts"
    with pytest.raises(RobotAssetsMissing, match="elsewhere"):
        assets_folder("elsewhere", tmp_path, "")


def test_never_imports_the_package_that_carries_the_meshes() -> None:
    assert load_sim_robot().model.nmesh > 0
    assert "gymnasium_robotics" not in sys.modules


def test_meshes_are_light_enough_for_a_software_renderer() -> None:
    assert load_sim_robot().model.nmeshface < 15_000


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
