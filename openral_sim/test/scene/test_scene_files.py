from importlib.metadata import EntryPoint
from pathlib import Path

import pytest

from openral_sim.scene import scene_files
from openral_sim.scene.scene import Scene, load_scene
from openral_sim.scene.scene_files import NoGenerator, UnknownScene, find_scene, write_home


def test_what_is_written_is_read_back_the_same_and_found_by_name(scene: Scene, tmp_path: Path) -> None:
    path = write_home(scene, tmp_path)
    assert load_scene(path) == find_scene("home", tmp_path) == find_scene(str(path), tmp_path) == scene
    assert (tmp_path / "whereabouts" / path.name).is_file()


def test_an_unknown_scene_is_refused_naming_the_shipped_ones(scene: Scene, tmp_path: Path) -> None:
    write_home(scene, tmp_path)
    with pytest.raises(UnknownScene, match=r"'castle'.*'home'.*generated:SEED"):
        find_scene("castle", tmp_path)


def sampled(seed: int, rooms: int | None) -> tuple[int, int | None]:
    return seed, rooms


def test_a_seed_goes_to_what_samples_homes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    entry = EntryPoint("generated", f"{__name__}:sampled", scene_files.GROUP)
    monkeypatch.setattr(EntryPoint, "load", lambda self: sampled)
    monkeypatch.setattr(scene_files, "entry_points", lambda **chosen: [entry])
    assert find_scene("generated:3:2", tmp_path) == (3, 2)
    assert find_scene("generated:3", tmp_path) == (3, None)


def test_without_what_samples_homes_a_seed_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(scene_files, "entry_points", lambda **chosen: [])
    with pytest.raises(NoGenerator, match=r"'generated:3' needs the package openral_training.*make build"):
        find_scene("generated:3", tmp_path)
