"""A run is found again."""

from pathlib import Path

import pytest

from openral_bringup.deploy.deployment import make_folder, run_folder


def test_latest_points_to_the_newest_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for goal in ("find the mug", "Bring me -- the \u00e9clair!"):
        folder = run_folder([goal], None)
        make_folder(folder)
        assert Path("runs/latest").resolve() == folder
    assert folder.name.endswith("-bring-me-the-clair")
    assert sorted(path.name for path in Path("runs").iterdir() if path.is_symlink()) == ["latest"]


def test_a_folder_chosen_by_hand_moves_no_link(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    make_folder(run_folder(["find the mug"], Path("elsewhere/mine")))
    assert Path("elsewhere/mine").is_dir()
    assert not Path("runs/latest").is_symlink()
