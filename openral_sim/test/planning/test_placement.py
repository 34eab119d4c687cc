import mujoco
import numpy as np
import pytest
from scipy.ndimage import distance_transform_edt

from openral_core.geometry import angle_between
from openral_sim.planning.base_planner import CostToGo, plan_from
from openral_sim.planning.occupancy_grid import RESOLUTION, SimOccupancyGrid
from openral_sim.planning.placement import (
    FurnitureBounds,
    Surfaces,
    candidate_base_poses,
    find_placements,
)

TARGET = np.array([2.0, 1.0, 0.9])
REACHES = (0.55, 0.62, 0.70, 0.48, 0.78, 0.84)


def field_with_table() -> CostToGo:
    occupied = np.zeros((100, 80), dtype=bool)
    occupied[30:52, 0:26] = True
    grid = SimOccupancyGrid(np.zeros(2), distance_transform_edt(~occupied) * RESOLUTION)
    return plan_from(grid, np.array([4.0, 3.0]), 0.33)


def test_stands_on_free_floor_facing_the_target() -> None:
    poses = candidate_base_poses(field_with_table(), TARGET, REACHES)
    assert poses
    for x, y, yaw in poses:
        assert np.isfinite(field_with_table().cost_at(np.array([x, y])))
        assert angle_between(float(yaw), float(np.arctan2(1.0 - y, 2.0 - x))) < 1e-6
        assert min(abs(np.hypot(x - 2.0, y - 1.0) - reach) for reach in REACHES) < 1e-9


def test_offers_the_nearer_side_first() -> None:
    first = candidate_base_poses(field_with_table(), TARGET, REACHES)[0]
    assert first[1] > 1.0


def test_is_the_same_every_time() -> None:
    once, again = (np.array(candidate_base_poses(field_with_table(), TARGET, REACHES)) for _ in range(2))
    assert np.array_equal(once, again)


TOP = 0.8
_BOX = mujoco.mjtGeom.mjGEOM_BOX
Scene = tuple[mujoco.MjModel, mujoco.MjData]


@pytest.fixture
def table() -> Scene:
    """A table of 80 x 60 cm with a box of 10 cm in its middle."""
    spec = mujoco.MjSpec()
    spec.worldbody.add_geom(type=_BOX, size=(0.4, 0.3, TOP / 2), pos=(0, 0, TOP / 2))
    spec.worldbody.add_geom(type=_BOX, size=(0.05, 0.05, 0.05), pos=(0, 0, TOP + 0.05))
    model = spec.compile()
    data = mujoco.MjData(model)
    mujoco.mj_forward(model, data)
    return model, data


@pytest.mark.parametrize("told", [(0.25, 0.1, TOP), (0.0, 0.0, TOP), (0.0, 0.0, TOP / 2)])
def test_every_spot_is_free_and_on_the_table(table: Scene, told: tuple[float, float, float]) -> None:
    spots = find_placements(*table, np.array(told), 0.06, lambda xy: float(xy[0]))
    assert spots
    for x, y, z in spots:
        assert abs(x) < 0.35
        assert abs(y) < 0.25
        assert max(abs(x), abs(y)) > 0.09
        assert z == pytest.approx(TOP, abs=0.004)


def test_a_free_point_is_the_first_spot(table: Scene) -> None:
    spots = find_placements(*table, np.array([0.25, 0.1, TOP]), 0.06, lambda xy: float(xy[0]))
    assert np.allclose(spots[0], (0.25, 0.1, TOP), atol=0.011)


def test_on_a_piece_of_furniture_the_easiest_spot_comes_first(table: Scene) -> None:
    spots = find_placements(*table, np.array([0.0, 0.0, TOP / 2]), 0.06, lambda xy: float(xy[0]))
    assert spots[0][0] < -0.2


@pytest.mark.parametrize(("told", "radius"), [((0.2, 0.1, TOP), 0.5), ((3.0, 0.0, TOP), 0.05)])
def test_finds_none_where_there_is_no_room(
    table: Scene, told: tuple[float, float, float], radius: float
) -> None:
    assert find_placements(*table, np.array(told), radius, lambda _: 0.0) == []


BOARDS = (0.4, 0.8, 1.2)
NO_EFFORT = 0.0


def bounds(x: float, depth: float, width: float, top: float) -> FurnitureBounds:
    return FurnitureBounds(np.array([x, 0.0, 0.0]), np.array([depth, width]), top)


def compiled(*boxes: tuple[tuple[float, float, float], tuple[float, float, float]]) -> Scene:
    """A floor and boxes, each as half extents and middle."""
    spec = mujoco.MjSpec()
    spec.worldbody.add_geom(type=mujoco.mjtGeom.mjGEOM_PLANE, size=(5, 5, 0.1))
    for size, pos in boxes:
        spec.worldbody.add_geom(type=_BOX, size=size, pos=pos)
    model = spec.compile()
    data = mujoco.MjData(model)
    mujoco.mj_forward(model, data)
    return model, data


def levels(
    scene: Scene, furniture: FurnitureBounds, radius: float = 0.05, headroom: float = 0.2
) -> set[float]:
    spots = Surfaces.of(*scene, furniture).placements((radius,), headroom, lambda _: NO_EFFORT)
    return {round(float(spot[2]), 2) for spot in spots}


@pytest.fixture
def shelf() -> Scene:
    """A bookshelf of three boards, a top and a back."""
    boards = [((0.17, 0.5, 0.01), (0.0, 0.0, height - 0.01)) for height in (*BOARDS, 1.6)]
    return compiled(*boards, ((0.01, 0.5, 0.8), (-0.16, 0.0, 0.8)))


def test_finds_every_board_of_a_shelf_and_its_top(shelf: Scene) -> None:
    assert levels(shelf, bounds(0.0, 0.34, 1.0, 1.6)) == {*BOARDS, 1.6}


def test_prefers_a_board_at_the_height_of_the_elbow(shelf: Scene) -> None:
    surfaces = Surfaces.of(*shelf, bounds(0.0, 0.34, 1.0, 1.6))
    assert surfaces.placements((0.05,), 0.2, lambda _: NO_EFFORT)[0][2] == pytest.approx(0.8, abs=0.004)


def test_a_hand_from_above_finds_no_room_between_boards(shelf: Scene) -> None:
    assert levels(shelf, bounds(0.0, 0.34, 1.0, 1.6), headroom=0.5) == {1.6}


def test_a_seat_is_found_beside_a_larger_table() -> None:
    table = ((0.4, 0.6, 0.01), (0.5, 0.0, 0.75))
    chair = compiled(table, ((0.2, 0.2, 0.01), (-0.15, 0.0, 0.45)), ((0.01, 0.2, 0.43), (-0.34, 0.0, 0.43)))
    assert levels(chair, bounds(-0.15, 0.42, 0.42, 0.86)) == {0.46}


def test_an_open_drawer_is_found_before_its_dresser_and_a_shut_one_is_not() -> None:
    body = ((0.25, 0.4, 0.01), (0.0, 0.0, 0.99))
    drawn, shut = (compiled(body, ((0.2, 0.35, 0.01), (x, 0.0, 0.77))) for x in (0.35, 0.0))
    drawer = bounds(0.0, 0.5, 0.8, 0.98)
    assert levels(drawn, drawer, headroom=0.4) == {0.78}
    assert levels(shut, drawer, headroom=0.4) == set()


def test_rays_pass_the_robot_itself() -> None:
    spec = mujoco.MjSpec()
    spec.worldbody.add_geom(type=_BOX, size=(0.3, 0.3, 0.35), pos=(0.0, 0.0, 0.35))
    spec.worldbody.add_body(name="arm").add_geom(type=_BOX, size=(0.3, 0.3, 0.02), pos=(0.0, 0.0, 0.8))
    model = spec.compile()
    data = mujoco.MjData(model)
    mujoco.mj_forward(model, data)
    arm = frozenset({model.body("arm").id})
    seen, hidden = (Surfaces.of(model, data, bounds(0.0, 0.6, 0.6, 0.7), own) for own in (arm, frozenset()))
    assert seen.placements((0.05,), 0.2, lambda _: NO_EFFORT)
    assert not hidden.placements((0.05,), 0.2, lambda _: NO_EFFORT)
