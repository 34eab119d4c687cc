"""Clusters of hand-made depths."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from openral_world_state.box_depth import nearest_depth_cluster, quantile

STEP = 1.0 / 500.0


def depths(background: float = 2.0) -> NDArray[np.float64]:
    return np.full((40, 40), background)


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
