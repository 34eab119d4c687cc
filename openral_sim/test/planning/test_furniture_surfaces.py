import mujoco
import numpy as np
import pytest

from openral_sim.planning.furniture_surfaces import FurnitureBounds, FurnitureSurfaces

_BOX = mujoco.mjtGeom.mjGEOM_BOX
Scene = tuple[mujoco.MjModel, mujoco.MjData]
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
    spots = FurnitureSurfaces.of(*scene, furniture).placements((radius,), headroom, lambda _: NO_EFFORT)
    return {round(float(spot[2]), 2) for spot in spots}


@pytest.fixture
def shelf() -> Scene:
    """A bookshelf of three boards, a top and a back."""
    boards = [((0.17, 0.5, 0.01), (0.0, 0.0, height - 0.01)) for height in (*BOARDS, 1.6)]
    return compiled(*boards, ((0.01, 0.5, 0.8), (-0.16, 0.0, 0.8)))


def test_finds_every_board_of_a_shelf_and_its_top(shelf: Scene) -> None:
    assert levels(shelf, bounds(0.0, 0.34, 1.0, 1.6)) == {*BOARDS, 1.6}


def test_prefers_a_board_at_the_height_of_the_elbow(shelf: Scene) -> None:
    surfaces = FurnitureSurfaces.of(*shelf, bounds(0.0, 0.34, 1.0, 1.6))
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
    seen, hidden = (
        FurnitureSurfaces.of(model, data, bounds(0.0, 0.6, 0.6, 0.7), own) for own in (arm, frozenset())
    )
    assert seen.placements((0.05,), 0.2, lambda _: NO_EFFORT)
    assert not hidden.placements((0.05,), 0.2, lambda _: NO_EFFORT)
