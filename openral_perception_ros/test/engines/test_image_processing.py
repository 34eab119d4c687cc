import json
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image

from openral_core.detectors import Box
from openral_perception_ros.engines import BadDetections
from openral_perception_ros.engines.image_processing import (
    Candidates,
    InvalidPreprocessing,
    Preprocessing,
    ResizeMode,
    halved,
    letterbox_transform,
    make_candidates,
    non_max_suppression,
)

side = st.integers(8, 2000)
part = st.floats(0.0, 1.0)


@given(st.sampled_from(ResizeMode), side, side, side, side, part, part)
def test_a_point_of_the_source_comes_back_where_it_was(
    kind: ResizeMode, width: int, height: int, model_width: int, model_height: int, x: float, y: float
) -> None:
    fit = letterbox_transform(kind, (width, height), (model_width, model_height))
    offset, content = fit.offset, fit.content
    in_model = [(offset[0] + x * content[0]) / model_width, (offset[1] + y * content[1]) / model_height]
    back = fit.to_source(np.array([[*in_model, *in_model]]))
    np.testing.assert_allclose(back, [[x * width, y * height] * 2], atol=1e-6)


@given(side, side, side, side)
def test_a_letterbox_keeps_the_aspect_ratio_to_a_pixel(
    width: int, height: int, model_width: int, model_height: int
) -> None:
    fit = letterbox_transform(ResizeMode.LETTERBOX, (width, height), (model_width, model_height))
    assert fit.content[0] <= model_width
    assert fit.content[1] <= model_height
    scale = min(model_width / width, model_height / height)
    assert abs(fit.content[0] - width * scale) <= 1.0
    assert abs(fit.content[1] - height * scale) <= 1.0


def test_pixels_are_scaled_and_normalised_as_the_checkpoint_says() -> None:
    preprocessing = Preprocessing(
        size={"height": 2, "width": 4},
        do_normalize=True,
        image_mean=(0.5, 0.5, 0.5),
        image_std=(0.5, 0.25, 1.0),
    )
    pixels, _ = preprocessing.apply(np.full((7, 9, 3), 255, np.uint8), ResizeMode.STRETCH)
    assert pixels.shape == (1, 3, 2, 4)
    np.testing.assert_allclose(pixels[0, :, 0, 0], [1.0, 2.0, 0.5])


def test_a_letterbox_is_grey_beside_the_image() -> None:
    preprocessing = Preprocessing(size={"height": 10, "width": 10}, do_rescale=False)
    pixels, fit = preprocessing.apply(np.zeros((10, 20, 3), np.uint8), ResizeMode.LETTERBOX)
    assert fit.content == (10, 5)
    assert (pixels[0, :, :5] == 0).all()
    assert (pixels[0, :, 5:] == 114).all()


@pytest.mark.parametrize(
    ("source", "size", "expected"),
    [
        ((1920, 1080), (640, 360), (960, 540)),
        ((1920, 1080), (416, 416), (960, 540)),
        ((2560, 1440), (640, 360), (640, 360)),
        ((1920, 1080), (640, 640), (1920, 1080)),
        ((1281, 961), (320, 240), (1281, 961)),
        ((640, 480), (640, 480), (640, 480)),
    ],
)
def test_a_large_image_is_halved_first_and_looks_the_same(
    source: tuple[int, int], size: tuple[int, int], expected: tuple[int, int]
) -> None:
    y, x = np.mgrid[: source[1], : source[0]]
    waves = 128 + 100 * np.sin(x / 9.0) * np.cos(y / 7.0)
    rgb = np.stack([waves, waves[::-1], waves[:, ::-1]], axis=2).astype(np.uint8)
    smaller = halved(rgb, size)
    assert smaller.shape == (expected[1], expected[0], 3)
    whole, rest = (np.asarray(Image.fromarray(each).resize(size, 2), int) for each in (rgb, smaller))
    assert np.abs(whole - rest).mean() < 1.5


@pytest.mark.parametrize(
    ("source", "model"),
    [
        ((640, 480), (1066, 800)),
        ((480, 640), (800, 1066)),
        ((1920, 1080), (1333, 750)),
        ((50, 50), (800, 800)),
    ],
)
def test_two_edges_keep_the_aspect_ratio(source: tuple[int, int], model: tuple[int, int]) -> None:
    preprocessing = Preprocessing(size={"shortest_edge": 800, "longest_edge": 1333})
    pixels, fit = preprocessing.apply(np.zeros((source[1], source[0], 3), np.uint8), ResizeMode.STRETCH)
    assert (fit.model, pixels.shape) == (model, (1, 3, model[1], model[0]))


@pytest.mark.parametrize("content", ["", "{}", json.dumps({"size": {"shortest_edge": 800}})])
def test_a_file_that_names_no_size_is_refused(tmp_path: Path, content: str) -> None:
    (tmp_path / "preprocessor_config.json").write_text(content)
    with pytest.raises(InvalidPreprocessing, match="unsupported preprocessing"):
        Preprocessing.read(tmp_path)


def logit(score: float) -> float:
    return float(np.log(score / (1.0 - score)))


def test_the_best_pairs_of_query_and_class_come_first() -> None:
    logits = np.array([[logit(0.6), logit(0.9)], [logit(0.2), logit(0.1)]], np.float32)
    boxes = np.array([[0.5, 0.5, 0.2, 0.4], [0.1, 0.1, 0.1, 0.1]], np.float32)
    found = make_candidates(logits, boxes, 0.3)
    assert found.classes.tolist() == [1, 0]
    np.testing.assert_allclose(found.scores, [0.9, 0.6], atol=1e-6)
    np.testing.assert_allclose(found.corners, [[0.4, 0.3, 0.6, 0.7]] * 2, atol=1e-6)


def test_no_more_candidates_than_queries() -> None:
    assert len(make_candidates(np.full((3, 50), 4.0), np.full((3, 4), 0.5), 0.3).scores) == 3


@pytest.mark.parametrize("broken", ["logits", "boxes"])
def test_numbers_that_are_none_are_an_error_and_not_an_empty_view(broken: str) -> None:
    arrays = {"logits": np.zeros((2, 2)), "boxes": np.zeros((2, 4))}
    arrays[broken][0, 0] = np.nan
    with pytest.raises(BadDetections):
        make_candidates(arrays["logits"], arrays["boxes"], 0.3)


def overlapping() -> Candidates:
    corners = np.array([[0.1, 0.1, 0.5, 0.5], [0.12, 0.1, 0.5, 0.5], [0.7, 0.7, 0.9, 0.9]])
    return Candidates(corners, np.array([0.9, 0.8, 0.7]), np.array([0, 1, 0]))


@pytest.mark.parametrize(("across", "kept"), [(True, [0.9, 0.7]), (False, [0.9, 0.8, 0.7])])
def test_overlaps_go_within_a_class_or_across_all(across: bool, kept: list[float]) -> None:
    assert non_max_suppression(overlapping(), 0.5, across).scores.tolist() == kept


@given(st.lists(st.tuples(*[st.floats(0.0, 1.0)] * 4, st.floats(0.01, 1.0)), max_size=30))
def test_what_is_kept_never_overlaps_more_than_allowed(rows: list[tuple[float, ...]]) -> None:
    rows = [row for row in rows if row[2] > 0.01 and row[3] > 0.01]
    table = np.array(sorted(rows, key=lambda row: -row[4]), np.float64).reshape(-1, 5)
    corners = np.hstack([table[:, :2], table[:, :2] + table[:, 2:4]])
    kept = non_max_suppression(Candidates(corners, table[:, 4], np.zeros(len(table), np.int64)), 0.5, True)
    boxes = [Box(*map(float, corner)) for corner in kept.corners]
    assert all(a.iou(b) <= 0.5 + 1e-3 for i, a in enumerate(boxes) for b in boxes[:i])
    assert not len(table) or boxes
