"""Paths of installed data: what does not exist is refused, with what does exist."""

import re
from pathlib import Path

import pytest

pytest.importorskip("ament_index_python")
from openral_bringup.graph.resources import (
    NotInstalled,
    SceneNotFound,
    dds_profile,
    executable_path,
    rskill_folders,
    scene_path,
    share_folder,
)
from openral_core.errors import OpenRALError


def test_a_folder_without_rskills_is_refused(tmp_path: Path) -> None:
    with pytest.raises(OpenRALError, match=f"--rskills {tmp_path}: no <id>/rskill.yaml in this folder"):
        rskill_folders([tmp_path])


def test_a_package_that_is_not_installed_is_named() -> None:
    with pytest.raises(NotInstalled, match="'no_such_package' is not in this environment"):
        executable_path("no_such_package", "node")


def test_the_shipped_rskills_come_before_the_users_own(own_rskills: Path) -> None:
    shipped, own = rskill_folders([str(own_rskills)])
    assert (shipped / "sim-groundtruth" / "rskill.yaml").is_file()
    assert own == own_rskills


def test_a_scene_is_found_by_its_name_and_by_its_file(tmp_path: Path) -> None:
    own = tmp_path / "mine.yaml"
    own.touch()
    assert scene_path(str(own)) == own.resolve()
    assert scene_path("home").name == "home.yaml"
    assert scene_path("home.yaml") == scene_path("home") == scene_path("robocasa_baguette")


@pytest.mark.parametrize(
    ("package", "folder", "file"),
    [("openral_scenes", "scenes", "deploy/home.yaml"), ("openral_robots", "robots", "foreign_sim.yaml")],
)
def test_the_installed_scenes_and_robots_are_those_of_the_sources(
    package: str, folder: str, file: str
) -> None:
    installed, source = share_folder(package) / file, Path(__file__).parents[3] / folder / file
    assert installed.read_text() == source.read_text()


def test_a_file_of_the_user_takes_precedence_over_a_shipped_scene_of_its_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("home.yaml").touch()
    assert scene_path("home.yaml") == (tmp_path / "home.yaml").resolve()


def test_an_unknown_scene_is_refused_with_the_shipped_ones() -> None:
    with pytest.raises(SceneNotFound, match=r"'castle' is not a file: .*'home'.* or generated:SEED"):
        scene_path("castle")


def test_the_profiles_are_installed_and_announce_alike() -> None:
    names = ("discovery", "large_images", "large_images_local")
    discovery, large, local = (dds_profile(name).read_text() for name in names)
    settings = re.compile(r"<builtin>.*</builtin>", re.DOTALL)
    assert settings.findall(discovery) == settings.findall(large) == settings.findall(local) != []
    assert "<segment_size>" in large
    assert "<segment_size>" in local
    assert ["<address>127.0.0.1</address>" in text for text in (discovery, large, local)] == [
        True,
        False,
        True,
    ]
