"""Folders in which a participant of the graph may have a file written."""

from pathlib import Path

import pytest

from openral_world_state.scene_graph.json_io import NotJson, OutsideSaveFolder, path_to_save


@pytest.mark.parametrize("asked", ["graph.json", "deep/../graph.json", "./graph.json"])
def test_below_the_folder_is_allowed(tmp_path: Path, asked: str) -> None:
    assert path_to_save(asked, str(tmp_path), "") == tmp_path / "graph.json"
    assert path_to_save(str(tmp_path / asked), str(tmp_path), "") == tmp_path / "graph.json"


@pytest.mark.parametrize(
    "asked", ["../package.json", "/etc/package.json", "link/graph.json", "a/../../b.json"]
)
def test_outside_of_the_folder_is_refused(tmp_path: Path, asked: str) -> None:
    folder = tmp_path / "saved"
    folder.mkdir()
    (folder / "link").symlink_to(tmp_path)
    with pytest.raises(OutsideSaveFolder, match="may write only below"):
        path_to_save(asked, str(folder), "")


def test_without_a_folder_only_the_configured_file_is_written() -> None:
    assert path_to_save("", "", "/robot/home.json") == Path("/robot/home.json")
    with pytest.raises(OutsideSaveFolder, match="save_folder is empty"):
        path_to_save("graph.json", "", "/robot/home.json")


@pytest.mark.parametrize(
    ("asked", "configured"), [("", ""), ("", "memory.sqlite"), ("graph", ""), ("a\0.json", "")]
)
def test_only_json_is_written(tmp_path: Path, asked: str, configured: str) -> None:
    with pytest.raises(NotJson):
        path_to_save(asked, str(tmp_path), configured)
