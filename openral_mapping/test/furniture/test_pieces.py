"""Furniture from synthetic depth images with exact boxes."""

from collections.abc import Mapping
from math import cos, pi, sin
from pathlib import Path

import numpy as np
import pytest

from openral_core.floor_map import FloorMap
from openral_core.home_map import UNNAMED, Fixture, HomeMap, Place, Pose2, Room
from openral_mapping.floor.depth_mapper import DepthMapper, InvalidMapFile, PixelRays
from openral_mapping.furniture.file import load_furniture, save_furniture
from openral_mapping.furniture.fit import HorizontalSurface
from openral_mapping.furniture.kinds import furniture_kinds, kind_of
from openral_mapping.furniture.pieces import MappedPiece, mapped_furniture, standing_pose, with_furniture
from openral_mapping.furniture.tracks import FurnitureMapper
from openral_mapping.furniture.view import FurnitureBox, FurnitureView
from openral_mapping.home.from_images import HomeSnapshot
from openral_testing.synthetic_depth import Block, Plane, Solid, Triple, look_at_pose, render_depth

SHELL: Mapping[str, Solid] = {
    "_floor": Plane((0.0, 0.0, 1.0), 0.0),
    "_wall": Plane((1.0, 0.0, 0.0), 3.0),
    "_back": Plane((-1.0, 0.0, 0.0), 3.0),
    "_left": Plane((0.0, 1.0, 0.0), 3.0),
    "_right": Plane((0.0, -1.0, 0.0), 3.0),
}
SIZE = 320, 240


class Robot:
    """A camera that drives through a room of 6 m by 6 m, with a floor map and furniture."""

    def __init__(self) -> None:
        self.floor, self.furniture = DepthMapper(), FurnitureMapper()

    def look(
        self, bodies: Mapping[str, Solid], eye: Triple, at: Triple, labels: Mapping[str, str] | None = None
    ) -> None:
        """Take an image; ``labels`` are those of the boxes, by body, else the bodies' own names."""
        image = render_depth({**SHELL, **bodies}, look_at_pose(eye, at), SIZE)
        view = image.view
        intrinsics = view.depth_intrinsics
        pixels = np.indices(SIZE[::-1])[::-1].reshape(2, -1).T.astype(float)
        rays = intrinsics.rays(pixels).reshape(SIZE[1], SIZE[0], 3)
        named = {name: name.partition("/")[0] for name in image.boxes} if labels is None else labels
        boxes = [
            FurnitureBox(named[name], 0.9, (box.x_min, box.y_min, box.x_max, box.y_max))
            for name, box in image.boxes.items()
            if name in named
        ]
        self.floor.update(view.depth, PixelRays(rays), view.T_map_camera, (eye[0], eye[1]))
        self.furniture.update(FurnitureView(view.depth, rays, intrinsics.project, view.T_map_camera, boxes))

    def go_round(
        self, bodies: Mapping[str, Solid], at: Triple, radius: float = 1.8, first: float = 0.0
    ) -> None:
        """Look at a point from twelve sides, as far as the room reaches."""
        for angle in first + np.arange(12) * 2.0 * pi / 12.0:
            x, y = (
                float(np.clip(c, -2.7, 2.7))
                for c in (at[0] + radius * cos(angle), at[1] + radius * sin(angle))
            )
            self.look(bodies, (x, y, 1.3), at)

    @property
    def pieces(self) -> list[MappedPiece]:
        return mapped_furniture(self.furniture.tracks, self.floor.floor_map())


def axes_error(found: float, true: float) -> float:
    """Smallest angle between the sides of two rectangles [rad]."""
    difference = (found - true) % (pi / 2.0)
    return min(difference, pi / 2.0 - difference)


@pytest.mark.parametrize("yaw", [0.0, 0.3, 1.1])
def test_a_table_is_found_with_its_size_yaw_and_top(yaw: float) -> None:
    robot = Robot()
    robot.go_round({"dining table": Block((0.5, -0.4, 0.37), (0.8, 1.4, 0.74), yaw)}, (0.5, -0.4, 0.5))
    (piece,) = robot.pieces
    assert (piece.kind, piece.id) == ("table", "table_1")
    assert np.hypot(piece.pose.x - 0.5, piece.pose.y + 0.4) < 0.03
    assert axes_error(piece.pose.yaw, yaw) < np.radians(2.0)
    assert (piece.depth, piece.width) == pytest.approx((0.8, 1.4), abs=0.06)
    assert piece.height == pytest.approx(0.74, abs=0.01)
    assert [level.height for level in piece.levels] == pytest.approx([0.74], abs=0.01)


def test_a_fridge_at_a_wall_has_its_front_towards_the_room_and_is_a_container() -> None:
    robot = Robot()
    fridge = {"refrigerator": Block((2.68, 0.0, 0.9), (0.64, 0.7, 1.8))}
    for y in (-1.5, -0.8, 0.0, 0.8, 1.5):
        robot.look(fridge, (0.8, y, 1.3), (2.6, 0.0, 0.9))
        robot.look(fridge, (-0.5, y, 1.3), (2.0, 0.0, 0.0))
    (piece,) = robot.pieces
    assert piece.kind == "fridge"
    assert abs(abs(piece.pose.yaw) - pi) < 0.1, "its front faces -x"
    assert (piece.pose.x, piece.pose.y) == pytest.approx((2.68, 0.0), abs=0.06)
    home = with_furniture(room(), robot.pieces, robot.floor.floor_map())
    fixture, place = home.fixture("fridge_1"), home.places[0]
    assert fixture.container is not None
    assert (fixture.container.opens, fixture.container.occludes_contents) == ("hinge", True)
    assert (place.looks_at, place.name) == ("fridge_1", "fridge")
    assert abs(place.pose.yaw) < 0.4, "the robot faces it"
    assert 2.36 - place.pose.x >= 0.8, "its door has room to open"


def test_the_back_of_a_piece_that_shows_only_its_front_is_taken_from_its_kind() -> None:
    robot = Robot()
    for y in (-0.4, -0.2, 0.0, 0.2, 0.4):
        robot.look({"wardrobe": Block((2.7, 0.0, 1.0), (0.6, 1.4, 2.0))}, (0.4, y, 1.3), (2.4, y, 1.0))
    (piece,) = robot.pieces
    assert piece.depth == pytest.approx(furniture_kinds()["wardrobe"].depth, abs=0.02)
    assert piece.pose.x - piece.depth / 2.0 == pytest.approx(2.4, abs=0.04), "the front is where it was seen"


def test_what_is_seen_behind_a_lamp_is_not_part_of_it() -> None:
    robot = Robot()
    lamp = {"lamp": Block((2.5, 0.0, 0.8), (0.2, 0.2, 1.6))}
    for y in (-1.2, -0.6, 0.0, 0.6, 1.2):
        robot.look(lamp, (0.8, y, 1.3), (2.5, 0.0, 0.8))
    (piece,) = robot.pieces
    assert (piece.pose.x, piece.pose.y) == pytest.approx((2.5, 0.0), abs=0.06)
    assert max(piece.depth, piece.width) < 0.35


def test_a_chair_at_a_table_stays_a_piece_of_its_own() -> None:
    robot = Robot()
    bodies: dict[str, Solid] = {
        "table": Block((0.0, 0.0, 0.72), (0.8, 1.4, 0.04)),
        "chair/seat": Block((0.75, 0.0, 0.22), (0.42, 0.42, 0.44)),
    }
    robot.go_round(bodies, (0.3, 0.0, 0.5), 2.0)
    kinds = sorted(piece.kind for piece in robot.pieces)
    assert kinds == ["chair", "table"]


def test_drawers_above_each_other_are_two() -> None:
    robot = Robot()
    bodies = {
        "drawer/upper": Block((2.75, 0.0, 0.85), (0.5, 0.8, 0.2)),
        "drawer/lower": Block((2.75, 0.0, 0.62), (0.5, 0.8, 0.2)),
    }
    for y in (-1.0, -0.5, 0.0, 0.5, 1.0):
        robot.look(bodies, (1.0, y, 1.3), (2.6, 0.0, 0.7))
    pieces = sorted(robot.pieces, key=lambda piece: piece.height)
    assert [piece.height for piece in pieces] == pytest.approx([0.72, 0.95], abs=0.05)
    home = with_furniture(room(), pieces, robot.floor.floor_map())
    containers = [fixture.container for fixture in home.fixtures]
    assert all(c is not None and c.opens == "out" for c in containers)
    assert containers[1] is not None
    assert containers[1].interior.min[2] > 0.7, "the upper one begins above the lower one"


def test_a_chair_that_moved_keeps_its_name() -> None:
    robot = Robot()
    robot.go_round({"chair": Block((0.0, 0.0, 0.45), (0.45, 0.45, 0.9))}, (0.0, 0.0, 0.5))
    moved = {"chair": Block((1.2, 0.6, 0.45), (0.45, 0.45, 0.9))}
    robot.go_round(moved, (1.2, 0.6, 0.5), 1.4)
    robot.go_round(moved, (0.0, 0.0, 0.4))
    (piece,) = robot.pieces
    assert piece.id == "chair_1"
    assert (piece.pose.x, piece.pose.y) == pytest.approx((1.2, 0.6), abs=0.05)


def test_a_false_find_fades() -> None:
    robot = Robot()
    block = {"box": Block((0.0, 0.0, 0.4), (0.5, 0.5, 0.8))}
    for y in (-0.6, -0.2, 0.2, 0.6):
        robot.look(block, (-1.8, y, 1.3), (0.0, 0.0, 0.4), {"box": "sofa"})
    assert [piece.kind for piece in robot.pieces] == ["sofa"]
    for y in np.linspace(-0.8, 0.8, 12):
        robot.look(block, (-1.8, float(y), 1.3), (0.0, 0.0, 0.4), {})
    assert robot.pieces == []


def test_a_kind_that_was_mistaken_twice_is_outvoted() -> None:
    robot = Robot()
    block = {"box": Block((0.0, 0.0, 0.5), (0.5, 0.9, 1.0))}
    for number, y in enumerate(np.linspace(-1.0, 1.0, 8)):
        label = "cabinet" if number in (0, 4) else "dresser"
        robot.look(block, (-1.8, float(y), 1.3), (0.0, 0.0, 0.5), {"box": label})
    (piece,) = robot.pieces
    assert piece.kind == "dresser"


def test_labels_that_are_no_furniture_and_empty_images_change_nothing() -> None:
    robot = Robot()
    block = {"box": Block((0.0, 0.0, 0.4), (0.5, 0.5, 0.8))}
    for _ in range(6):
        robot.look(block, (-1.8, 0.0, 1.3), (0.0, 0.0, 0.4), {"box": "mug"})
    nothing = np.full((24, 32), np.nan, np.float32)
    rays = np.full((24, 32, 3), np.nan)
    robot.furniture.update(
        FurnitureView(
            nothing, rays, lambda points: points[:, :2], np.eye(4), [FurnitureBox("bed", 1.0, (0, 0, 31, 23))]
        )
    )
    assert robot.pieces == []


def test_labels_of_detectors_name_kinds() -> None:
    assert [kind_of(label) for label in ("Couch", "refrigerator", "bookcase", "dog", "")] == [
        "sofa",
        "fridge",
        "shelf",
        "",
        "",
    ]


def room(*fixtures: Fixture, places: tuple[Place, ...] = ()) -> HomeMap:
    outline = ((-3.0, -3.0), (3.0, -3.0), (3.0, 3.0), (-3.0, 3.0))
    return HomeMap(
        name="test",
        rooms=(Room(id="room_1", name="room 1", polygon=outline),),
        fixtures=fixtures,
        places=places,
    )


def piece_at(x: float, y: float, kind: str = "table") -> MappedPiece:
    level = HorizontalSurface(0.7, (-0.3, -0.5), (0.3, 0.5))
    return MappedPiece(f"{kind}_1", kind, Pose2(x=x, y=y), 0.6, 1.0, 0.0, 0.7, (level,), 9)


def free_floor() -> FloorMap:
    return FloorMap(np.zeros((120, 120), np.int8), 0.05, Pose2(x=-3.0, y=-3.0))


def fixture_at(x: float, kind: str) -> Fixture:
    return Fixture(
        id=f"{kind}_0",
        kind=kind,
        name=kind,
        room="room_1",
        pose=Pose2(x=x, y=0.0),
        depth=0.5,
        width=0.5,
        height=0.7,
    )


def test_obstacles_without_a_name_give_way_and_named_furniture_stays() -> None:
    home = with_furniture(room(fixture_at(0.0, UNNAMED)), [piece_at(0.05, 0.0)], free_floor())
    assert [fixture.id for fixture in home.fixtures] == ["table_1"]
    home = with_furniture(room(fixture_at(0.0, "desk")), [piece_at(0.05, 0.0)], free_floor())
    assert [fixture.id for fixture in home.fixtures] == ["desk_0"]
    assert home.places == ()


def test_a_piece_walled_in_has_no_place_to_stand() -> None:
    cells = np.full((120, 120), 100, np.int8)
    walled = FloorMap(cells, 0.05, Pose2(x=-3.0, y=-3.0))
    piece = piece_at(0.0, 0.0)
    assert standing_pose(piece, walled, walled.clearance(0.18)) is None
    home = with_furniture(room(), [piece], walled)
    assert (len(home.fixtures), len(home.places)) == (1, 0)


@pytest.mark.parametrize(("x", "rooms"), [(2.9, ["room_1"]), (3.3, ["room_1"]), (3.8, [])])
def test_a_piece_at_a_wall_is_of_the_room_before_it_and_one_beyond_a_doorway_of_none(
    x: float, rooms: list[str]
) -> None:
    home = with_furniture(room(), [piece_at(x, 0.0, "chair")], free_floor())
    assert [fixture.room for fixture in home.fixtures] == rooms
    assert HomeMap.model_validate_json(home.model_dump_json()) == home


def test_the_home_survives_its_file(tmp_path: Path) -> None:
    home = with_furniture(room(), [piece_at(0.0, 0.0), piece_at(1.5, 0.0, "fridge")], free_floor())
    assert HomeMap.model_validate_json(home.model_dump_json()) == home


def test_the_home_has_rooms_named_by_what_was_seen_and_keeps_their_ids() -> None:
    robot = Robot()
    bodies = {
        "fridge": Block((2.68, 0.0, 0.9), (0.64, 0.7, 1.8)),
        "counter": Block((2.7, -1.6, 0.45), (0.6, 2.0, 0.9)),
    }
    for angle in np.arange(16) * 2.0 * pi / 16.0:
        for tilt in (0.35, 1.0):
            robot.look(bodies, (0.0, -0.5, 1.3), (cos(angle), -0.5 + sin(angle), 1.3 - tilt))
    home = HomeSnapshot.of(robot.floor, robot.furniture).build(None)
    assert home is not None
    assert [room.name for room in home.rooms] == ["kitchen"]
    assert {fixture.kind for fixture in home.fixtures} >= {"fridge", "counter"}
    assert {place.looks_at for place in home.places} >= {"fridge_1", "counter_1"}
    again = HomeSnapshot.of(robot.floor, robot.furniture).build(home)
    assert again == home


def test_without_floor_there_is_no_home_yet() -> None:
    assert HomeSnapshot.of(DepthMapper(), FurnitureMapper()).build(None) is None


def test_furniture_that_was_saved_goes_on_as_if_it_had_not_been(tmp_path: Path) -> None:
    robot, file = Robot(), tmp_path / "home.furniture.npz"
    table = {"dining table": Block((0.5, -0.4, 0.37), (0.8, 1.4, 0.74), 0.3)}
    robot.go_round(table, (0.5, -0.4, 0.5))
    home = with_furniture(room(), robot.pieces, robot.floor.floor_map())
    save_furniture(file, robot.furniture, home)
    loaded, known = load_furniture(file)
    assert known == home
    assert loaded.images == robot.furniture.images
    again = Robot()
    again.floor, again.furniture = robot.floor, loaded
    assert again.pieces == robot.pieces
    chair = {**table, "chair": Block((-1.5, 1.5, 0.45), (0.4, 0.4, 0.9))}
    for each in (robot, again):
        each.go_round(chair, (-1.5, 1.5, 0.5), 1.2)
    assert again.pieces == robot.pieces
    assert {piece.id for piece in again.pieces} == {"table_1", "chair_1"}


def test_an_empty_furniture_file_can_be_read_again(tmp_path: Path) -> None:
    file = tmp_path / "home.furniture.npz"
    save_furniture(file, FurnitureMapper(), None)
    loaded, home = load_furniture(file)
    assert (loaded.every_track, home) == ((), None)


def test_a_furniture_file_that_is_cut_off_or_another_one_says_so(tmp_path: Path) -> None:
    file = tmp_path / "home.furniture.npz"
    save_furniture(file, FurnitureMapper(), None)
    whole = file.read_bytes()
    other = tmp_path / "floor.npz"
    DepthMapper().save(other)
    for content in (b"", whole[: len(whole) // 2], other.read_bytes()):
        file.write_bytes(content)
        with pytest.raises(InvalidMapFile, match=r"furniture\.npz: it cannot be read"):
            load_furniture(file)
