"""Poses corrected by the upright surfaces that depth images show."""

from collections.abc import Mapping
from pathlib import Path

import numpy as np
import pytest

from openral_core.geometry import yaw_matrix
from openral_mapping.floor.depth_mapper import InvalidMapFile
from openral_mapping.floor.scan_matching import MATCHING, ScanMatcher, surfaces_path
from openral_mapping.floor.surfaces import UprightSurfaces
from openral_testing.synthetic_depth import Block, Plane, SyntheticDepthImage, look_at_pose, render_depth

SIZE = 160, 120
FLOOR: Mapping[str, Plane] = {"_floor": Plane((0.0, 0.0, 1.0), 0.0)}
CORNER = {
    "wall_x": Block((3.0, 0.0, 1.0), (0.1, 6.0, 2.0)),
    "wall_y": Block((0.0, 2.5, 1.0), (6.0, 0.1, 2.0)),
    "box": Block((2.0, -0.8, 0.3), (0.5, 0.5, 0.6)),
}
CORRIDOR = {"wall_y": Block((0.0, 1.0, 1.0), (40.0, 0.1, 2.0))}


def shot(bodies: Mapping[str, Block], base: np.ndarray, towards: float = 0.4) -> SyntheticDepthImage:
    heading = np.arctan2(base[1, 0], base[0, 0]) + towards
    eye = base[:3, 3] + (0.0, 0.0, 1.2)
    ahead = eye + np.array([2.0 * np.cos(heading), 2.0 * np.sin(heading), -0.6])
    return render_depth({**FLOOR, **bodies}, look_at_pose(tuple(eye), tuple(ahead)), SIZE)


def matched(
    matcher: ScanMatcher, bodies: Mapping[str, Block], true: np.ndarray, error: np.ndarray
) -> np.ndarray:
    """Return what is left of the error of a pose after an image, as (x, y) in [m] and an angle [rad]."""
    image = shot(bodies, true)
    rays = image.view.depth_intrinsics.image_rays()
    found = matcher.correction(image.view.depth, rays, error @ image.view.T_map_camera, error @ true)
    left = found @ error @ true @ np.linalg.inv(true)
    at = (left @ true)[:2, 3] - true[:2, 3]
    return np.array([*at, np.arctan2(left[1, 0], left[0, 0])])


def drifted(x: float, y: float, yaw: float, at: np.ndarray) -> np.ndarray:
    """Return the motion by an error of a pose, in the frame of the base."""
    return np.asarray(at @ yaw_matrix(x, y, yaw) @ np.linalg.inv(at))


def walked(bodies: Mapping[str, Block]) -> tuple[ScanMatcher, np.ndarray]:
    """Return a matcher that has seen the scene from a few places without an error, and the last place."""
    matcher = ScanMatcher()
    for step in range(5):
        base = yaw_matrix(0.1 * step, 0.0, 0.0)
        assert np.abs(matched(matcher, bodies, base, np.eye(4))).max() < 5e-3
    return matcher, base


@pytest.mark.parametrize("error", [(0.04, 0.03, 0.0), (-0.03, 0.02, 0.03), (0.0, -0.05, -0.03)])
def test_an_error_of_the_odometry_is_found_in_a_corner(error: tuple[float, float, float]) -> None:
    matcher, base = walked(CORNER)
    true = base @ yaw_matrix(1.0, 0.0, 0.3)  # after a metre, that much is likely
    x, y, yaw = matched(matcher, CORNER, true, drifted(*error, true))
    assert np.hypot(x, y) < 0.015
    assert abs(yaw) < 0.008


def test_along_a_bare_wall_only_distance_and_heading_are_corrected() -> None:
    matcher, base = walked(CORRIDOR)
    true = base @ yaw_matrix(0.5, 0.0, 0.0)
    x, y, yaw = matched(matcher, CORRIDOR, true, drifted(0.05, 0.03, 0.02, true))
    assert abs(y) < 0.01
    assert abs(yaw) < 0.01
    assert x == pytest.approx(0.05, abs=0.01), "the image says nothing about it, so the odometry counts"


def test_the_other_side_of_a_thin_wall_is_not_taken_for_this_one() -> None:
    here = UprightSurfaces(
        np.array([[2.95, y] for y in np.arange(-1.0, 1.0, 0.02)]), np.tile((-1.0, 0.0), (100, 1))
    )
    matcher = ScanMatcher(earlier=here)
    thin = {"wall_x": Block((3.0, 0.0, 1.0), (0.1, 6.0, 2.0))}
    behind = yaw_matrix(5.0, 0.0, np.pi - 0.4)
    assert np.abs(matched(matcher, thin, behind, np.eye(4))).max() < 1e-9
    moved = behind @ yaw_matrix(0.3, 0.0, 0.0)
    assert np.abs(matched(matcher, thin, moved, np.eye(4))).max() < 5e-3


def test_without_motion_or_surfaces_nothing_is_corrected() -> None:
    matcher, base = walked(CORNER)
    error = drifted(0.03, 0.0, 0.0, base)
    image = shot(CORNER, base)
    rays = image.view.depth_intrinsics.image_rays()
    same = matcher.correction(image.view.depth, rays, image.view.T_map_camera, base)
    assert np.array_equal(same, np.eye(4))
    empty = np.full(image.view.depth.shape, np.nan, np.float32)
    assert np.array_equal(
        matcher.correction(empty, rays, error @ image.view.T_map_camera, error @ base), np.eye(4)
    )


@pytest.mark.parametrize("jump", [(0.5, 0.0, 0.0), (0.35, -0.35, 0.26), (-0.5, 0.1, -0.26)])
def test_a_jump_that_no_wheel_makes_is_found_at_once(jump: tuple[float, float, float]) -> None:
    matcher, base = walked(CORNER)
    true = base @ yaw_matrix(0.1, 0.0, 0.0)
    x, y, yaw = matched(matcher, CORNER, true, drifted(*jump, true))
    assert np.hypot(x, y) < 0.03
    assert abs(yaw) < 0.02
    assert not matcher.is_lost


def test_a_jump_along_a_bare_wall_leaves_the_robot_lost_for_a_bounded_time_and_the_map_as_it_is() -> None:
    matcher, base = walked(CORRIDOR)
    known = matcher.surfaces
    error = drifted(0.0, 0.5, 0.26, base)
    for images in range(1, MATCHING.patience + 2):
        true = base @ yaw_matrix(0.01 * images, 0.0, 0.0)
        matched(matcher, CORRIDOR, true, error)
        if not matcher.is_lost:
            break
        assert len(matcher.surfaces.points) == len(known.points)
    assert images == MATCHING.patience + 1


def test_a_turn_to_what_was_never_seen_is_no_jump() -> None:
    matcher, base = walked(CORNER)
    image = shot(CORNER, base, towards=-1.4)
    rays = image.view.depth_intrinsics.image_rays()
    matcher.correction(image.view.depth, rays, image.view.T_map_camera, base @ yaw_matrix(0.0, 0.0, -1.8))
    assert not matcher.is_lost


def test_a_robot_that_is_switched_on_again_knows_the_surfaces(tmp_path: Path) -> None:
    matcher, base = walked(CORNER)
    file = surfaces_path(tmp_path / "home.floor.npz")
    matcher.save(file)
    assert file.name == "home.floor.surfaces.npz"
    again = ScanMatcher.load(file)
    matched(again, CORNER, base, np.eye(4))
    true = base @ yaw_matrix(0.8, 0.0, 0.0)
    x, y, _ = matched(again, CORNER, true, drifted(0.03, 0.03, 0.0, true))
    assert np.hypot(x, y) < 0.025


@pytest.mark.parametrize("content", [b"", b"no archive"])
def test_a_damaged_file_is_refused_by_name(tmp_path: Path, content: bytes) -> None:
    file = tmp_path / "x.surfaces.npz"
    file.write_bytes(content)
    with pytest.raises(InvalidMapFile, match=r"x\.surfaces\.npz"):
        ScanMatcher.load(file)
