from pathlib import Path

import pytest
import yaml

from openral_core.documents import InvalidDocument
from openral_core.home_map import UnknownMapId, load_map

Content = dict[str, list[dict[str, object]]]
HOME = Path(__file__).parents[3] / "scenes" / "maps" / "home.yaml"


@pytest.fixture
def content() -> Content:
    content: Content = yaml.safe_load(HOME.read_text(encoding="utf-8"))
    return content


def refused(tmp_path: Path, content: Content) -> str:
    path = tmp_path / "home.yaml"
    path.write_text(yaml.safe_dump(content), encoding="utf-8")
    with pytest.raises(InvalidDocument) as error:
        load_map(path)
    assert str(path) in str(error.value)
    return str(error.value)


def test_the_shipped_home_is_valid() -> None:
    home = load_map(HOME)
    assert {room.id for room in home.rooms} == {"kitchen", "living_room"}
    assert home.fixture("fridge").container.occludes_contents
    assert home.agent("requester").name == "requester"


def test_everything_lies_in_the_room_it_names() -> None:
    home = load_map(HOME)
    for item in (*home.places, *home.fixtures, *home.agents):
        assert home.room_at(item.pose.x, item.pose.y).id == item.room, item.id


def test_a_place_in_front_of_a_fixture_faces_it() -> None:
    home = load_map(HOME)
    for place in home.places:
        if place.looks_at is not None:
            target = home.fixture(place.looks_at).pose
            ahead, aside = place.pose.to_local(target.x, target.y)
            assert ahead > 3 * abs(aside), place.id


def test_outside_of_all_rooms_there_is_no_room() -> None:
    assert load_map(HOME).room_at(-3.0, 0.0) is None


def test_an_unknown_key_is_refused_naming_the_valid_ones(tmp_path: Path, content: Content) -> None:
    content["fixtures"][0]["colour"] = "green"
    message = refused(tmp_path, content)
    assert "fixtures.0.colour" in message
    assert "'aliases'" in message
    assert "'depth'" in message


def test_an_id_given_twice_is_refused(tmp_path: Path, content: Content) -> None:
    content["places"][0]["id"] = "fridge"
    assert "duplicate id 'fridge'" in refused(tmp_path, content)


@pytest.mark.parametrize(
    ("where", "key", "value", "valid"),
    [("fixtures", "room", "attic", "kitchen"), ("places", "looks_at", "oven", "cabinet")],
)
def test_a_reference_to_nothing_is_refused_naming_what_there_is(
    tmp_path: Path, content: Content, where: str, key: str, value: object, valid: str
) -> None:
    content[where][0][key] = value
    message = refused(tmp_path, content)
    assert value in message
    assert valid in message


@pytest.mark.parametrize(
    ("surface", "words"),
    [
        ({"id": "s", "z": 0.9, "area": {"min": [-1, -1], "max": [1, 1]}}, "reaches outside the footprint"),
        ({"id": "s", "z": 9.0, "area": {"min": [-0.1, -0.1], "max": [0.1, 0.1]}}, "is not between 0 and"),
    ],
)
def test_a_surface_off_its_fixture_is_refused(
    tmp_path: Path, content: Content, surface: dict[str, object], words: str
) -> None:
    content["fixtures"][0]["surfaces"] = [surface]
    assert words in refused(tmp_path, content)


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(InvalidDocument, match=r"nowhere.yaml"):
        load_map(tmp_path / "nowhere.yaml")


def test_an_unknown_id_lists_the_ones_there_are() -> None:
    home = load_map(HOME)
    with pytest.raises(UnknownMapId, match=r"no fixture 'oven'.*'kitchen_counter'"):
        home.fixture("oven")
    with pytest.raises(UnknownMapId, match=r"no agent 'guest'.*'requester'"):
        home.agent("guest")
    with pytest.raises(KeyError):
        home.fixture("fridge").surface("roof")


def test_only_what_is_drawn_out_takes_its_contents_along() -> None:
    house = load_map(HOME.with_name("house.yaml"))
    containers = {each.id: each.container for each in house.fixtures if each.container is not None}
    out = {name for name, container in containers.items() if container.drawn > 0.0}
    assert out == {name for name, container in containers.items() if container.opens == "out"}
    for name in out:
        low, high = containers[name].interior.min[0], containers[name].interior.max[0]
        assert 0.5 * (high - low) < containers[name].drawn < high - low
