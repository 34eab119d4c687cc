from importlib.machinery import ModuleSpec
from pathlib import Path

import pytest

from openral_sim.robot import franka


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
