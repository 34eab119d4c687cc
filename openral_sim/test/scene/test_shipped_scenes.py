from pathlib import Path

import pytest

from openral_core.home_map import load_map
from openral_sim.scene.scene import load_scene

SCENES = Path(__file__).parents[3] / "scenes"


@pytest.mark.parametrize("path", sorted((SCENES / "maps").glob("*.yaml")), ids=lambda path: path.stem)
def test_every_map_is_named_after_its_file(path: Path) -> None:
    assert load_map(path).name == path.stem


@pytest.mark.parametrize("path", sorted((SCENES / "deploy").glob("*.yaml")), ids=lambda path: path.stem)
def test_every_scene_is_valid_and_its_map_is_shipped_too(path: Path) -> None:
    scene = load_scene(path)
    assert (path.parent / scene.document.map).resolve().parent == SCENES / "maps"
    assert scene.document.name == path.stem
