"""Lenses, regions and resolutions: the direction of each pixel is the one its camera looked in."""

import cv2
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from openral_core.detectors import Detection
from openral_testing.lens_models import Lens
from openral_testing.synthetic_depth import Ball, Plane, look_at_pose, render_depth
from openral_world_state.depth_camera import (
    DepthRegistration,
    DepthView,
    Intrinsics,
    InvalidIntrinsics,
    InvalidRegion,
    NotCalibrated,
    SizeMismatch,
    TooManyPixels,
    UnsupportedDistortion,
)
from openral_world_state.lifting import DepthModel, lift

K = np.array([[500.0, 0.0, 320.0], [0.0, 500.0, 240.0], [0.0, 0.0, 1.0]])
BENT = (-0.02, 0.004, -0.001, 0.0002)


@pytest.mark.parametrize("model", ["equidistant", "fisheye"])
@pytest.mark.parametrize("distortion", [BENT, (0.0,) * 4, ()])
def test_a_fisheye_is_no_pinhole(model: str, distortion: tuple[float, ...]) -> None:
    lens = Intrinsics(K, 640, 480, distortion, model)
    pixels = np.array([[600.0, 240.0], [320.0, 240.0], [10.0, 470.0]])
    expected = cv2.fisheye.undistortPoints(pixels[:, None], K, np.array(distortion or (0.0,) * 4))[:, 0]
    assert np.allclose(lens.rays(pixels)[:, :2], expected)
    assert lens.rays(pixels)[0, 0] > 0.6
    assert np.allclose(lens.project(lens.rays(pixels) * 1.5), pixels, atol=1e-3)


def test_a_thing_at_the_border_of_a_fisheye_image_is_lifted_to_where_it_is() -> None:
    ball = {"ball": Ball((1.5, -0.8, 1.0), 0.06), "_wall": Plane((1.0, 0.0, 0.0), 3.0)}
    straight = render_depth(ball, look_at_pose((0.0, 0.0, 1.0), (1.0, 0.0, 1.0)), size=(1280, 960))
    lens = Intrinsics(K, 640, 480, BENT, "equidistant")
    columns, rows = np.meshgrid(np.arange(640.0), np.arange(480.0))
    there = straight.view.intrinsics.project(lens.rays(np.column_stack((columns.ravel(), rows.ravel()))))
    u, v = np.floor(there + 0.5).astype(int).T
    inside = (u >= 0) & (v >= 0) & (u < 1280) & (v < 960)
    depth = np.zeros(640 * 480, np.float32)
    depth[inside] = straight.view.depth[v[inside], u[inside]]
    view = DepthView("head", 0.0, depth.reshape(480, 640), lens, straight.view.T_map_camera)
    edge = straight.view.intrinsics.rays(
        np.array([[straight.boxes["ball"].x_min, 480.0], [straight.boxes["ball"].x_max, 480.0]])
    )
    left, right = lens.project(edge)[:, 0]
    near = straight.boxes["ball"].height / 2.0 * 500.0 / 1050.0
    box = type(straight.boxes["ball"])(left, 240.0 - near, right, 240.0 + near)
    found = lift(view, Detection(box, "ball", 0.9), DepthModel()).pose.position
    assert np.linalg.norm(np.array(found) - (1.5, -0.8, 1.0)) < 0.03


def test_a_pixel_outside_a_fisheyes_round_image_looks_nowhere() -> None:
    lens = Intrinsics(
        np.array([[100.0, 0.0, 320.0], [0.0, 100.0, 240.0], [0.0, 0.0, 1.0]]), 640, 480, BENT, "fisheye"
    )
    rays = lens.rays(np.array([[0.0, 0.0], [320.0, 240.0]]))
    assert np.isnan(rays[0, :2]).all()
    assert np.allclose(rays[1], (0.0, 0.0, 1.0))


@pytest.mark.parametrize(
    ("model", "count"),
    [
        ("plumb_bob", 1),
        ("plumb_bob", 3),
        ("plumb_bob", 6),
        ("plumb_bob", 9),
        ("plumb_bob", 8),
        ("rational_polynomial", 5),
        ("equidistant", 5),
        ("inverse_brown_conrady", 5),
        pytest.param("x" * 100_000, 5, id="long"),
        ("", 5),
    ],
)
def test_an_unknown_lens_is_refused_by_name(model: str, count: int) -> None:
    with pytest.raises(UnsupportedDistortion) as refusal:
        Intrinsics(K, 640, 480, (0.1,) * count, model)
    assert repr(model[:64]) in str(refusal.value)
    assert f"with {count} coefficients" in str(refusal.value)
    assert "plumb_bob (0 or 4 or 5)" in str(refusal.value)


@pytest.mark.parametrize("count", [0, 1, 5, 8])
def test_without_a_model_zeros_are_no_distortion(count: int) -> None:
    assert Intrinsics(K, 640, 480, (0.0,) * count, "").rays(np.array([[320.0, 240.0]])).tolist() == [
        [0, 0, 1]
    ]


@pytest.mark.parametrize("model", ["plumb_bob", "rational_polynomial", "equidistant"])
def test_nothing_to_project_is_projected_to_nothing(model: str) -> None:
    lens = Intrinsics(K, 640, 480, (0.01,) * (8 if model.startswith("rational") else 4), model)
    assert lens.project(np.zeros((0, 3))).shape == (0, 2)
    assert lens.rays(np.zeros((0, 2))).shape == (0, 3)


@given(st.integers(1, 4), st.integers(1, 4), st.floats(-0.5, 639.5), st.floats(-0.5, 479.5))
def test_a_point_keeps_its_direction_at_any_binning(bx: int, by: int, u: float, v: float) -> None:
    """Pixel centres have whole coordinates, so that the image's edge is at -0.5 whatever its resolution."""
    whole = Intrinsics(K, 640, 480)
    binned = whole.binned(bx, by)
    assert (binned.width, binned.height) == (640 // bx, 480 // by)
    there = np.array([[(u + 0.5) / bx - 0.5, (v + 0.5) / by - 0.5]])
    assert np.allclose(binned.rays(there), whole.rays(np.array([[u, v]])))


def test_another_resolution_moves_the_centre_by_half_a_pixel() -> None:
    half = Intrinsics(K, 640, 480).resized(320, 240)
    assert half.K[:2, 2].tolist() == [159.75, 119.75]


@given(st.integers(0, 300), st.integers(0, 200), st.floats(0.0, 300.0), st.floats(0.0, 200.0))
def test_a_point_keeps_its_direction_in_any_region(x: int, y: int, u: float, v: float) -> None:
    whole = Intrinsics(K, 640, 480, (0.1, -0.05, 0.0, 0.0, 0.0))
    region = whole.cropped(x, y, 340, 280)
    assert (region.width, region.height) == (340, 280)
    assert np.allclose(region.rays(np.array([[u, v]])), whole.rays(np.array([[u + x, v + y]])), atol=1e-6)


@pytest.mark.parametrize("region", [(400, 0, 300, 480), (0, 0, 640, 481), (0, 0, 640, 0), (0, 10, 0, 480)])
def test_a_region_outside_the_image_is_refused(region: tuple[int, int, int, int]) -> None:
    with pytest.raises(InvalidRegion, match="640x480"):
        Intrinsics(K, 640, 480).cropped(*region)


def test_more_binning_than_pixels_leaves_no_image() -> None:
    with pytest.raises(NotCalibrated):
        Intrinsics(K, 640, 480).binned(1000, 1)
    assert issubclass(NotCalibrated, InvalidIntrinsics)


BARREL = (-0.35, 0.1, 0.001, -0.001, -0.01)
RATIONAL = (0.42, 0.12, 0.0011, -0.0007, 0.011, 0.8, 0.21, 0.03)
PRISM = (0.0035, -0.0012, 0.0026, 0.0008)


@pytest.mark.parametrize(
    ("model", "distortion"),
    [
        ("plumb_bob", BARREL),
        ("rational_polynomial", RATIONAL),
        ("rational_polynomial", RATIONAL + PRISM),
        ("rational_polynomial", (*RATIONAL, *PRISM, 0.03, -0.02)),
        ("equidistant", BENT),
    ],
)
def test_rays_are_those_of_the_definition_of_the_model(model: str, distortion: tuple[float, ...]) -> None:
    definition = Lens(500.0, (640, 480), distortion, model)
    lens = Intrinsics(definition.K, 640, 480, distortion, model)
    pixels = np.array([[0.0, 0.0], [639.0, 0.0], [0.0, 479.0], [639.0, 479.0], [100.0, 300.0]])
    directions = definition.directions(pixels)
    assert np.allclose(lens.rays(pixels), directions / directions[:, 2:], atol=1e-6)
    assert np.allclose(lens.project(directions * 2.0), pixels, atol=1e-5)


def test_a_point_beyond_the_field_of_view_is_not_folded_back_into_the_image() -> None:
    lens = Intrinsics(K, 640, 480, BARREL)
    angles = np.deg2rad([10.0, 30.0, 65.0, 80.0])
    points = np.column_stack((np.tan(angles), np.zeros(4), np.ones(4)))
    folded = cv2.projectPoints(points, np.zeros(3), np.zeros(3), K, np.array(BARREL))[0][:, 0, 0]
    assert (folded < 640.0).any()
    assert np.isfinite(lens.project(points)[:2]).all()
    assert (
        not ((lens.project(points)[2:] >= 0.0) & (lens.project(points)[2:] < (640.0, 480.0)))
        .all(axis=1)
        .any()
    )


@pytest.mark.parametrize("lens", [Intrinsics(K, 640, 480), Intrinsics(K * 0.3, 640, 480, BENT, "fisheye")])
def test_the_ball_around_a_field_of_view_holds_its_corners(lens: Intrinsics) -> None:
    lens = Intrinsics(np.array([*lens.K[:2], [0.0, 0.0, 1.0]]), 640, 480, lens.distortion, lens.model)
    along, radius = lens.enclosing_ball
    rays = lens.rays(np.array([[0.0, 0.0], [639.0, 479.0], [0.0, 240.0], [320.0, 0.0]]))
    rays = rays[np.linalg.norm(rays[:, :2], axis=1) < 3.0]
    assert len(rays)
    assert (np.linalg.norm(rays - (0.0, 0.0, along), axis=1) <= radius + 1e-9).all()
    assert radius >= along - 1e-9


def test_registered_depth_is_that_of_the_other_camera() -> None:
    bodies = {"box": Ball((1.2, 0.1, 1.0), 0.1), "_wall": Plane((1.0, 0.0, 0.0), 2.0)}
    colour = render_depth(bodies, look_at_pose((0.0, 0.0, 1.0), (1.0, 0.0, 1.0)))
    depth = render_depth(
        bodies, look_at_pose((0.0, 0.05, 1.02), (1.0, 0.0, 1.0)), size=(848, 480), focal=400.0
    )
    T = np.linalg.inv(colour.view.T_map_camera) @ depth.view.T_map_camera
    registration = DepthRegistration(depth.view.intrinsics, colour.view.intrinsics)
    view = DepthView(
        "head",
        0.0,
        registration.register(depth.view.depth, T),
        colour.view.intrinsics,
        colour.view.T_map_camera,
    )
    found = lift(view, Detection(colour.boxes["box"], "ball", 0.9), DepthModel()).pose.position
    expected = lift(colour.view, Detection(colour.boxes["box"], "ball", 0.9), DepthModel()).pose.position
    assert np.linalg.norm(np.subtract(found, expected)) < 0.01


def test_of_two_surfaces_on_one_pixel_the_nearer_is_registered() -> None:
    lens = Intrinsics(np.array([[10.0, 0.0, 4.0], [0.0, 10.0, 0.0], [0.0, 0.0, 1.0]]), 9, 1)
    T = np.eye(4)
    T[0, 3] = 0.2  # at 1 m two pixels, at 2 m one
    depth = np.array([[0.0, 0.0, 1.0, 2.0, 0.0, 0.0, 0.0, 0.0, 0.0]], np.float32)
    assert DepthRegistration(lens, lens).register(depth, T)[0, 4] == 1.0
    with pytest.raises(SizeMismatch, match=r"3x3 px does not fit its calibration: expected 9x1 px"):
        DepthRegistration(lens, lens).register(np.ones((3, 3), np.float32), T)


def test_depth_of_another_aspect_ratio_is_refused() -> None:
    with pytest.raises(SizeMismatch, match=r"aspect ratio of 1\.333"):
        DepthView("head", 0.0, np.ones((360, 640), np.float32), Intrinsics(K, 640, 480), np.eye(4))


@pytest.mark.parametrize(("depth", "colour"), [((1 << 31, 1 << 31), (640, 480)), ((640, 480), (1 << 31, 2))])
def test_a_registration_of_more_pixels_than_any_camera_has_is_refused(
    depth: tuple[int, int], colour: tuple[int, int]
) -> None:
    with pytest.raises(TooManyPixels, match="at most 4194304 pixels"):
        DepthRegistration(Intrinsics(K, *depth), Intrinsics(K, *colour))
