"""Only a place looked right through is empty."""

import numpy as np
import pytest

from openral_core.geometry import Pose
from openral_testing.synthetic_depth import Block, Body, Cylinder, Plane, look_at_pose, render_depth
from openral_world_state.negative_evidence import Visibility, check_visibility
from openral_world_state.spatial_memory.record import ObjectRecord

EYE = look_at_pose((0.0, 0.0, 1.0), (1.0, 0.0, 1.0))
WALL = Plane((1.0, 0.0, 0.0), 3.0)
CUP = Block((1.0, 0.0, 1.0), (0.08, 0.08, 0.1))


def sight_of(
    bodies: dict[str, Body], at: tuple[float, float, float] = (1.0, 0.0, 1.0), farthest: float = 5.0
) -> Visibility:
    record = ObjectRecord(id="cup_1", label="cup", pose=Pose(at), size=(0.08, 0.08, 0.1))
    return check_visibility(render_depth(bodies, EYE).view, [record], 0.2, farthest)[0]


@pytest.mark.parametrize(
    ("bodies", "expected"),
    [
        ({"_wall": WALL}, Visibility.EMPTY),
        ({"cup": CUP, "_wall": WALL}, Visibility.OCCUPIED),
        ({"_door": Plane((1.0, 0.0, 0.0), 0.5), "_wall": WALL}, Visibility.UNSEEN),
        ({"_half": Block((0.7, 0.1, 1.0), (0.02, 0.2, 0.3)), "_wall": WALL}, Visibility.UNSEEN),
        ({"_pole": Block((0.7, 0.0, 1.0), (0.02, 0.02, 0.3)), "_wall": WALL}, Visibility.UNSEEN),
        ({"_sky": Block((50.0, 0.0, 1.0), (0.1, 0.1, 0.1))}, Visibility.UNSEEN),
    ],
)
def test_says_what_a_view_tells_of_a_place(bodies: dict[str, Body], expected: Visibility) -> None:
    assert sight_of(bodies) is expected


@pytest.mark.parametrize("at", [(1.0, 3.0, 1.0), (-1.0, 0.0, 1.0), (0.1, 0.0, 1.0), (1.0, 0.6, 1.0)])
def test_a_place_not_wholly_in_view_is_unseen(at: tuple[float, float, float]) -> None:
    assert sight_of({"_wall": WALL}, at) is Visibility.UNSEEN


def test_a_place_beyond_the_trusted_range_is_unseen() -> None:
    assert sight_of({"_wall": WALL}, farthest=0.9) is Visibility.UNSEEN


def test_unknown_depth_is_no_evidence() -> None:
    view = render_depth({"_wall": WALL}, EYE).view
    view.depth[:] = np.nan
    record = ObjectRecord(id="cup_1", label="cup", pose=Pose((1.0, 0.0, 1.0)), size=(0.08, 0.08, 0.1))
    assert check_visibility(view, [record], 0.2, 5.0) == [Visibility.UNSEEN]


TABLE = Plane((0.0, 0.0, 1.0), 0.7)
DOWN = look_at_pose((0.0, 0.0, 1.3), (1.0, 0.0, 0.7))


@pytest.mark.parametrize(
    ("size", "expected"),
    [
        ((0.16, 0.16, 0.07), Visibility.EMPTY),
        ((0.08, 0.08, 0.1), Visibility.EMPTY),
        ((0.22, 0.22, 0.01), Visibility.UNDECIDED),
    ],
)
def test_an_empty_table_is_told_from_what_stood_on_it(
    size: tuple[float, float, float], expected: Visibility
) -> None:
    record = ObjectRecord(id="r", label="bowl", pose=Pose((1.0, 0.0, 0.7 + size[2] / 2.0)), size=size)
    assert check_visibility(render_depth({"_table": TABLE}, DOWN).view, [record], 0.2, 5.0) == [expected]


def test_what_stands_on_a_table_is_not_looked_through() -> None:
    bodies = {"bowl": Cylinder((1.0, 0.0, 0.735), 0.08, 0.07, hollow=True), "_table": TABLE}
    record = ObjectRecord(id="r", label="bowl", pose=Pose((1.0, 0.0, 0.735)), size=(0.16, 0.16, 0.07))
    assert check_visibility(render_depth(bodies, DOWN).view, [record], 0.2, 5.0) == [Visibility.OCCUPIED]
