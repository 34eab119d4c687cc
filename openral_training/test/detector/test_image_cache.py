"""Decoded images: fitted, appended, resumed, and refused."""

import errno
import os
import resource
from collections.abc import Callable, Iterator
from pathlib import Path

import cv2
import numpy as np
import pytest

from openral_training.detector.coco import read_split
from openral_training.detector.image_cache import (
    GREY,
    CacheNotWritten,
    DecodedImages,
    UnreadableImage,
    open_cache,
)

Shapes = Callable[..., Path]


def opened(data: Path, file: Path, size: tuple[int, int] = (48, 64)) -> tuple[DecodedImages, list[int]]:
    decoded: list[int] = []
    images = read_split(data, "train").images
    return open_cache(file, images, size, lambda done, _total: decoded.append(done)), decoded


def test_images_are_fitted_and_their_boxes_with_them(tmp_path: Path, shapes: Shapes) -> None:
    cache, _ = opened(shapes(), tmp_path / "train.u8")
    view, original = cache.view(3), cache.images[3]
    assert view.pixels.shape == (32, 48, 3)
    np.testing.assert_allclose(view.objects.boxes, original.objects.boxes / 2)
    assert (cache.padded(3)[32:] == GREY).all()
    x, y = view.objects.boxes[0].reshape(2, 2).mean(axis=0).astype(int)
    source = cv2.imread(str(original.file))[2 * y, 2 * x, ::-1]
    np.testing.assert_array_equal(view.pixels[y, x], source)


def test_a_smaller_image_is_not_enlarged(tmp_path: Path, shapes: Shapes) -> None:
    cache, _ = opened(shapes(), tmp_path / "train.u8", (640, 480))
    assert cache.view(0).pixels.shape == (64, 96, 3)
    assert cache.scale(0) == 1.0


def test_a_second_opening_decodes_nothing_and_an_interrupted_one_goes_on(
    tmp_path: Path, shapes: Shapes
) -> None:
    data, file = shapes(70), tmp_path / "train.u8"
    first, decoded = opened(data, file)
    before = [first.padded(index).copy() for index in range(70)]
    assert decoded == [64, 70]
    assert opened(data, file)[1] == []
    os.truncate(file, 66 * 48 * 64 * 3 + 5)
    resumed, decoded = opened(data, file)
    assert decoded == [70]
    assert all((resumed.padded(index) == before[index]).all() for index in range(70))


def test_a_changed_image_is_decoded_again(tmp_path: Path, shapes: Shapes) -> None:
    data, file = shapes(), tmp_path / "train.u8"
    opened(data, file)
    cv2.imwrite(str(data / "train" / "images" / "11.png"), np.full((64, 96, 3), 7, np.uint8))
    cache, _ = opened(data, file)
    assert (cache.view(11).pixels == 7).all()


def test_a_file_that_is_no_image_is_named(tmp_path: Path, shapes: Shapes) -> None:
    data = shapes()
    (data / "train" / "images" / "5.png").write_bytes(b"no image")
    with pytest.raises(UnreadableImage, match=r"5\.png: it cannot be decoded"):
        opened(data, tmp_path / "train.u8")
    cv2.imwrite(str(data / "train" / "images" / "5.png"), np.zeros((10, 10, 3), np.uint8))
    with pytest.raises(UnreadableImage, match="it is 10x10, its annotation says 96x64"):
        opened(data, tmp_path / "train.u8")


@pytest.fixture
def little_space() -> Iterator[None]:
    """Files cannot grow beyond 60 kB: a disk that becomes full."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (60_000, before[1]))
    yield
    resource.setrlimit(resource.RLIMIT_FSIZE, before)


def test_a_full_disk_is_an_error_that_says_how_much_is_needed(
    tmp_path: Path, shapes: Shapes, request: pytest.FixtureRequest
) -> None:
    data, file = shapes(), tmp_path / "train.u8"
    request.getfixturevalue("little_space")
    with pytest.raises(CacheNotWritten, match="it needs 0 MB in total") as caught:
        opened(data, file)
    assert os.strerror(errno.EFBIG) in str(caught.value)
