import numpy as np
import pytest

from openral_core.arrays import Points
from openral_core.grasping.segmentation import NoObjectFound, segment_object

TABLE = 0.75


def scan(*boxes: tuple[float, float, float, float], noise: float = 0.0) -> Points:
    """Points of a table and of boxes (x, y, half, height) on it, seen from above."""
    x, y = (grid.ravel() for grid in np.meshgrid(*[np.arange(-0.2, 0.2, 0.004)] * 2))
    z = np.full(len(x), TABLE)
    for cx, cy, half, height in boxes:
        z[(np.abs(x - cx) < half) & (np.abs(y - cy) < half)] = TABLE + height
    return np.column_stack([x, y, z + np.random.default_rng(0).normal(0, noise, len(z))])


def test_cuts_out_the_thing_nearest_to_where_it_is_expected() -> None:
    segment = segment_object(
        scan((0.0, 0.0, 0.03, 0.1), (0.12, 0.0, 0.03, 0.1)), np.array([0.02, 0.01, 0.8]), TABLE
    )
    assert segment.own_points[:, 0].max() < 0.04
    assert segment.own_points[:, 0].min() > -0.04


def test_finds_the_support_even_when_its_height_was_told_wrong() -> None:
    segment = segment_object(scan((0.0, 0.0, 0.03, 0.1), noise=0.0005), np.zeros(3), TABLE + 0.03)
    assert segment.support == pytest.approx(TABLE, abs=0.003)


def test_says_that_nothing_stands_there() -> None:
    with pytest.raises(NoObjectFound, match=r"no object within 5 cm of \(0.00, 0.00, 0.80\)"):
        segment_object(scan((0.15, 0.15, 0.02, 0.1)), np.array([0.0, 0.0, 0.8]), TABLE)


def test_an_empty_table_shows_nothing() -> None:
    with pytest.raises(NoObjectFound):
        segment_object(scan(), np.array([0.0, 0.0, 0.8]), TABLE)


def test_a_single_point_is_no_thing() -> None:
    points = scan()
    points[np.linalg.norm(points[:, :2], axis=1).argmin(), 2] += 0.05
    with pytest.raises(NoObjectFound):
        segment_object(points, np.array([0.0, 0.0, 0.8]), TABLE)


def test_what_the_thing_leans_on_is_no_part_of_it() -> None:
    touching = scan((0.0, 0.0, 0.03, 0.1), (0.11, 0.0, 0.08, 0.2))
    at = np.array([0.0, 0.0, 0.8])
    assert segment_object(touching, at, TABLE).own_points[:, 0].max() > 0.15
    segment = segment_object(touching, at, TABLE, within=0.06)
    assert segment.own_points[:, 0].max() < 0.06
    assert len(segment.points) == len(touching)
