"""Views for training: boxes follow the pixels, and the generator decides alone."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from openral_training.detector.augmentation import Augmentation, clipped, crop, flipped, training_view
from openral_training.detector.image_cache import ImageView
from openral_training.detector.splits import Objects

WHITE = 255


def white_box(x: int, y: int, width: int, height: int) -> ImageView:
    """A black image of 120x80 with one white box, which is its object."""
    pixels = np.zeros((80, 120, 3), np.uint8)
    pixels[y : y + height, x : x + width] = WHITE
    box = np.array([[x, y, x + width, y + height]], np.float32)
    return ImageView(pixels, Objects(box, np.array([4]), np.array([False])))


def bounds(pixels: np.ndarray) -> list[int]:
    """x_min, y_min, x_max, y_max of what is white."""
    rows, columns = np.nonzero((pixels > 200).all(axis=2))
    return [columns.min(), rows.min(), columns.max() + 1, rows.max() + 1]


@given(seed=st.integers(0, 10_000), scale=st.floats(0.4, 2.0))
def test_a_crop_keeps_boxes_on_their_pixels(seed: int, scale: float) -> None:
    rng = np.random.default_rng(seed)
    view = crop(white_box(40, 20, 36, 28), (96, 64), scale, 0.2, rng)
    assert view.pixels.shape == (64, 96, 3)
    if len(view.objects.boxes) and not view.objects.ignored[0]:
        np.testing.assert_allclose(view.objects.boxes[0], bounds(view.pixels), atol=2.0)


def test_flipping_twice_changes_nothing() -> None:
    view = white_box(10, 5, 20, 30)
    assert flipped(view).objects.boxes[0].tolist() == [90, 5, 110, 35]
    assert bounds(flipped(view).pixels) == [90, 5, 110, 35]
    np.testing.assert_array_equal(flipped(flipped(view)).objects.boxes, view.objects.boxes)


@pytest.mark.parametrize(("right_edge", "ignored"), [(60.0, [False]), (50.0, [True]), (40.5, [])])
def test_an_object_that_is_mostly_cut_off_is_ignored_and_a_sliver_dropped(
    right_edge: float, ignored: list[bool]
) -> None:
    objects = Objects(np.array([[40, 0, 80, 40]], np.float32), np.array([0]), np.array([False]))
    found = clipped(objects, np.array([0, 0, right_edge, 100], np.float32), least_visible=0.4)
    assert found.ignored.tolist() == ignored


def test_the_generator_decides_everything_and_seeds_differ() -> None:
    views = [white_box(10 * k, 10, 20, 20) for k in range(5)]
    always_mosaic = Augmentation(mosaic=1.0)

    def drawn(seed: int) -> ImageView:
        rng = np.random.default_rng(seed)
        return training_view(views.__getitem__, 2, len(views), (64, 64), always_mosaic, rng)

    np.testing.assert_array_equal(drawn(1).pixels, drawn(1).pixels)
    np.testing.assert_array_equal(drawn(1).objects.boxes, drawn(1).objects.boxes)
    assert (drawn(1).pixels != drawn(2).pixels).any()
    boxes = np.concatenate([drawn(seed).objects.boxes for seed in range(20)])
    assert boxes.min() >= 0
    assert boxes.max() <= 64


@pytest.mark.parametrize("size", [(64, 64), (60, 40), (240, 160)])
def test_a_whole_view_shows_every_object_uncut(size: tuple[int, int]) -> None:
    settings = Augmentation(mosaic=0.0, whole=1.0, colour=0.0, noise=0.0, blur=0.0)
    factor = min(size[0] / 120, size[1] / 80)
    for seed in range(20):
        rng = np.random.default_rng(seed)
        view = training_view(lambda _index: white_box(0, 20, 36, 60), 0, 1, size, settings, rng)
        assert view.objects.ignored.tolist() == [False]
        sides = view.objects.boxes[0, 2:] - view.objects.boxes[0, :2]
        np.testing.assert_allclose(sides, [36 * factor, 60 * factor], atol=1.0)
