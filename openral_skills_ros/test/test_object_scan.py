"""The measured shape of an object: back-projection, its hidden body, and whether it has left its place."""

import numpy as np
import pytest

pytest.importorskip("rclpy")

from openral_core.geometry import Pose
from openral_core.grasping.segmentation import ObjectSegment
from openral_core.skill_errors import BadRequest
from openral_core.skill_requests import GraspRequest
from openral_skills_ros.backends.object_scan import (
    back_project,
    box_segment,
    is_still_there,
    with_hidden_body,
)

TABLE = 0.75


def slab(z: float, size: float = 0.06) -> np.ndarray:
    """Points of a square at a height, seen from above."""
    x, y = (grid.ravel() for grid in np.meshgrid(*[np.arange(-size / 2, size / 2, 0.004)] * 2))
    return np.column_stack([x, y, np.full(x.size, z)])


def seen_from_above(height: float) -> ObjectSegment:
    top, table = slab(TABLE + height), slab(TABLE, 0.2)
    points = np.vstack([top, table])
    return ObjectSegment(points, np.arange(len(points)) < len(top), TABLE)


def seen_from_the_side(bottom: float, top: float) -> np.ndarray:
    """Points of the near face of a box."""
    y, z = (
        grid.ravel() for grid in np.meshgrid(np.arange(-0.03, 0.03, 0.004), np.arange(bottom, top, 0.004))
    )
    return np.column_stack([np.full(y.size, -0.029), y, z])


def test_a_pixel_is_lifted_along_its_ray() -> None:
    depth = np.zeros((4, 6), np.float32)
    depth[1, 5], depth[0, 0] = 2.0, np.nan
    K = np.array([[4.0, 0.0, 3.0], [0.0, 2.0, 2.0], [0.0, 0.0, 1.0]])
    assert back_project(depth, K) == pytest.approx(np.array([[1.0, -1.0, 2.0]]))


def test_what_is_seen_from_above_reaches_down_to_its_support() -> None:
    own = with_hidden_body(seen_from_above(0.12)).own_points
    assert own[:, 2].max() == pytest.approx(TABLE + 0.12, abs=0.004)
    assert TABLE < own[:, 2].min() < TABLE + 0.02
    assert np.ptp(own[:, 0]) == pytest.approx(0.06, abs=0.008)


@pytest.mark.parametrize(
    ("points", "expected"),
    [
        (slab(TABLE + 0.12), True),
        (slab(TABLE), False),
        (slab(TABLE + 0.22), False),
        (seen_from_the_side(TABLE, TABLE + 0.12), True),
        (seen_from_the_side(TABLE + 0.10, TABLE + 0.22), False),
        (np.zeros((0, 3)), False),
    ],
    ids=["same top", "table", "lifted top", "same side", "lifted side", "nothing seen"],
)
def test_an_object_is_still_there_if_its_top_or_its_lower_part_is(points: np.ndarray, expected: bool) -> None:
    assert is_still_there(with_hidden_body(seen_from_above(0.12)), points, lift=0.10) is expected


def test_without_a_camera_the_box_of_the_request_stands_for_the_object() -> None:
    request = GraspRequest(Pose.planar(1.0, 2.0, 0.5, TABLE + 0.05), (0.04, 0.20, 0.10), "book")
    segment = box_segment(request)
    assert segment.support == pytest.approx(TABLE)
    assert segment.own_points.mean(axis=0) == pytest.approx([1.0, 2.0, TABLE + 0.05], abs=0.015)
    with pytest.raises(BadRequest, match="needs size_x, size_y and size_z"):
        box_segment(GraspRequest(request.target, (0.04, 0.0, 0.10), "book"))
