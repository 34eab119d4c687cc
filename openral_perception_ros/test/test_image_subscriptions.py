"""Images that are too dark or too bright to show anything."""

import numpy as np
import pytest

from openral_perception_ros.image_subscriptions import is_blank

RNG = np.random.default_rng(0)


def grey(level: int, noise: int = 0, shape: tuple[int, int] = (480, 640)) -> np.ndarray:
    return (level + RNG.integers(0, noise + 1, (*shape, 3))).astype(np.uint8)


@pytest.mark.parametrize(
    "picture",
    [
        pytest.param(grey(0), id="black"),
        pytest.param(grey(255), id="white"),
        pytest.param(grey(90, 2), id="grey, as a codec rounds it"),
        pytest.param(grey(0, 8), id="a covered lens, its sensor's noise"),
        pytest.param(np.full((480, 640, 3), (0, 135, 0), np.uint8), id="green of a broken decoder"),
        pytest.param(grey(0, shape=(1, 1)), id="one pixel"),
    ],
)
def test_nothing_is_shown_by(picture: np.ndarray) -> None:
    assert is_blank(picture)


def wall(level: int) -> np.ndarray:
    """A plain wall, lit a little more on one side."""
    return np.repeat((level + np.linspace(0, 6, 640).astype(np.uint8))[None, :, None], 480, 0).repeat(3, 2)


def with_a_mug(picture: np.ndarray) -> np.ndarray:
    picture[201:206, 301:306] = (180, 30, 30)
    return picture


@pytest.mark.parametrize(
    "picture",
    [
        pytest.param(wall(120), id="a plain wall"),
        pytest.param(with_a_mug(grey(120)), id="something small on one colour"),
        pytest.param(grey(0, 40), id="a dim room"),
        pytest.param(grey(240, 15), id="a bright one"),
    ],
)
def test_something_is_shown_by(picture: np.ndarray) -> None:
    assert not is_blank(picture)
