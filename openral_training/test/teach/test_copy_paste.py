from collections import Counter

import cv2
import numpy as np
import pytest

from openral_training.teach.copy_paste import Cutout, Cutouts, Row, cut_out, with_pasted

BACKGROUND = np.random.default_rng(0).integers(90, 130, (96, 128, 3)).astype(np.uint8)


def ball() -> np.ndarray:
    """A red ball of 24 px on the background."""
    return cv2.circle(BACKGROUND.copy(), (52, 52), 12, (230, 20, 20), cv2.FILLED)


def pasted_into(seed: int, rows: list[Row]) -> tuple[np.ndarray, list[Row]]:
    square = Cutout(np.full((20, 20, 3), 255, np.uint8), np.ones((20, 20), np.float32))
    balls = Cutouts({"ball": [square]}, {"ball": 1.0})
    return with_pasted(BACKGROUND, rows, [balls], np.random.default_rng(seed))


def test_cuts_an_object_out_of_its_background() -> None:
    found = cut_out(ball(), (40.0, 40.0, 25.0, 25.0))
    assert found is not None
    assert found.pixels.shape == (25, 25, 3)
    assert found.opacity[12, 12] == 1.0
    assert found.opacity[[0, 0, -1, -1], [0, -1, 0, -1]].max() < 0.3


def test_an_object_of_few_pixels_is_not_pasted() -> None:
    assert cut_out(ball(), (40.0, 40.0, 25.0, 5.0)) is None


def test_what_fills_the_image_is_not_cut_out() -> None:
    assert cut_out(ball(), (0.0, 0.0, 128.0, 96.0)) is None
    assert cut_out(ball(), (-3.0, -3.0, 140.0, 110.0)) is None


def test_pasted_objects_are_labelled_where_they_are() -> None:
    for seed in range(20):
        pixels, rows = pasted_into(seed, [("mug", (30.0, 40.0, 12.0, 16.0), False)])
        changed = (pixels != BACKGROUND).any(axis=2)
        for _, (x, y, width, height), _ in rows[1:]:
            assert 0 <= x <= x + width <= 128
            assert 0 <= y <= y + height <= 96
            changed[int(y) : int(y + height), int(x) : int(x + width)] = False
        assert not changed.any()
    assert {label for label, _, _ in rows} == {"mug", "ball"}


def test_the_same_seed_pastes_the_same() -> None:
    first, second = (pasted_into(3, []) for _ in range(2))
    assert first[1] == second[1]
    np.testing.assert_array_equal(first[0], second[0])


def test_what_a_pasted_object_hides_is_ignored() -> None:
    small = [
        ("pea", (float(x), float(y), 2.0, 2.0), False) for x in range(0, 126, 4) for y in range(0, 94, 4)
    ]
    _, rows = pasted_into(1, small)
    _, (x, y, width, height), _ = rows[-1]
    inside = [
        ignored
        for label, (left, top, _, _), ignored in rows
        if label == "pea" and x <= left <= x + width - 2 and y <= top <= y + height - 2
    ]
    assert inside
    assert all(inside)
    assert not all(ignored for label, _, ignored in rows if label == "pea")


def test_labels_are_drawn_by_their_weights() -> None:
    square = Cutout(np.zeros((20, 20, 3), np.uint8), np.ones((20, 20), np.float32))
    kind = Cutouts({"lemon": [square], "mug": [square]}, {"lemon": 3.0, "mug": 1.0})
    rng = np.random.default_rng(0)
    assert sum(kind.draw(rng)[0] == "lemon" for _ in range(400)) == pytest.approx(300, abs=30)


def test_objects_of_each_kind_are_pasted() -> None:
    square = Cutout(np.zeros((20, 20, 3), np.uint8), np.ones((20, 20), np.float32))
    kinds = [Cutouts({label: [square]}, {label: 1.0}) for label in ("ball", "lemon")]
    pasted = [with_pasted(BACKGROUND, [], kinds, np.random.default_rng(seed))[1] for seed in range(20)]
    counts = Counter(label for rows in pasted for label in {label for label, _, _ in rows})
    assert min(counts["ball"], counts["lemon"]) >= 17  # one without room above it is left out
