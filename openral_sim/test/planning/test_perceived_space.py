"""Voxels of what depth images show."""

import numpy as np
import pytest

from openral_core.home_map import Box3, Container, Fixture, Pose2, Rectangle, Surface
from openral_sim.planning.perceived_space import SPACE, PerceivedSpace

EYE = np.array([0.0, 0.0, 1.2])


@pytest.fixture
def space() -> PerceivedSpace:
    made = PerceivedSpace()
    made.centre_on(np.zeros(3))
    return made


def see_wall(space: PerceivedSpace, x: float, *, hit: bool = True) -> None:
    """Add an image of a wall across x, or of nothing up to there."""
    y, z = np.meshgrid(np.arange(-0.5, 0.5, 0.01), np.arange(0.5, 1.5, 0.01))
    ends = np.column_stack([np.full(y.size, x), y.ravel(), z.ravel()])
    space.add_scan(EYE, ends, np.full(len(ends), hit))


def is_occupied(space: PerceivedSpace, *point: float) -> bool:
    return bool(space.occupied(np.array([point]))[0] >= 0)


def test_surfaces_are_occupied_and_what_is_before_and_behind_them_is_not(space: PerceivedSpace) -> None:
    see_wall(space, 1.01)
    assert is_occupied(space, 1.01, 0.0, 1.0)
    assert not is_occupied(space, 0.7, 0.0, 1.0)
    assert not is_occupied(space, 1.3, 0.0, 1.0), "what was never seen is free"


def test_what_leaves_is_forgotten_after_a_few_images(space: PerceivedSpace) -> None:
    for _ in range(10):
        see_wall(space, 1.01)
    for _ in range(SPACE.most):
        assert is_occupied(space, 1.01, 0.0, 1.0)
        see_wall(space, 1.8, hit=False)
    assert not is_occupied(space, 1.01, 0.0, 1.0)


def test_the_box_moves_with_the_base_and_keeps_what_stays_in_it(space: PerceivedSpace) -> None:
    see_wall(space, 1.01)
    size = space.values.nbytes
    space.centre_on(np.array([1.5, 0.0, 0.0]))
    assert is_occupied(space, 1.01, 0.0, 1.0)
    space.centre_on(np.array([8.0, 0.0, 0.0]))
    space.centre_on(np.array([0.0, 0.0, 0.0]))
    assert not is_occupied(space, 1.01, 0.0, 1.0)
    assert space.values.nbytes == size


def test_the_floor_and_an_object_in_the_hand_are_no_obstacles(space: PerceivedSpace) -> None:
    floor = np.array([[0.5, 0.0, 0.01]])
    space.add_scan(EYE, floor, np.array([True]))
    assert not is_occupied(space, *floor[0])
    see_wall(space, 1.01)
    T = np.eye(4)
    T[:3, 3] = (1.0, 0.0, 1.0)
    space.forget(T, np.full(3, 0.05))
    assert not is_occupied(space, 1.01, 0.0, 1.0)
    assert is_occupied(space, 1.01, 0.2, 1.0)


def test_boards_of_known_furniture_are_obstacles_where_nothing_was_seen() -> None:
    top = Surface(id="top", z=0.7, area=Rectangle(min=(-0.3, -0.5), max=(0.3, 0.5)))
    table = Fixture(
        id="table", kind="table", name="table", room="r", pose=Pose2(x=1.0, y=0.0, yaw=np.pi / 2), depth=0.6,
        width=1.0, height=0.7, surfaces=(top,),
    )  # fmt: skip
    inside = Box3(min=(-0.25, -0.25, 0.05), max=(0.28, 0.25, 0.95))
    cabinet = Fixture(
        id="cabinet", kind="cabinet", name="cabinet", room="r", pose=Pose2(x=-1.0, y=0.0), depth=0.6,
        width=0.6, height=1.0, container=Container(interior=inside, occludes_contents=True),
    )  # fmt: skip
    space = PerceivedSpace((table, cabinet))
    space.centre_on(np.zeros(3))
    assert is_occupied(space, 1.45, 0.0, 0.69), "its long side is along x"
    assert not is_occupied(space, 1.0, 0.4, 0.69)
    assert not is_occupied(space, 1.0, 0.0, 0.5), "below the top"
    assert is_occupied(space, -1.29, 0.0, 0.5), "the back"
    assert not is_occupied(space, -0.71, 0.0, 0.5), "the front may be open"
    space.add_scan(EYE, np.array([[1.4, 0.0, 0.4]]), np.array([False]))
    through = EYE + (1.2 - 0.69) / 0.8 * (np.array([1.4, 0.0, 0.4]) - EYE)
    assert not is_occupied(space, *through), "a ray passed there"
