import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from openral_core.grasping.approach import (
    ApproachDirection,
    HandOrientation,
    frontal,
    hand_axes,
    mirrored,
    oblique,
    pregrasp_pose,
    top_down,
    wrist_rotations,
)

HEADINGS = st.floats(-np.pi, np.pi)
EVERY_KIND = [top_down(0.3), frontal(1.1), oblique(-2.0, 0.5)]


def posed(R: np.ndarray) -> np.ndarray:
    T = np.eye(4)
    T[:3, :3] = R
    return T


@pytest.mark.parametrize("approach", EVERY_KIND)
def test_approach_axes_are_a_rotation(approach: ApproachDirection) -> None:
    R = approach.R_map_approach
    assert np.allclose(R.T @ R, np.eye(3))
    assert np.linalg.det(R) == pytest.approx(1.0)


@given(heading=HEADINGS, pitch=st.floats(0.0, 1.4))
def test_from_aslant_points_down_by_its_pitch_along_its_heading(heading: float, pitch: float) -> None:
    forward = hand_axes(oblique(heading, pitch))[:, 2]
    level = np.cos(pitch) * np.array([np.cos(heading), np.sin(heading)])
    assert forward == pytest.approx([*level, -np.sin(pitch)])


@given(heading=HEADINGS)
def test_the_front_is_aslant_without_any_pitch_and_above_aslant_with_all_of_it(heading: float) -> None:
    front, above = frontal(heading), top_down(heading - np.pi / 2)
    assert np.allclose(front.R_map_approach, oblique(heading, 0.0).R_map_approach)
    assert np.allclose(above.R_map_approach, oblique(heading, np.pi / 2).R_map_approach)


@given(heading=HEADINGS, pitch=st.floats(0.0, 1.4), roll=st.floats(-3.1, 3.1), elsewhere=HEADINGS)
def test_a_hand_points_the_same_along_another_heading(
    heading: float, pitch: float, roll: float, elsewhere: float
) -> None:
    pointing = HandOrientation(pitch, roll)
    assert HandOrientation.of(pointing.axes(heading)) == HandOrientation(
        pytest.approx(pitch), pytest.approx(roll)
    )
    turned = pointing.axes(elsewhere).T @ pointing.axes(heading)
    about_up = pointing.axes(heading) @ turned @ pointing.axes(heading).T
    assert about_up[:, 2] == pytest.approx([0.0, 0.0, 1.0])


def test_says_what_points_level_and_what_points_down() -> None:
    level, aslant, down = (
        HandOrientation.of(hand_axes(approach)) for approach in (EVERY_KIND[1], EVERY_KIND[2], EVERY_KIND[0])
    )
    assert [item.is_level for item in (level, aslant, down)] == [True, False, False]
    assert [item.is_downward for item in (level, aslant, down)] == [False, False, True]
    rolled = HandOrientation.of(
        posed(hand_axes(EVERY_KIND[1]))[:3, :3] @ HandOrientation(0.0, np.pi / 2).axes(0.0).T
    )
    assert not rolled.is_level


@pytest.mark.parametrize(("approach", "ways"), [(EVERY_KIND[0], 2), (EVERY_KIND[1], 1), (EVERY_KIND[2], 2)])
def test_only_a_level_hand_goes_one_way_round(approach: ApproachDirection, ways: int) -> None:
    T = posed(hand_axes(approach))
    assert len(wrist_rotations(T)) == ways
    assert np.allclose(mirrored(mirrored(T)), T)
    assert np.allclose(mirrored(T)[:3, 2], T[:3, 2])


def test_backs_off_the_way_it_came() -> None:
    T = posed(hand_axes(oblique(0.0, np.pi / 6)))
    assert pregrasp_pose(T, 0.2)[:3, 3] == pytest.approx([-0.2 * np.cos(np.pi / 6), 0.0, 0.1])
