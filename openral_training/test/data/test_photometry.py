"""Appearance of rendered images."""

import cv2
import numpy as np

from openral_training.data.photometry import CONFIG, develop, encode_depth, encode_jpeg

GREY = np.full((48, 64, 3), 120, np.uint8)


def test_exposure_and_colours_vary_around_those_of_the_home() -> None:
    means = np.array([develop(GREY, np.random.default_rng(seed)).mean(axis=(0, 1)) for seed in range(200)])
    assert abs(float(np.log(means / 120).mean())) < 0.1
    assert 0.1 < float(np.log(means.mean(axis=1) / 120).std()) < 0.35
    assert float((means[:, 0] / means[:, 2]).std()) > 0.03


def test_a_developed_image_depends_on_the_generator_alone() -> None:
    first, again, other = (develop(GREY, np.random.default_rng(seed)) for seed in (5, 5, 6))
    assert np.array_equal(first, again)
    assert not np.array_equal(first, other)


def test_blur_does_not_move_an_edge() -> None:
    image = np.zeros((48, 65, 3), np.uint8)
    image[:, 20:45] = 255
    centres = []
    for seed in range(100):
        grey = develop(image, np.random.default_rng(seed)).astype(float).mean(axis=(0, 2))
        weights = np.clip(grey - grey.min() - 10, 0, None)
        centres.append(float((weights * np.arange(65)).sum() / weights.sum()))
    assert np.allclose(centres, 32.0, atol=0.5)


def test_depth_is_kept_to_the_millimetre_and_unknown_stays_unknown() -> None:
    depth = np.array([[0.0, 0.0104, 1.2346], [3.0, 17.9, 70.0]], np.float32)
    kept = cv2.imdecode(np.frombuffer(encode_depth(depth), np.uint8), cv2.IMREAD_UNCHANGED)
    assert kept.tolist() == [[0, 10, 1235], [3000, 17900, 65535]]


def test_jpeg_keeps_the_order_of_colours_at_every_quality() -> None:
    red = GREY.copy()
    red[..., 0] = 240
    sizes = set()
    for seed in range(8):
        data = encode_jpeg(red, np.random.default_rng(seed))
        sizes.add(len(data))
        decoded = cv2.imdecode(np.frombuffer(data, np.uint8), cv2.IMREAD_COLOR)
        assert abs(int(decoded[24, 32, 2]) - 240) < 12
    assert len(sizes) > 1
    assert CONFIG.jpeg[0] >= 50
