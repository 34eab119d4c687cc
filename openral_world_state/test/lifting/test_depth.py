"""Depth segmentation and extents on hand-made depths and points."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from openral_world_state.lifting.depth import (
    estimate_extent,
    nearest_depth_cluster,
    quantile,
    without_support,
)

STEP = 1.0 / 500.0
EYE = np.array([0.0, 0.0, 1.0])


def depths(background: float = 2.0) -> NDArray[np.float64]:
    return np.full((40, 40), background)


def surface(
    center: tuple[float, float], size: tuple[float, float, float], yaw: float = 0.0
) -> NDArray[np.float64]:
    """Points in an upright box that stands on z = 0, shape (N, 3)."""
    x, y, z = (np.linspace(-0.5, 0.5, 12) * side for side in size)
    grid = np.stack(np.meshgrid(x, y, z + size[2] / 2.0), axis=-1).reshape(-1, 3)
    c, s = np.cos(yaw), np.sin(yaw)
    return grid @ np.array([[c, s, 0.0], [-s, c, 0.0], [0.0, 0.0, 1.0]]) + np.array([*center, 0.0])


@given(st.lists(st.floats(-100.0, 100.0), min_size=1), st.floats(0.0, 1.0))
def test_a_quantile_is_one_of_the_values_at_its_rank(values: list[float], fraction: float) -> None:
    assert quantile(np.array(values), fraction) == sorted(values)[round(fraction * (len(values) - 1))]


def test_the_nearest_cluster_that_spans_the_box_is_the_objects() -> None:
    depth = depths()
    depth[2:38, 5:35] = 1.0
    assert np.array_equal(nearest_depth_cluster(depth, STEP), depth == 1.0)


def test_a_few_near_pixels_are_not_the_object() -> None:
    depth = depths()
    depth[2:38, 5:35] = 1.0
    depth[20, 20:24] = 0.5
    assert np.array_equal(nearest_depth_cluster(depth, STEP), depth == 1.0)


def test_a_nearer_object_that_cuts_a_corner_is_not_the_object() -> None:
    depth = depths()
    depth[2:38, 5:35] = 1.0
    rows, columns = np.indices(depth.shape)
    depth[rows + columns > 50] = 0.6
    assert not nearest_depth_cluster(depth, STEP)[depth == 0.6].any()


@settings(deadline=None, max_examples=30)
@given(st.integers(0, 2**32 - 1), st.floats(0.0, 0.9))
def test_unknown_depths_are_never_part_of_the_object(seed: int, unknown: float) -> None:
    depth = depths()
    depth[4:36, 4:36] = 1.0
    depth[np.random.default_rng(seed).random(depth.shape) < unknown] = np.nan
    mask = nearest_depth_cluster(depth, STEP)
    assert mask.any()
    assert not mask[np.isnan(depth)].any()


def test_the_support_below_an_object_is_left_out() -> None:
    table = surface((0.0, 0.0), (0.5, 0.5, 0.0))[:200]
    object_points = surface((0.0, 0.0), (0.1, 0.1, 0.3))
    points = np.concatenate((table, object_points)) + np.array([0.0, 0.0, 0.8])
    above, height = without_support(points)
    assert height == pytest.approx(0.8)
    assert not above[: len(table)].any()
    assert above[len(table) :].mean() > 0.9


def test_a_flat_object_keeps_all_its_points() -> None:
    above, _ = without_support(surface((0.0, 0.0), (0.2, 0.2, 0.004)))
    assert above.all()


@settings(deadline=None, max_examples=50)
@given(
    st.floats(0.8, 2.0),
    st.floats(-0.5, 0.5),
    st.tuples(st.floats(0.2, 0.5), st.floats(0.05, 0.15), st.floats(0.05, 0.3)),
    st.floats(-1.5, 1.5),
)
def test_a_fully_visible_box_is_measured_as_it_is(
    x: float, y: float, size: tuple[float, float, float], yaw: float
) -> None:
    extent = estimate_extent(surface((x, y), size, yaw), EYE, 0.0)
    assert extent.size[2] == pytest.approx(size[2], abs=1e-6)
    assert extent.center[2] == pytest.approx(size[2] / 2.0, abs=1e-6)
    assert extent.size[0] == pytest.approx(size[0], abs=1e-3)
    assert abs(np.sin(extent.yaw - yaw)) < 0.01


def test_the_hidden_half_of_an_upright_cylinder_is_added() -> None:
    radius = 0.05
    angles, heights = np.meshgrid(np.linspace(np.pi / 2, 3 * np.pi / 2, 40), np.linspace(0.0, 0.2, 20))
    points = np.stack((1.0 + radius * np.cos(angles), radius * np.sin(angles), heights), axis=-1)
    extent = estimate_extent(points.reshape(-1, 3), EYE, 0.0)
    assert np.allclose(extent.size, (0.1, 0.1, 0.2), atol=0.005)
    assert np.allclose(extent.center, (1.0, 0.0, 0.1), atol=0.005)
    assert extent.hidden_depth == 0.0


def test_a_flat_front_stays_flat_and_its_depth_is_uncertain() -> None:
    front = surface((1.0, 0.0), (0.0, 0.3, 0.2))
    extent = estimate_extent(front, EYE, 0.0)
    assert extent.size[1] == pytest.approx(0.0, abs=1e-3)
    assert extent.hidden_depth == pytest.approx(0.1)
