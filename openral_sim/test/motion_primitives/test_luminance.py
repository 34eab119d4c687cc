import numpy as np
import pytest

from openral_sim.motion_primitives.luminance import (
    BOUNDS,
    MIN_CHANGE,
    NotInImage,
    mean_luminance,
    state_by_luminance,
    was_switched,
)

GREY, WHITE = 51, 255


def image() -> np.ndarray:
    """A grey image with a white square from (40, 20) to (79, 59)."""
    rgb = np.full((100, 160, 3), GREY, np.uint8)
    rgb[20:60, 40:80] = WHITE
    return rgb


def test_measures_the_middle_of_a_part_and_not_its_surroundings() -> None:
    assert mean_luminance(image(), np.array([(40.0, 20.0), (79.0, 59.0)])) == pytest.approx(1.0)
    assert mean_luminance(image(), np.array([(100.0, 20.0), (150.0, 90.0)])) == pytest.approx(0.2)


def test_green_counts_more_than_red_and_blue() -> None:
    corners = np.array([(0.0, 0.0), (20.0, 20.0)])
    levels = [
        mean_luminance(np.full((20, 20, 3), np.eye(3, dtype=np.uint8)[channel] * 255), corners)
        for channel in range(3)
    ]
    assert levels[1] > levels[0] > levels[2]
    assert sum(levels) == pytest.approx(1.0)


@pytest.mark.parametrize("corners", [[(-90, -90), (-10, -10)], [(50, 30), (52, 31)], [(155, 50), (300, 51)]])
def test_a_part_outside_the_image_or_too_small_is_not_judged(corners: list[tuple[int, int]]) -> None:
    with pytest.raises(NotInImage, match="pixels show the part"):
        mean_luminance(image(), np.array(corners, float))


@pytest.mark.parametrize("kind", ["lamp", "screen"])
def test_one_look_tells_only_beyond_the_bounds(kind: str) -> None:
    bounds = BOUNDS[kind]
    assert state_by_luminance(bounds.lit, kind) is True
    assert state_by_luminance(bounds.dark, kind) is False
    assert state_by_luminance((bounds.lit + bounds.dark) / 2, kind) is None


@pytest.mark.parametrize("on", [True, False])
def test_only_a_clear_change_in_the_right_direction_proves_a_switch(on: bool) -> None:
    sign = 1.0 if on else -1.0
    assert was_switched(0.5, 0.5 + sign * (MIN_CHANGE + 0.01), on)
    assert not was_switched(0.5, 0.5 + sign * (MIN_CHANGE - 0.01), on)
    assert not was_switched(0.5, 0.5 - sign * (MIN_CHANGE + 0.01), on)
