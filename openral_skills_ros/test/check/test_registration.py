"""Shift between edges of depth and of colour."""

import numpy as np
import pytest

from openral_skills_ros.check.registration import alignment


def pictures(right: int, down: int) -> tuple[np.ndarray, np.ndarray]:
    """A picture of a few bodies, and their depth moved by some pixels."""
    colour, depth = np.full((240, 320, 3), 40, np.uint8), np.full((240, 320), 3.0, np.float32)
    for x, y, width, height in ((60, 50, 50, 70), (150, 80, 40, 100), (230, 60, 50, 50)):
        colour[y : y + height, x : x + width] = (200, 180, 90)
        depth[y + down : y + down + height, x + right : x + right + width] = 1.0
    return colour, depth


@pytest.mark.parametrize(("right", "down"), [(0, 0), (20, 0), (-16, 10), (0, -24)])
def test_the_shift_is_measured_in_parts_of_the_width(right: int, down: int) -> None:
    assert alignment(*pictures(right, down)) == pytest.approx((right / 320, down / 320), abs=0.01)


def test_a_blank_wall_says_nothing() -> None:
    assert alignment(np.full((240, 320, 3), 90, np.uint8), np.full((240, 320), 2.0, np.float32)) is None


def test_depth_of_another_resolution_is_compared_too() -> None:
    colour, depth = pictures(20, 0)
    assert alignment(colour, depth[::2, ::2]) == pytest.approx((20 / 320, 0.0), abs=0.015)
