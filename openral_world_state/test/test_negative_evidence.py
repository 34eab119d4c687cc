"""Only a place looked right through is empty."""

import numpy as np
import pytest

from openral_core.geometry import Pose
from openral_testing.synthetic_depth import Block, Cylinder, Plane, Solid, look_at_pose, render_depth
from openral_world_state.depth_camera import DepthView, Intrinsics
from openral_world_state.negative_evidence import Visibility, check_visibility
from openral_world_state.spatial_memory.record import ObjectRecord

EYE = look_at_pose((0.0, 0.0, 1.0), (1.0, 0.0, 1.0))
WALL = Plane((1.0, 0.0, 0.0), 3.0)
BARREL = (-0.35, 0.1, 0.001, -0.001, -0.01)
CUP = Block((1.0, 0.0, 1.0), (0.08, 0.08, 0.1))


def sight_of(
    bodies: dict[str, Solid], at: tuple[float, float, float] = (1.0, 0.0, 1.0), farthest: float = 5.0
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
def test_says_what_a_view_tells_of_a_place(bodies: dict[str, Solid], expected: Visibility) -> None:
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


def rolled(view: DepthView, quarters: int) -> DepthView:
    """Turn a camera about its axis; the image turns the other way."""
    lens, T = view.intrinsics, view.T_map_camera.copy()
    for _ in range(quarters):
        cx, cy = lens.K[:2, 2]
        K = np.array([[lens.K[1, 1], 0.0, cy], [0.0, lens.K[0, 0], lens.width - 1.0 - cx], [0.0, 0.0, 1.0]])
        lens = Intrinsics(K, lens.height, lens.width)
        T[:3, :3] = T[:3, :3] @ [[0.0, -1.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, 1.0]]
    return DepthView(view.camera, view.stamp, np.rot90(view.depth, quarters).copy(), lens, T)


@pytest.mark.parametrize("quarters", range(4))
@pytest.mark.parametrize(
    ("bodies", "expected"),
    [
        ({"_wall": WALL}, Visibility.EMPTY),
        ({"_lintel": Block((0.7, 0.0, 1.1), (0.02, 0.5, 0.04)), "_wall": WALL}, Visibility.UNSEEN),
        ({"_poles": Block((0.7, 0.07, 1.0), (0.02, 0.04, 0.5)), "_wall": WALL}, Visibility.EMPTY),
    ],
)
def test_a_rolled_mount_sees_what_a_level_one_sees(
    quarters: int, bodies: dict[str, Solid], expected: Visibility
) -> None:
    broom = ObjectRecord(id="b", label="broom", pose=Pose((1.0, 0.0, 1.0)), size=(0.06, 0.06, 0.5))
    view = rolled(render_depth(bodies, EYE).view, quarters)
    assert check_visibility(view, [broom], 0.2, 5.0) == [expected]


def test_a_place_beyond_the_field_of_view_of_a_bent_lens_is_unseen() -> None:
    lens = Intrinsics(np.array([[500.0, 0.0, 320.0], [0.0, 500.0, 240.0], [0.0, 0.0, 1.0]]), 640, 480, BARREL)
    view = DepthView("head", 0.0, np.full((480, 640), 3.0, np.float32), lens, EYE)
    bearings = np.deg2rad(np.linspace(0.0, 80.0, 17))
    records = [
        ObjectRecord(id="r", label="cup", pose=Pose((np.cos(b), np.sin(b), 1.0)), size=(0.08, 0.08, 0.1))
        for b in bearings
    ]
    states = check_visibility(view, records, 0.1, 5.0)
    assert states[0] is Visibility.EMPTY
    assert all(state is Visibility.UNSEEN for state in states[9:])  # beyond 45 degrees
