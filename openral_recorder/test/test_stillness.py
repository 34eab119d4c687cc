"""A view is still while nothing changes in it but noise; a small thing that moves ends that."""

import numpy as np
from numpy.typing import NDArray

from openral_recorder.stillness import LINGER, Stillness

RANDOM = np.random.default_rng(7)


def noisy(image: NDArray[np.uint8]) -> NDArray[np.uint8]:
    return np.clip(image + RANDOM.normal(0.0, 8.0, image.shape), 0, 255).astype(np.uint8)


def room() -> NDArray[np.uint8]:
    image = np.full((480, 640, 3), 120, np.uint8)
    image[200:400, 100:300] = (60, 90, 140)
    return image


def test_noise_is_no_change() -> None:
    view = Stillness()
    for second in range(10):
        view.see("/head", noisy(room()), float(second))
    assert not view.is_still(LINGER / 2)
    assert view.is_still(10.0)


def test_a_cup_that_moves_ends_the_rest_for_a_while() -> None:
    view = Stillness()
    view.see("/head", room(), 0.0)
    with_cup = room()
    with_cup[300:324, 400:420] = (230, 230, 225)
    view.see("/head", noisy(with_cup), 10.0)
    assert not view.is_still(10.0 + LINGER)
    view.see("/head", noisy(with_cup), 11.0)
    assert view.is_still(10.1 + LINGER)


def test_one_camera_that_sees_a_change_wakes_all() -> None:
    view = Stillness()
    view.see("/head", room(), 0.0)
    view.see("/wrist", room(), 0.0)
    view.see("/wrist", 255 - room(), 10.0)
    view.see("/head", room(), 10.0)
    assert not view.is_still(10.5)


def test_without_a_colour_camera_nothing_is_still() -> None:
    assert not Stillness().is_still(100.0)


def test_a_camera_whose_size_changes_is_compared_afresh() -> None:
    view = Stillness()
    view.see("/head", room(), 0.0)
    view.see("/head", room()[:240], 10.0)
    assert not view.is_still(10.0)
