from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest

from openral_core.arrays import Array, Points
from openral_core.grasping.approach import ApproachDirection, mirrored, oblique, pregrasp_pose, top_down
from openral_core.grasping.grasp_planner import Grasp, grasp_strategies, sample_grasps
from openral_core.grasping.gripper import GripperGeometry
from openral_core.grasping.segmentation import ObjectSegment

Top = Callable[[Array, Array], Array]

TABLE = 0.75
GRIPPER = GripperGeometry(0.04, (0.010, 0.006, 0.022), (0.016, 0.010, 0.025), 0.020)
"""The Panda hand."""


def seen_from_above(top: Top, half: float = 0.2, step: float = 0.004) -> ObjectSegment:
    """A scan of a table and of what ``top(x, y)`` says stands on it (height above the table, or nan)."""
    x, y = (grid.ravel() for grid in np.meshgrid(*[np.arange(-half, half, step)] * 2))
    height = top(x, y)
    z = TABLE + np.where(np.isnan(height), 0.0, height)
    return ObjectSegment(np.column_stack([x, y, z]), ~np.isnan(height), TABLE)


def box(length: float, width: float, height: float, turn: float = 0.0) -> Top:
    c, s = np.cos(turn), np.sin(turn)

    def top(x: Array, y: Array) -> Array:
        inside = (np.abs(c * x + s * y) < length / 2) & (np.abs(-s * x + c * y) < width / 2)
        return np.where(inside, height, np.nan)

    return top


def ring(radius: float, wall: float, height: float) -> Top:
    def top(x: Array, y: Array) -> Array:
        r = np.hypot(x, y)
        return np.where(r > radius, np.nan, np.where(r > radius - wall, height, 0.012))

    return top


def propose(segment: ObjectSegment, approach: ApproachDirection, limit: int = 8) -> list[Grasp]:
    """Places for the fingers in the first strategy that offers any."""
    offered = (
        found
        for strategy in grasp_strategies(approach, GRIPPER)
        if (found := sample_grasps(segment, approach, strategy))
    )
    return next(offered, [])[:limit]


@pytest.mark.parametrize("turn", [0.0, 0.5, 1.2, 2.5])
def test_takes_a_long_thing_across_its_middle(turn: float) -> None:
    best = propose(seen_from_above(box(0.30, 0.05, 0.05, turn)), top_down(0.0))[0]
    across = np.array([-np.sin(turn), np.cos(turn)])
    assert abs(best.T_map_grasp[:2, 1] @ across) > np.cos(np.radians(16))
    assert np.linalg.norm(best.T_map_grasp[:2, 3]) < 0.02
    assert best.T_map_grasp[:3, 2] == pytest.approx([0, 0, -1])


def test_does_not_dig_into_the_support() -> None:
    best = propose(seen_from_above(box(0.06, 0.06, 0.04)), top_down(0.0))[0]
    assert best.T_map_grasp[2, 3] - 0.0194 > TABLE


def test_takes_a_wide_mug_by_its_rim() -> None:
    best = propose(seen_from_above(ring(0.045, 0.006, 0.09)), top_down(0.0))[0]
    assert best.width < 0.03
    assert 0.03 < np.linalg.norm(best.T_map_grasp[:2, 3]) < 0.05


def test_takes_a_shallow_bowl_by_its_rim_with_the_fingertips() -> None:
    def bowl(x: Array, y: Array) -> Array:
        r = np.hypot(x, y)
        return np.where(r > 0.08, np.nan, 0.01 + 0.055 * np.clip(r / 0.075, 0, 1) ** 6)

    best = propose(seen_from_above(bowl), top_down(0.0))[0]
    assert 0.06 < np.linalg.norm(best.T_map_grasp[:2, 3]) < 0.09
    assert best.T_map_grasp[2, 3] > TABLE + 0.03


@pytest.mark.parametrize("width", [0.084, 0.09, 0.15])
def test_finds_no_grasp_on_a_thing_wider_than_the_fingers_open(width: float) -> None:
    assert propose(seen_from_above(box(0.2, width, 0.06)), top_down(0.0)) == []


def test_keeps_the_pads_off_a_neighbour() -> None:
    def two(x: Array, y: Array) -> Array:
        first, second = box(0.05, 0.05, 0.06)(x, y), box(0.05, 0.05, 0.06)(x - 0.075, y)
        return np.where(np.isnan(first), second, first)

    segment = seen_from_above(two)
    only_first = ObjectSegment(segment.points, segment.mask & (segment.points[:, 0] < 0.03), TABLE)
    for grasp in propose(only_first, top_down(0.0)):
        fingers = grasp.T_map_grasp[:2, 3] + np.outer([-1, 1], grasp.T_map_grasp[:2, 1]) * (
            GRIPPER.max_opening / 2 + 0.006
        )
        assert not ((np.abs(fingers[:, 0] - 0.075) < 0.024) & (np.abs(fingers[:, 1]) < 0.024)).any()


def test_measures_all_that_comes_between_the_pads() -> None:
    across = [
        grasp
        for grasp in propose(seen_from_above(box(0.2, 0.066, 0.06)), top_down(0.0), 200)
        if abs(grasp.T_map_grasp[1, 1]) > 0.999
    ]
    assert across
    for grasp in across:
        assert grasp.width == pytest.approx(0.066, abs=0.005)
        assert abs(grasp.T_map_grasp[1, 3]) < 0.003


def test_turning_the_hand_round_twice_changes_nothing() -> None:
    T = propose(seen_from_above(box(0.1, 0.05, 0.05)), top_down(0.0))[0].T_map_grasp
    assert np.allclose(mirrored(mirrored(T)), T)
    assert np.allclose(mirrored(T)[:3, 3], T[:3, 3])
    assert np.allclose(pregrasp_pose(T, 0.1)[:3, 3], T[:3, 3] + [0, 0, 0.1])


def tips(grasp: Grasp) -> Points:
    """The lowest corners of both opened fingertips, shape (N, 3)."""
    R, at = grasp.T_map_grasp[:3, :3], grasp.T_map_grasp[:3, 3]
    apart = grasp.opening / 2 + 0.012
    corners = [(x, y, 0.020) for x in (-0.010, 0.010) for y in (-apart, apart)]
    return at + np.array(corners) @ R.T


@pytest.mark.parametrize("pitch", [0.35, 0.5, 0.8, 1.2])
@pytest.mark.parametrize("height", [0.02, 0.03, 0.10])
def test_aslant_neither_finger_digs_into_the_support(pitch: float, height: float) -> None:
    found = propose(seen_from_above(box(0.09, 0.05, height)), oblique(0.0, pitch), 100)
    assert found
    for grasp in found:
        assert tips(grasp)[:, 2].min() > TABLE + 0.003
        assert grasp.T_map_grasp[2, 2] == pytest.approx(-np.sin(pitch))


def test_aslant_the_fingers_close_before_and_behind_what_is_too_wide() -> None:
    best = propose(seen_from_above(box(0.055, 0.12, 0.10)), oblique(0.0, 0.8))[0]
    finger_travel = best.T_map_grasp[:3, 1]
    assert abs(finger_travel[1]) < 0.1
    assert abs(finger_travel[2]) > 0.6
    assert best.width < 0.074


def between(gap: float) -> Top:
    """A block 3 cm wide with a neighbour on either side, ``gap`` [m] away."""

    def top(x: Array, y: Array) -> Array:
        block, wall = box(0.2, 0.03, 0.06)(x, y), np.abs(y) > 0.015 + gap
        return np.where(np.isnan(block) & wall, 0.06, block)

    return top


@pytest.mark.parametrize(
    ("gap", "opening"), [(0.05, GRIPPER.max_opening), (0.032, 0.055), (0.022, 0.035), (0.010, None)]
)
def test_opens_only_as_far_as_the_neighbours_leave_room(gap: float, opening: float | None) -> None:
    segment = seen_from_above(between(gap), step=0.003)
    own = ObjectSegment(segment.points, segment.mask & (np.abs(segment.points[:, 1]) < 0.016), TABLE)
    found = propose(own, top_down(0.0))
    assert {grasp.opening for grasp in found} == ({opening} if opening else set())


def test_aslant_does_not_pinch_an_edge_of_what_is_too_big() -> None:
    assert propose(seen_from_above(box(0.2, 0.2, 0.16)), oblique(0.0, 0.8)) == []


@pytest.mark.parametrize("bearing", [0.0, np.pi / 2, np.pi])
def test_the_fingers_close_across_the_line_of_sight_because_the_far_side_was_not_seen(bearing: float) -> None:
    segment = seen_from_above(box(0.05, 0.05, 0.06))
    eye = np.array([-1.0 * np.cos(bearing), -1.0 * np.sin(bearing), TABLE + 0.5])
    best = propose(replace(segment, eye=eye), top_down(0.0))[0]
    assert abs(best.T_map_grasp[:3, 1] @ replace(segment, eye=eye).sight) < np.sin(np.radians(20))


def test_a_long_thing_is_taken_across_its_middle_from_wherever_it_was_seen() -> None:
    segment = seen_from_above(box(0.30, 0.05, 0.05))
    for eye in ((0.0, -1.0, TABLE + 0.5), (-1.0, 0.0, TABLE + 0.5), (0.0, 0.0, TABLE + 1.0)):
        best = propose(replace(segment, eye=np.array(eye)), top_down(0.0))[0]
        assert abs(best.T_map_grasp[1, 1]) > np.cos(np.radians(16))
