"""The occupancy of the floor from depth images."""

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from openral_core.floor_map import FREE, OCCUPIED, UNKNOWN, MapTooLarge, small_gaps
from openral_mapping.floor.depth_mapper import (
    CONFIG,
    DepthMapper,
    InvalidDepthImage,
    InvalidMapFile,
    MapperConfig,
    PixelRays,
)

WIDTH, HEIGHT, FOCAL = 80, 60, 50.0
EYE = 1.3
TILT = 0.5
Box = tuple[tuple[float, float, float], tuple[float, float, float]]
WALL: Box = ((3.0, -9.0, -1.0), (3.1, 9.0, 2.5))


def pinhole() -> np.ndarray:
    u, v = np.meshgrid(np.arange(WIDTH), np.arange(HEIGHT))
    plane = [(u - (WIDTH - 1) / 2) / FOCAL, (v - (HEIGHT - 1) / 2) / FOCAL, np.ones((HEIGHT, WIDTH))]
    return np.stack(plane, axis=-1)


RAYS = PixelRays(pinhole())


def camera(x: float = 0.0, y: float = 0.0, yaw: float = 0.0, tilt: float = TILT) -> np.ndarray:
    """Pose of an optical frame above the floor, looking ahead and down."""
    c, s = np.cos(tilt), np.sin(tilt)
    ahead, down = np.array([c, 0.0, -s]), np.array([-s, 0.0, -c])
    turn = np.array([[np.cos(yaw), -np.sin(yaw), 0], [np.sin(yaw), np.cos(yaw), 0], [0, 0, 1.0]])
    T = np.eye(4)
    T[:3, :3] = turn @ np.column_stack(([0.0, -1.0, 0.0], down, ahead))
    T[:3, 3] = x, y, EYE
    return T


def image(T: np.ndarray, *boxes: Box, floor: float = 0.0) -> np.ndarray:
    """Depth of the floor and of boxes, by slabs."""
    directions, eye = pinhole() @ T[:3, :3].T, T[:3, 3]
    with np.errstate(divide="ignore", invalid="ignore"):
        depth = np.where(directions[..., 2] < 0, (floor - eye[2]) / directions[..., 2], np.inf)
        for low, high in boxes:
            a, b = (np.array(low) - eye) / directions, (np.array(high) - eye) / directions
            near, far = np.minimum(a, b).max(axis=-1), np.maximum(a, b).min(axis=-1)
            depth = np.where((near <= far) & (near > 0), np.minimum(depth, near), depth)
    return depth.astype(np.float32)


def after(*images: tuple[np.ndarray, tuple[Box, ...]], mapper: DepthMapper | None = None) -> DepthMapper:
    mapper = mapper or DepthMapper()
    for T, boxes in images:
        mapper.update(image(T, *boxes), RAYS, T)
    return mapper


def test_floor_before_a_wall_is_free_the_wall_occupied_and_beyond_it_unknown() -> None:
    found = after(*[(camera(), (WALL,))] * 4).floor_map()
    assert [found.value_at(x, 0.0) for x in (2.0, 2.5)] == [FREE, FREE]
    assert found.value_at(3.02, 0.0) == OCCUPIED
    assert found.value_at(3.5, 0.0) == UNKNOWN
    assert found.value_at(-1.0, 0.0) == UNKNOWN


def test_what_is_above_the_robot_is_no_obstacle() -> None:
    lamp: Box = ((2.0, -0.3, 1.6), (2.4, 0.3, 2.0))
    found = after((camera(tilt=0.0), (lamp, WALL)), (camera(tilt=0.9), ())).floor_map()
    assert found.value_at(2.2, 0.0) != OCCUPIED


def test_floor_seen_below_a_table_top_does_not_clear_it() -> None:
    top: Box = ((1.8, -0.5, 0.7), (2.3, 0.5, 0.74))
    near, far = camera(1.0), camera(-2.0, tilt=0.2)
    found = after(*[(near, (top, WALL))] * 2, *[(far, (top, WALL))] * 12).floor_map()
    assert found.value_at(2.0, 0.0) == OCCUPIED


@pytest.mark.parametrize("looks", [1, 10, 60])
def test_a_person_who_leaves_is_forgotten_after_a_bounded_number_of_images(looks: int) -> None:
    person: Box = ((1.8, -0.2, 0.0), (2.1, 0.2, 1.7))
    T = camera()
    mapper = after(*[(T, (person, WALL))] * looks)
    assert mapper.floor_map().value_at(1.82, 0.0) == OCCUPIED
    contrary = 4 * (int(CONFIG.highest / -CONFIG.miss) + 1)
    after(*[(T, (WALL,))] * contrary, mapper=mapper)
    assert mapper.floor_map().value_at(1.82, 0.0) == FREE


def test_a_door_that_was_open_and_is_shut_becomes_an_obstacle() -> None:
    leaf: Box = ((2.0, -0.6, 0.0), (2.05, 0.6, 2.0))
    T = camera()
    mapper = after(*[(T, (WALL,))] * 30)
    assert mapper.floor_map().value_at(2.02, 0.0) == FREE
    after(*[(T, (leaf, WALL))] * 4, mapper=mapper)
    assert mapper.floor_map().value_at(2.02, 0.0) == OCCUPIED


def test_stairs_that_lead_down_are_an_obstacle() -> None:
    mapper, T = DepthMapper(), camera()
    mapper.update(image(T, floor=-0.4), RAYS, T)
    assert not mapper.floor_map().free[tuple(mapper.floor_map().cell(np.array([2.0, 0.0])))]
    assert (mapper.floor_map().cells == OCCUPIED).any()


def test_floor_that_depth_shows_higher_the_farther_it_is_is_no_obstacle_and_a_low_box_is_one() -> None:
    box: Box = ((1.5, -0.5, 0.0), (1.9, 0.5, 0.1))
    mapper, T = DepthMapper(), camera(tilt=0.3)
    for _ in range(4):
        depth = np.minimum(image(T, box), 20.0)
        mapper.update(depth - np.float32(0.012) * depth**2, RAYS, T)
    found = mapper.floor_map()
    assert found.value_at(1.52, 0.0) == OCCUPIED
    beside = [found.value_at(x, 1.0) for x in np.arange(1.2, 4.0, 0.1)]
    assert FREE in beside
    assert OCCUPIED not in beside


@pytest.mark.parametrize("bad", [0.0, np.nan, np.inf, -np.inf, -1.0])
def test_unknown_depth_says_nothing(bad: float) -> None:
    mapper = DepthMapper()
    mapper.update(np.full((HEIGHT, WIDTH), bad, np.float32), RAYS, camera())
    assert (mapper.floor_map().cells == UNKNOWN).all()


def test_depth_beyond_the_range_shows_no_obstacle() -> None:
    mapper, T = DepthMapper(), camera(tilt=0.0)
    depth = image(T)
    depth[: HEIGHT // 2] = 3.0e38
    mapper.update(depth, RAYS, T)
    assert not mapper.floor_map().occupied.any()


def test_pixels_without_a_ray_are_left_out() -> None:
    rays = pinhole()
    rays[:, :20] = np.nan
    mapper, T = DepthMapper(), camera()
    for _ in range(4):
        mapper.update(image(T, WALL), PixelRays(rays), T)
    assert mapper.floor_map().value_at(2.0, 0.0) == FREE


def test_floor_under_the_robot_is_free_and_its_own_arm_no_obstacle() -> None:
    arm: Box = ((0.1, -0.1, 0.4), (0.28, 0.1, 0.9))
    mapper, T = DepthMapper(), camera(-0.2)
    mapper.update(image(T, arm, WALL), RAYS, T, base=(0.0, 0.0))
    assert mapper.floor_map().value_at(0.0, 0.0) == FREE
    assert mapper.floor_map().value_at(0.15, 0.0) == FREE


def test_the_grid_grows_and_keeps_what_it_knew() -> None:
    mapper = after((camera(), (WALL,)))
    before = mapper.floor_map()
    after((camera(-20.0, 30.0, 2.0), ()), mapper=mapper)
    grown = mapper.floor_map()
    points = before.centres(*np.nonzero(before.occupied))
    assert all(grown.value_at(*point) == OCCUPIED for point in points.tolist())
    assert grown.cells.size > before.cells.size


@settings(max_examples=4)
@given(x=st.floats(-50, 50), y=st.floats(-50, 50), yaw=st.floats(-3.2, 3.2))
def test_the_same_view_from_elsewhere_is_the_same_map_there(x: float, y: float, yaw: float) -> None:
    T = camera(x, y, yaw)
    mapper = DepthMapper()
    mapper.update(image(camera(), WALL), RAYS, T)
    reference = after((camera(), (WALL,))).floor_map()
    for value in ("free", "occupied"):
        expected = getattr(reference, value).sum()
        assert getattr(mapper.floor_map(), value).sum() == pytest.approx(expected, rel=0.4)


@pytest.mark.parametrize("position", [(1e9, 0.0), (0.0, -1e15)])
def test_a_pose_far_from_the_map_is_refused_and_the_map_stays(position: tuple[float, float]) -> None:
    mapper = after((camera(), (WALL,)))
    before = mapper.floor_map()
    with pytest.raises(MapTooLarge):
        after((camera(*position), ()), mapper=mapper)
    assert np.array_equal(mapper.floor_map().cells, before.cells)


def test_an_image_that_does_not_fit_its_camera_or_pose_is_refused() -> None:
    mapper, T = DepthMapper(), camera()
    with pytest.raises(InvalidDepthImage, match="shape"):
        mapper.update(np.ones((3, 4), np.float32), RAYS, T)
    T[0, 3] = np.nan
    with pytest.raises(InvalidDepthImage, match="finite"):
        mapper.update(np.ones((HEIGHT, WIDTH), np.float32), RAYS, T)


def test_a_saved_map_goes_on_where_it_was(tmp_path: Path) -> None:
    mapper = after((camera(), (WALL,)))
    mapper.save(tmp_path / "home.npz")
    loaded = DepthMapper.load(tmp_path / "home.npz")
    assert np.array_equal(loaded.floor_map().cells, mapper.floor_map().cells)
    assert loaded.floor_map().origin == mapper.floor_map().origin
    after((camera(1.0), (WALL,)), mapper=loaded)
    assert [file.name for file in tmp_path.iterdir()] == ["home.npz"]


@pytest.mark.parametrize("content", [b"", b"PK\x03\x04 no archive", b"\x93NUMPY"])
def test_a_broken_file_is_refused_by_name(content: bytes, tmp_path: Path) -> None:
    (tmp_path / "home.npz").write_bytes(content)
    with pytest.raises(InvalidMapFile, match=r"home\.npz"):
        DepthMapper.load(tmp_path / "home.npz")


def test_a_file_of_another_resolution_is_refused(tmp_path: Path) -> None:
    after((camera(), (WALL,))).save(tmp_path / "home.npz")
    with pytest.raises(InvalidMapFile, match="resolution"):
        DepthMapper.load(tmp_path / "home.npz", MapperConfig(resolution=0.1))


def test_low_furniture_is_no_wall() -> None:
    bed: Box = ((1.8, -0.5, 0.0), (2.3, 0.5, 0.5))
    mapper = after(*[(camera(tilt=tilt), (bed, WALL)) for tilt in (0.1, 0.3, 0.5)])
    assert mapper.floor_map().value_at(1.82, 0.0) == OCCUPIED
    assert mapper.wall_map().value_at(1.82, 0.0) == FREE
    assert mapper.wall_map().value_at(3.02, 0.0) == OCCUPIED


def test_a_steep_look_shows_the_floor_next_to_the_robot() -> None:
    T = camera(tilt=1.0)
    found = after(*[(T, ())] * 4).floor_map()
    assert [found.value_at(x, 0.02) for x in (0.4, 0.6, 0.8, 1.0, 1.2)] == [FREE] * 5


def test_what_is_seen_of_the_robot_beside_its_base_is_no_obstacle() -> None:
    arm: Box = ((0.28, -0.1, 0.0), (0.36, 0.1, 0.4))
    mapper, T = DepthMapper(), camera(tilt=1.0)
    mapper.update(image(T, arm), RAYS, T, (0.0, 0.0))
    assert not mapper.floor_map().occupied.any()
    mapper.update(image(T, arm), RAYS, T, (-1.0, 0.0))
    assert mapper.floor_map().occupied.any()


def test_a_small_gap_in_free_floor_is_free_and_one_beside_an_obstacle_or_the_unknown_is_not() -> None:
    free = np.zeros((12, 12), np.int8)
    cells = free.copy()
    cells[0, :] = cells[2:4, 2:4] = cells[7:9, 7:9] = cells[1, 8] = UNKNOWN
    cells[9, 9] = OCCUPIED
    gaps = free.astype(bool)
    gaps[2:4, 2:4] = True
    assert (small_gaps(cells, 4) == gaps).all()
    assert not small_gaps(cells, 3).any()
