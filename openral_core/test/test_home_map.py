"""Maps of homes: geometry, lookups and invalid documents."""

from math import pi
from pathlib import Path

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from openral_core.documents import InvalidDocument
from openral_core.home_map import Box3, Pose2, Rectangle, Room, UnknownMapId, load_map

metres = st.floats(-20, 20)
poses = st.builds(Pose2, x=metres, y=metres, yaw=st.floats(-pi, pi))


@given(poses, metres, metres)
def test_a_point_survives_the_way_to_the_parent_frame_and_back(pose: Pose2, x: float, y: float) -> None:
    assert pose.to_local(*pose.to_parent(x, y)) == pytest.approx((x, y), abs=1e-9)


@given(poses)
def test_the_origin_of_a_pose_is_its_position(pose: Pose2) -> None:
    assert pose.to_parent(0.0, 0.0) == (pose.x, pose.y)


def test_a_quarter_turn_takes_ahead_to_the_left() -> None:
    assert Pose2(x=1.0, y=2.0, yaw=pi / 2).to_parent(1.0, 0.0) == pytest.approx((1.0, 3.0))


@pytest.mark.parametrize(
    ("point", "margin", "inside"),
    [((0.5, 0.5), 0.0, True), ((0.95, 0.5), 0.1, False), ((1.1, 0.5), 0.0, False)],
)
def test_a_rectangle_keeps_its_margin(point: tuple[float, float], margin: float, inside: bool) -> None:
    assert Rectangle(min=(0, 0), max=(1, 1)).contains(*point, margin) is inside


@pytest.mark.parametrize(("z", "inside"), [(0.5, True), (1.5, False), (-0.1, False)])
def test_a_box_ends_at_its_corners(z: float, inside: bool) -> None:
    assert Box3(min=(0, 0, 0), max=(1, 1, 1)).contains(0.5, 0.5, z) is inside


def test_a_polygon_of_two_corners_is_refused() -> None:
    with pytest.raises(ValidationError, match="at least 3 corners, found 2"):
        Room(id="hall", name="hall", polygon=((0, 0), (1, 1)))


@given(st.floats(0.01, 1.99), st.floats(0.01, 1.99))
def test_an_angled_room_excludes_its_notch(x: float, y: float) -> None:
    room = Room(id="l", name="l", polygon=((0, 0), (2, 0), (2, 1), (1, 1), (1, 2), (0, 2)))
    if abs(x - 1) > 1e-6 and abs(y - 1) > 1e-6:
        assert room.contains(x, y) is not (x > 1 and y > 1)


Content = dict[str, list[dict[str, object]]]
HOME = Path(__file__).parents[2] / "scenes" / "maps" / "home.yaml"


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
    containers = {
        fixture.id: fixture.container for fixture in house.fixtures if fixture.container is not None
    }
    out = {name for name, container in containers.items() if container.drawer_travel > 0.0}
    assert out == {name for name, container in containers.items() if container.opens == "out"}
    for name in out:
        low, high = containers[name].interior.min[0], containers[name].interior.max[0]
        assert 0.5 * (high - low) < containers[name].drawer_travel < high - low
