"""Only a place looked right through is empty."""

import numpy as np
import pytest

from openral_core.geometry import Pose
from openral_world_state.absences import Sight, sights
from openral_world_state.memories import Record
from openral_world_state.synthetics import Block, Body, Cylinder, Plane, looking, shoot

EYE = looking((0.0, 0.0, 1.0), (1.0, 0.0, 1.0))
WALL = Plane((1.0, 0.0, 0.0), 3.0)
CUP = Block((1.0, 0.0, 1.0), (0.08, 0.08, 0.1))


def sight_of(
    bodies: dict[str, Body], at: tuple[float, float, float] = (1.0, 0.0, 1.0), farthest: float = 5.0
) -> Sight:
    record = Record(id="cup_1", label="cup", pose=Pose(at), size=(0.08, 0.08, 0.1))
    return sights(shoot(bodies, EYE).view, [record], 0.2, farthest)[0]


@pytest.mark.parametrize(
    ("bodies", "expected"),
    [
        ({"_wall": WALL}, Sight.EMPTY),
        ({"cup": CUP, "_wall": WALL}, Sight.OCCUPIED),
        ({"_door": Plane((1.0, 0.0, 0.0), 0.5), "_wall": WALL}, Sight.UNSEEN),
        ({"_half": Block((0.7, 0.1, 1.0), (0.02, 0.2, 0.3)), "_wall": WALL}, Sight.UNSEEN),
        ({"_pole": Block((0.7, 0.0, 1.0), (0.02, 0.02, 0.3)), "_wall": WALL}, Sight.UNSEEN),
        ({"_sky": Block((50.0, 0.0, 1.0), (0.1, 0.1, 0.1))}, Sight.UNSEEN),
    ],
)
def test_says_what_a_view_tells_of_a_place(bodies: dict[str, Body], expected: Sight) -> None:
    assert sight_of(bodies) is expected


@pytest.mark.parametrize("at", [(1.0, 3.0, 1.0), (-1.0, 0.0, 1.0), (0.1, 0.0, 1.0), (1.0, 0.6, 1.0)])
def test_a_place_not_wholly_in_view_is_unseen(at: tuple[float, float, float]) -> None:
    assert sight_of({"_wall": WALL}, at) is Sight.UNSEEN


def test_a_place_beyond_the_trusted_range_is_unseen() -> None:
    assert sight_of({"_wall": WALL}, farthest=0.9) is Sight.UNSEEN


def test_unknown_depth_is_no_evidence() -> None:
    view = shoot({"_wall": WALL}, EYE).view
    view.depth[:] = np.nan
    record = Record(id="cup_1", label="cup", pose=Pose((1.0, 0.0, 1.0)), size=(0.08, 0.08, 0.1))
    assert sights(view, [record], 0.2, 5.0) == [Sight.UNSEEN]


TABLE = Plane((0.0, 0.0, 1.0), 0.7)
DOWN = looking((0.0, 0.0, 1.3), (1.0, 0.0, 0.7))


@pytest.mark.parametrize(
    ("size", "expected"),
    [
        ((0.16, 0.16, 0.07), Sight.EMPTY),
        ((0.08, 0.08, 0.1), Sight.EMPTY),
        ((0.22, 0.22, 0.01), Sight.UNDECIDED),
    ],
)
def test_an_empty_table_is_told_from_what_stood_on_it(
    size: tuple[float, float, float], expected: Sight
) -> None:
    record = Record(id="r", label="bowl", pose=Pose((1.0, 0.0, 0.7 + size[2] / 2.0)), size=size)
    assert sights(shoot({"_table": TABLE}, DOWN).view, [record], 0.2, 5.0) == [expected]


def test_what_stands_on_a_table_is_not_looked_through() -> None:
    bodies = {"bowl": Cylinder((1.0, 0.0, 0.735), 0.08, 0.07, hollow=True), "_table": TABLE}
    record = Record(id="r", label="bowl", pose=Pose((1.0, 0.0, 0.735)), size=(0.16, 0.16, 0.07))
    assert sights(shoot(bodies, DOWN).view, [record], 0.2, 5.0) == [Sight.OCCUPIED]
