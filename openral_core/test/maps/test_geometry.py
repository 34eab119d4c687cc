from math import pi

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from openral_core.home_map import Box3, Pose2, Rectangle, Room

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
