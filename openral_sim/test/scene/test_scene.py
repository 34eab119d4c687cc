from pathlib import Path

import pytest
import yaml

from openral_core.documents import InvalidDocument
from openral_sim.scene.scene import Scene, load_scene

Content = dict[str, dict[str, object]]
SCENES = Path(__file__).parents[3] / "scenes"


@pytest.fixture
def content() -> Content:
    document = yaml.safe_load((SCENES / "deploy" / "home.yaml").read_text(encoding="utf-8"))
    document["map"] = str(SCENES / "maps" / "home.yaml")
    return document


def refused(tmp_path: Path, content: Content) -> str:
    path = tmp_path / "scene.yaml"
    path.write_text(yaml.safe_dump(content), encoding="utf-8")
    with pytest.raises(InvalidDocument) as error:
        load_scene(path)
    assert str(path) in str(error.value)
    return str(error.value)


def test_the_shipped_scene_has_what_the_stories_need(scene: Scene) -> None:
    phrases = {(item.kind, item.colour) for item in scene.document.objects}
    assert {("baguette", None), ("mug", "red"), ("mug", "blue"), ("wine_glass", None)} <= phrases
    assert len(scene.document.objects) >= 12


def test_an_object_stands_on_a_surface_of_the_map(scene: Scene) -> None:
    bottle = next(item for item in scene.document.objects if item.kind == "wine_bottle")
    fixture, surface = scene.spot(bottle)
    assert (fixture.id, surface.id) == ("fridge", "middle_shelf")


def test_an_unknown_key_is_refused_naming_the_valid_ones(tmp_path: Path, content: Content) -> None:
    content["objects"][0]["on"] = "top"
    message = refused(tmp_path, content)
    assert "objects.0" in message
    assert "'surface'" in message


@pytest.mark.parametrize(
    ("key", "value", "valid"),
    [("kind", "unicorn", "'baguette'"), ("colour", "mauve", "'red'")],
)
def test_an_unknown_value_is_refused_naming_the_valid_ones(
    tmp_path: Path, content: Content, key: str, value: object, valid: str
) -> None:
    content["objects"][0][key] = value
    message = refused(tmp_path, content)
    assert f"objects.0.{key}" in message
    assert valid in message


@pytest.mark.parametrize(
    ("key", "value", "words"),
    [("fixture", "oven", "no 'oven' in the map"), ("surface", "roof", "'kitchen_counter' has no 'roof'")],
)
def test_an_object_on_nothing_is_refused(
    tmp_path: Path, content: Content, key: str, value: object, words: str
) -> None:
    content["objects"][0][key] = value
    message = refused(tmp_path, content)
    assert words in message
    assert "valid ids" in message


def test_a_fixture_without_a_look_is_refused(tmp_path: Path, content: Content) -> None:
    del content["furniture"]["fridge"]
    content["furniture"]["oven"] = {"main": "white", "accent": "steel"}
    message = refused(tmp_path, content)
    assert "furniture.fridge: missing" in message
    assert "furniture.oven: not in the map" in message


def test_an_object_id_given_twice_is_refused(tmp_path: Path, content: Content) -> None:
    content["objects"][1]["id"] = content["objects"][0]["id"]
    assert "duplicate object id: baguette" in refused(tmp_path, content)


def test_a_doorway_wider_than_its_wall_is_refused(tmp_path: Path, content: Content) -> None:
    content["walls"][4]["opening"]["width"] = 9.0
    assert "exceeds the wall" in refused(tmp_path, content)
