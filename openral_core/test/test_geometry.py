"""Poses and transforms compose, invert and refuse what is no pose."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.spatial.transform import Rotation, Slerp

from openral_core.geometry import (
    MOST_FRAMES,
    InvalidGeometry,
    InvalidTransform,
    Pose,
    StaleTransform,
    TfTree,
    UnknownFrame,
    angle_between,
    inverse,
    planar_part,
    quaternion_of,
    slerp,
    transform_points,
    wrap_angle,
    yaw_matrix,
)

numbers = st.floats(-100.0, 100.0)
quaternions = st.tuples(*[st.floats(-1.0, 1.0)] * 4).filter(lambda q: sum(x * x for x in q) > 0.01)
poses = st.builds(Pose, st.tuples(numbers, numbers, numbers), quaternions)


@given(poses)
def test_a_pose_is_its_matrix(pose: Pose) -> None:
    again = Pose.from_matrix(pose.matrix())
    assert np.allclose(again.matrix(), pose.matrix(), atol=1e-9)


@given(poses)
def test_the_matrix_and_the_quaternion_of_a_rotation_are_those_of_scipy(pose: Pose) -> None:
    R = Rotation.from_quat(pose.orientation).as_matrix()
    assert np.allclose(pose.matrix()[:3, :3], R, atol=1e-12)
    found, expected = quaternion_of(R.tolist()), Rotation.from_matrix(R).as_quat()
    sign = np.sign(np.dot(found, expected))  # a quaternion and its negative are the same rotation
    assert np.allclose(found, sign * expected, atol=1e-12)


@given(poses, poses, st.floats(0.0, 1.0))
def test_the_way_between_rotations_is_that_of_scipy(first: Pose, second: Pose, fraction: float) -> None:
    ends = Rotation.from_quat([first.orientation, second.orientation])
    found = Rotation.from_quat(slerp(first.orientation, second.orientation, fraction))
    half_turn = abs(np.dot(first.orientation, second.orientation)) < 1e-6  # either way is the shorter one
    assert half_turn or (found.inv() * Slerp([0.0, 1.0], ends)(fraction)).magnitude() < 1e-6


@pytest.mark.parametrize("axis", [(1, 0, 0), (0, 1, 0), (0, 0, 1), (1, 1, 0), (0, 1, -1)])
def test_a_half_turn_has_a_quaternion(axis: tuple[int, int, int]) -> None:
    R = Rotation.from_rotvec(np.pi * np.array(axis) / np.linalg.norm(axis)).as_matrix()
    assert np.allclose(Rotation.from_quat(quaternion_of(R.tolist())).as_matrix(), R, atol=1e-7)


@given(poses, poses)
def test_the_inverse_of_a_product_is_the_product_of_inverses(first: Pose, second: Pose) -> None:
    A, B = first.matrix(), second.matrix()
    assert np.allclose(inverse(A @ B), inverse(B) @ inverse(A), atol=1e-6)


@given(poses, st.tuples(numbers, numbers, numbers))
def test_points_go_there_and_back(pose: Pose, point: tuple[float, float, float]) -> None:
    T = pose.matrix()
    there = transform_points(T, np.array([point]))
    assert np.allclose(transform_points(inverse(T), there), [point], atol=1e-6)


@given(st.floats(-math.pi, math.pi - 1e-6))
def test_a_planar_pose_keeps_its_yaw(yaw: float) -> None:
    assert angle_between(Pose.planar(1.0, 2.0, yaw).yaw, yaw) < 1e-9


@given(st.floats(-100.0, 100.0))
def test_wrapped_angles_are_the_same_angle(angle: float) -> None:
    assert -math.pi <= wrap_angle(angle) < math.pi
    assert math.isclose(math.cos(angle), math.cos(wrap_angle(angle)), abs_tol=1e-9)


@pytest.mark.parametrize(
    ("position", "orientation"),
    [((math.nan, 0, 0), (0, 0, 0, 1)), ((0, 0, math.inf), (0, 0, 0, 1)), ((0, 0, 0), (0, 0, 0, 0))],
)
def test_numbers_that_are_no_pose_are_refused(position: tuple[float], orientation: tuple[float]) -> None:
    with pytest.raises(InvalidGeometry):
        Pose(position, orientation)  # type: ignore[arg-type]


@pytest.fixture
def tree() -> TfTree:
    """map -> odom (static) -> base (moves 1 m/s and turns) -> camera (static)."""
    tree = TfTree(history=5.0)
    tree.add_static("map", "odom", Pose())
    tree.add_static("base", "camera", Pose((0.0, 0.0, 1.0)))
    for time in range(4):
        tree.add("odom", "base", Pose.planar(float(time), 0.0, 0.5 * time), float(time))
    return tree


def test_a_moment_between_stamps_is_interpolated(tree: TfTree) -> None:
    T = tree.lookup("map", "camera", 1.5)
    assert np.allclose(T[:3, 3], [1.5, 0.0, 1.0])
    assert math.isclose(math.atan2(T[1, 0], T[0, 0]), 0.75, abs_tol=1e-9)


def test_the_other_direction_is_the_inverse(tree: TfTree) -> None:
    there, back = tree.lookup("map", "camera", 0.3), tree.lookup("camera", "map", 0.3)
    assert np.allclose(there @ back, np.eye(4))


@pytest.mark.parametrize("time", [-0.5, 3.5])
def test_a_moment_outside_the_buffer_is_refused_with_what_it_holds(tree: TfTree, time: float) -> None:
    with pytest.raises(StaleTransform, match=r"'base' at .* covers 0.000 s to 3.000 s"):
        tree.lookup("map", "camera", time)


@pytest.mark.parametrize("slash", ["/map /base", "/map base", "map /base"])
def test_a_slash_before_a_frame_is_no_part_of_its_name(slash: str) -> None:
    parent, child = slash.split()
    moved = TfTree()
    moved.add_static(parent, child, Pose((1.0, 2.0, 3.0)))
    for target in ("map", "/map"):
        for source in ("base", "/base"):
            assert moved.lookup(target, source, 5.0)[:3, 3].tolist() == [1.0, 2.0, 3.0]
    assert moved.frames == ["base", "map"]


def test_an_unknown_frame_lists_the_known_ones(tree: TfTree) -> None:
    with pytest.raises(UnknownFrame, match="'base', 'camera', 'map', 'odom'"):
        tree.lookup("map", "gripper", 1.0)


def test_a_clock_that_jumps_back_starts_the_history_anew(tree: TfTree) -> None:
    tree.add("odom", "base", Pose.planar(9.0, 0.0, 0.0), -2.5)
    assert tree.lookup("map", "base", -2.5)[0, 3] == 9.0
    with pytest.raises(StaleTransform):
        tree.lookup("map", "base", 2.0)


def test_old_history_is_dropped(tree: TfTree) -> None:
    tree.add("odom", "base", Pose(), 100.0)
    with pytest.raises(StaleTransform):
        tree.lookup("map", "base", 3.0)


def test_a_loop_of_frames_ends() -> None:
    tree = TfTree()
    tree.add_static("a", "b", Pose())
    tree.add_static("b", "a", Pose())
    with pytest.raises(UnknownFrame):
        tree.lookup("c", "a", 0.0)


def test_the_newest_time_is_the_one_that_all_moving_frames_between_have() -> None:
    tree = TfTree()
    tree.add("map", "odom", Pose(), 10.0)
    tree.add("odom", "base", Pose(), 12.0)
    tree.add_static("base", "camera", Pose())
    tree.add("earth", "map", Pose(), 1.0)
    assert tree.newest("map", "camera") == 10.0
    assert tree.newest("odom", "base") == 12.0
    assert tree.newest("base", "camera") == math.inf
    with pytest.raises(UnknownFrame):
        tree.newest("map", "gripper")


def test_ever_new_frames_push_out_what_was_silent_longest_and_nothing_that_stands() -> None:
    tree = TfTree()
    tree.add_static("base", "camera", Pose())
    tree.add("map", "base", Pose(), 0.0)
    for number in range(3 * MOST_FRAMES):
        tree.add("map", f"frame_{number}", Pose(), 1.0)
        if number % 100 == 0:
            tree.add("map", "base", Pose(), float(number))
    assert len(tree.frames) <= MOST_FRAMES + 1
    assert tree.newest("map", "camera") == 3 * MOST_FRAMES - 100.0


def test_static_frames_have_an_end_too() -> None:
    tree = TfTree()
    for number in range(2 * MOST_FRAMES):
        tree.add_static("map", f"frame_{number}", Pose())
    assert len(tree.frames) == MOST_FRAMES + 1


@pytest.mark.parametrize(("parent", "child"), [("map", "f" * 1_001), ("f" * 1_001, "camera")])
def test_frames_of_endless_names_are_refused_and_not_kept(parent: str, child: str) -> None:
    tree = TfTree()
    with pytest.raises(InvalidTransform, match="at most 1000 characters") as caught:
        tree.add_static(parent, child, Pose())
    assert len(str(caught.value)) < 2_500
    assert tree.frames == []


def test_a_late_pose_takes_its_place_and_costs_nothing_else(tree: TfTree) -> None:
    tree.add("odom", "base", Pose.planar(1.4, 0.0, 0.7), 1.5)
    assert tree.lookup("map", "base", 1.5)[0, 3] == pytest.approx(1.4)
    assert tree.lookup("map", "base", 1.25)[0, 3] == pytest.approx(1.2)
    assert tree.lookup("map", "base", 3.0)[0, 3] == pytest.approx(3.0)


def test_every_moment_is_answered_while_two_publishers_are_out_of_step() -> None:
    tree, answered = TfTree(history=5.0), 0
    for step in range(200):
        time = 0.02 * step - (0.03 if step % 2 else 0.0)
        tree.add("map", "base", Pose.planar(time, 0.0, 0.0), time)
        if step > 10:
            answered += tree.lookup("map", "base", time - 0.05)[0, 3] == pytest.approx(time - 0.05)
    assert answered == 189


def test_a_stranger_who_hangs_the_map_below_a_camera_blinds_nobody(tree: TfTree) -> None:
    before = tree.lookup("map", "camera", 1.5)
    tree.add("camera", "map", Pose((9.0, 9.0, 9.0)), 1.0)
    tree.add("camera", "map", Pose((9.0, 9.0, 9.0)), 2.0)
    tree.add_static("somewhere", "map", Pose((5.0, 0.0, 0.0)))
    assert np.allclose(tree.lookup("map", "camera", 1.5), before)


def test_two_branches_need_no_way_from_their_common_frame_to_the_root() -> None:
    tree = TfTree()
    tree.add("map", "base", Pose(), 0.0)
    tree.add_static("base", "camera", Pose((0.0, 0.0, 1.0)))
    tree.add_static("base", "gripper", Pose((1.0, 0.0, 0.0)))
    assert np.allclose(tree.lookup("gripper", "camera", 77.0)[:3, 3], [-1.0, 0.0, 1.0])


def test_what_was_heard_last_holds_be_it_static_or_moving(tree: TfTree) -> None:
    tree.add_static("odom", "base", Pose.planar(7.0, 0.0, 0.0))
    assert tree.lookup("map", "base", 99.0)[0, 3] == 7.0
    tree.add("odom", "base", Pose.planar(2.0, 0.0, 0.0), 2.0)
    assert tree.lookup("map", "base", 2.0)[0, 3] == 2.0
    with pytest.raises(StaleTransform):
        tree.lookup("map", "base", 99.0)


@pytest.mark.parametrize(("parent", "child"), [("base", "base"), ("", "base"), ("map", "")])
def test_a_transform_without_two_frames_is_ignored(tree: TfTree, parent: str, child: str) -> None:
    with pytest.raises(InvalidTransform, match="two named frames"):
        tree.add(parent, child, Pose(), 1.0)
    with pytest.raises(InvalidTransform, match="two named frames"):
        tree.add_static(parent, child, Pose())
    assert tree.lookup("map", "base", 1.0)[0, 3] == 1.0


def test_what_is_static_survives_that_time_begins_anew(tree: TfTree) -> None:
    tree.forget_moving()
    assert np.allclose(tree.lookup("base", "camera", 0.1)[:3, 3], [0.0, 0.0, 1.0])
    with pytest.raises(UnknownFrame):
        tree.lookup("map", "camera", 1.5)


def test_the_planar_part_is_what_a_planar_pose_was_made_of() -> None:
    assert planar_part(yaw_matrix(1.0, -2.0, 0.7)) == pytest.approx((1.0, -2.0, 0.7))
    assert planar_part(Pose.planar(1.0, -2.0, -3.0, z=0.4).matrix()) == pytest.approx((1.0, -2.0, -3.0))
