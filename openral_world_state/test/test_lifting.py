"""Lift and extents on hand-made depths and points."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from openral_core.detectors import Box, Detection
from openral_core.geometry import Pose
from openral_testing.synthetic_depth import (
    Ball,
    Basket,
    Block,
    Cylinder,
    Glass,
    Plane,
    Ring,
    Solid,
    SyntheticDepthImage,
    look_at_pose,
    render_depth,
)
from openral_world_state.box_depth import window_around
from openral_world_state.box_segmentation import without_support
from openral_world_state.depth_camera import DepthView, Intrinsics, InvalidIntrinsics
from openral_world_state.lifting import (
    DepthModel,
    Extent,
    LiftedObject,
    NoDepth,
    OutOfRange,
    OutsideImage,
    center_by_box,
    estimate_extent,
    exceeds_box,
    lift,
)

EYE = np.array([0.0, 0.0, 1.0])


def surface(
    center: tuple[float, float], size: tuple[float, float, float], yaw: float = 0.0
) -> NDArray[np.float64]:
    """Points in an upright box that stands on z = 0, shape (N, 3)."""
    x, y, z = (np.linspace(-0.5, 0.5, 12) * side for side in size)
    grid = np.stack(np.meshgrid(x, y, z + size[2] / 2.0), axis=-1).reshape(-1, 3)
    c, s = np.cos(yaw), np.sin(yaw)
    return grid @ np.array([[c, s, 0.0], [-s, c, 0.0], [0.0, 0.0, 1.0]]) + np.array([*center, 0.0])


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


OPTICS = DepthModel()
WALL = Plane((1.0, 0.0, 0.0), 2.0)
AHEAD = look_at_pose((0.0, 0.0, 1.0), (1.0, 0.0, 1.0))
DOWN = look_at_pose((0.0, 0.0, 1.45), (1.0, 0.0, 1.0))


def lifted(shot: SyntheticDepthImage, name: str) -> LiftedObject:
    return lift(shot.view, Detection(shot.boxes[name], name, 0.9), OPTICS)


def error(shot: SyntheticDepthImage, name: str, center: tuple[float, float, float]) -> float:
    return float(np.linalg.norm(np.array(lifted(shot, name).pose.position) - center))


@pytest.mark.parametrize(
    ("body", "within"),
    [
        pytest.param(Cylinder((1.0, 0.0, 1.0), 0.04, 0.1, hollow=True), 0.01, id="cup before a wall"),
        pytest.param(Block((1.0, 0.0, 1.0), (0.001, 0.08, 0.1)), 0.01, id="picture of a cup"),
        pytest.param(Ball((1.0, 0.0, 1.0), 0.05), 0.01, id="ball"),
        pytest.param(Ring((1.0, 0.0, 1.0), 0.1, 0.008), 0.02, id="ring"),
        pytest.param(Basket(Cylinder((1.0, 0.0, 1.0), 0.12, 0.2, hollow=True)), 0.04, id="wire basket"),
        pytest.param(
            Glass(Cylinder((1.0, 0.0, 1.0), 0.04, 0.12), 0.25), 0.02, id="glass, a quarter of it measured"
        ),
    ],
)
def test_finds_what_stands_before_a_wall(body: Solid, within: float) -> None:
    shot = render_depth({"thing": body, "_wall": WALL}, AHEAD)
    assert error(shot, "thing", (1.0, 0.0, 1.0)) <= within


def test_a_mean_depth_would_have_been_far_off() -> None:
    shot = render_depth({"ring": Ring((1.0, 0.0, 1.0), 0.1, 0.008), "_wall": WALL}, AHEAD)
    box = shot.boxes["ring"]
    inside = shot.view.depth[int(box.y_min) : int(box.y_max), int(box.x_min) : int(box.x_max)]
    assert inside.mean() > 1.6


@pytest.mark.parametrize("yaw", [0.0, 0.4, 1.2, -0.7])
def test_tells_how_a_long_thing_lies(yaw: float) -> None:
    body = Block((1.0, 0.05, 0.98), (0.5, 0.06, 0.06), yaw)
    shot = render_depth({"baguette": body, "_table": Plane((0.0, 0.0, 1.0), 0.95)}, DOWN)
    found = lifted(shot, "baguette")
    assert np.allclose(found.pose.position, body.center, atol=0.02)
    assert np.allclose(found.size, body.size, atol=0.03)
    assert abs((found.pose.yaw - yaw + np.pi / 2) % np.pi - np.pi / 2) < 0.05


def test_sees_past_what_hides_half_of_it() -> None:
    bodies = {
        "can": Cylinder((1.0, 0.0, 1.0), 0.035, 0.12),
        "_box": Block((0.8, 0.06, 1.0), (0.02, 0.12, 0.3)),
        "_wall": WALL,
    }
    shot = render_depth(bodies, AHEAD)
    box = shot.boxes["can"]
    wider = Box(box.x_min - 1.0, box.y_min - 1.0, box.x_max + 1.0, box.y_max + 1.0)
    found = lift(shot.view, Detection(wider, "can", 0.9), OPTICS)
    assert np.allclose(found.pose.position, (1.0, 0.0, 1.0), atol=0.03)


@pytest.mark.parametrize("beside", [0.07, 0.09])
def test_a_drawers_front_that_cuts_a_corner_of_the_box_is_not_the_thing_behind_it(beside: float) -> None:
    center, across = (0.6, 0.0, 0.575), np.array([-np.sin(0.8), np.cos(0.8)])
    x, y = center[:2] + beside * across
    bodies: dict[str, Solid] = {
        "bar": Block(center, (0.18, 0.05, 0.025), 0.8),
        "_front": Block((float(x), float(y), 0.65), (0.6, 0.01, 0.19), 0.8),
        "_floor": Plane((0.0, 0.0, 1.0), 0.56),
    }
    assert (
        error(render_depth(bodies, look_at_pose((0.25, 0.15, 1.35), (0.6, 0.0, 0.6))), "bar", center) < 0.03
    )


def test_holes_in_the_depth_do_no_harm() -> None:
    shot = render_depth({"cup": Cylinder((1.0, 0.0, 1.0), 0.04, 0.1, hollow=True), "_wall": WALL}, AHEAD)
    noise = np.random.default_rng(0).random(shot.view.depth.shape)
    shot.view.depth[noise < 0.3] = 0.0
    shot.view.depth[noise > 0.9] = np.nan
    assert error(shot, "cup", (1.0, 0.0, 1.0)) <= 0.02


def test_depth_of_another_resolution_is_used_as_it_is() -> None:
    bodies = {"cup": Cylinder((1.0, 0.0, 1.0), 0.04, 0.1, hollow=True), "_wall": WALL}
    colour, depth = render_depth(bodies, AHEAD), render_depth(bodies, AHEAD, size=(320, 240))
    view = DepthView("head", 0.0, depth.view.depth, colour.view.intrinsics, AHEAD)
    found = lift(view, Detection(colour.boxes["cup"], "cup", 0.9), OPTICS)
    assert np.allclose(found.pose.position, (1.0, 0.0, 1.0), atol=0.015)


def test_what_the_border_cuts_says_so() -> None:
    shot = render_depth({"cup": Cylinder((1.0, 0.6, 1.0), 0.04, 0.1, hollow=True), "_wall": WALL}, AHEAD)
    cut = lifted(shot, "cup")
    whole = render_depth({"cup": Cylinder((1.0, 0.3, 1.0), 0.04, 0.1, hollow=True), "_wall": WALL}, AHEAD)
    assert cut.truncated
    assert not lifted(whole, "cup").truncated
    assert np.trace(cut.covariance) > np.trace(lifted(whole, "cup").covariance)


def test_refuses_with_the_reason() -> None:
    shot = render_depth({"cup": Ball((1.0, 0.0, 1.0), 0.05)}, AHEAD)
    with pytest.raises(NoDepth, match="'sky' at x 10 to 20, y 10 to 20 px has no valid depth"):
        lift(shot.view, Detection(Box(10.0, 10.0, 20.0, 20.0), "sky", 0.5), OPTICS)
    with pytest.raises(OutsideImage, match="outside the image of 640x480"):
        lift(shot.view, Detection(Box(700.0, 10.0, 800.0, 20.0), "sky", 0.5), OPTICS)
    far = render_depth({"house": Block((30.0, 0.0, 1.0), (1.0, 5.0, 5.0))}, AHEAD)
    with pytest.raises(OutOfRange, match=r"out of range 0\.15 m to 8\.00 m"):
        lifted(far, "house")


@pytest.mark.parametrize("K", [np.zeros((3, 3)), np.full((3, 3), np.nan)])
def test_refuses_a_camera_that_is_not_calibrated(K: NDArray[np.float64]) -> None:
    with pytest.raises(InvalidIntrinsics, match="calibrate the camera"):
        Intrinsics(K, 640, 480)


def test_distortion_is_undone() -> None:
    shot = render_depth({"cup": Ball((1.0, 0.25, 1.1), 0.03), "_wall": WALL}, AHEAD)
    bent = Intrinsics(shot.view.intrinsics.K, 640, 480, (0.1, -0.05, 0.0, 0.0, 0.0))
    points = np.array([[0.2, -0.1, 1.0], [0.0, 0.0, 2.0], [-0.4, 0.3, 1.5]])
    again = bent.rays(bent.project(points)) * points[:, 2:]
    assert np.allclose(again, points, atol=1e-3)


@settings(deadline=None, max_examples=12)
@given(
    st.floats(0.6, 2.5),
    st.floats(-0.3, 0.3),
    st.floats(0.02, 0.06),
    st.floats(0.05, 0.2),
    st.floats(0.0, 0.7),
)
def test_any_upright_round_thing_is_found_within_two_centimetres(
    x: float, y: float, radius: float, height: float, up: float
) -> None:
    body = Cylinder((x, y, 1.0 + height / 2.0), radius, height)
    bodies = {"thing": body, "_table": Plane((0.0, 0.0, 1.0), 1.0), "_wall": Plane((1.0, 0.0, 0.0), 4.0)}
    shot = render_depth(bodies, look_at_pose((0.0, 0.0, 1.1 + up), (x, y, 1.0)))
    assert error(shot, "thing", body.center) <= 0.02


def test_depth_of_one_side_of_a_box_is_refused() -> None:
    shot = render_depth({"can": Cylinder((1.0, 0.0, 1.0), 0.035, 0.12), "_wall": WALL}, AHEAD)
    box = shot.boxes["can"]
    shot.view.depth[:, int(box.x_min + 0.4 * box.width) :] = 0.0
    with pytest.raises(NoDepth, match=r"valid depth in only [34]\d% of it, on one side"):
        lift(shot.view, Detection(box, "can", 0.9), DepthModel())


KITCHEN: dict[str, Solid] = {
    "mug": Cylinder((1.2, 0.1, 1.05), 0.045, 0.1),
    "_table": Plane((0.0, 0.0, 1.0), 1.0),
    "_wall": Plane((1.0, 0.0, 0.0), 1.6),
}


def scaled(box: Box, scale: float, shift: float = 0.0) -> Box:
    """Box about the same centre, or beside it by a part of its width."""
    x, y = (box.x_min + box.x_max) / 2.0, (box.y_min + box.y_max) / 2.0
    w, h = box.x_max - box.x_min, box.y_max - box.y_min
    x, w, h = x + shift * w, w * scale / 2.0, h * scale / 2.0
    return Box(x - w, y - h, x + w, y + h)


@pytest.mark.parametrize("noise", [0.0, 0.0025])
@pytest.mark.parametrize(
    ("scale", "shift"), [(0.7, 0.0), (1.0, 0.0), (1.0, 0.3), (1.4, 0.0), (1.6, 0.1), (1.8, 0.0)]
)
def test_a_box_that_does_not_fit_is_lifted_to_its_object(scale: float, shift: float, noise: float) -> None:
    shot = render_depth(KITCHEN, look_at_pose((0.0, 0.0, 1.5), (1.2, 0.0, 1.0)))
    rng = np.random.default_rng(0)
    depth = shot.view.depth + rng.normal(0.0, 1.0, shot.view.depth.shape) * noise * shot.view.depth**2
    depth[rng.random(depth.shape) < 0.15 * (noise > 0.0)] = 0.0
    view = DepthView("head", 0.0, depth.astype(np.float32), shot.view.intrinsics, shot.view.T_map_camera)
    lifted = lift(view, Detection(scaled(shot.boxes["mug"], scale, shift), "mug", 0.9), DepthModel())
    assert np.linalg.norm(np.subtract(lifted.pose.position, (1.2, 0.1, 1.05))) < 0.03
    assert not lifted.ambiguous


def test_the_covariance_covers_what_noise_leaves_of_a_long_object() -> None:
    loaf: dict[str, Solid] = {
        "loaf": Block((1.6, 0.1, 1.035), (0.35, 0.07, 0.07)),
        "_table": Block((1.6, 0.0, 0.98), (0.8, 1.2, 0.04)),
        "_wall": Plane((1.0, 0.0, 0.0), 2.6),
    }
    shot = render_depth(loaf, look_at_pose((0.0, 0.5, 1.3), (1.6, 0.0, 1.0)))
    rng, truth = np.random.default_rng(0), shot.view.depth
    for _ in range(20):
        noise = np.kron(rng.normal(0.0, 1.0, (truth.shape[0] // 2, truth.shape[1] // 2)), np.ones((2, 2)))
        depth = truth + 0.005 * noise * truth**2
        depth[rng.random(depth.shape) < 0.3] = 0.0
        view = DepthView("head", 0.0, depth.astype(np.float32), shot.view.intrinsics, shot.view.T_map_camera)
        lifted = lift(view, Detection(shot.boxes["loaf"], "loaf", 0.9), DepthModel())
        error = np.subtract(lifted.pose.position, (1.6, 0.1, 1.035))
        assert lifted.ambiguous or error @ np.linalg.solve(lifted.covariance, error) <= 9.0


def test_a_box_of_which_nothing_ends_within_is_ambiguous_and_says_how_far() -> None:
    steps: dict[str, Solid] = {
        "_near": Block((0.9, -0.5, 1.0), (0.02, 1.0, 2.0)),
        "_wall": Plane((1.0, 0.0, 0.0), 2.0),
    }
    shot = render_depth(steps, AHEAD)
    width = shot.view.intrinsics.width
    box = Box(width / 2.0 - 40.0, 190.0, width / 2.0 + 40.0, 290.0)
    lifted = lift(shot.view, Detection(box, "mug", 0.9), DepthModel())
    assert lifted.ambiguous
    assert np.sqrt(lifted.covariance[0, 0]) > 0.3


def ramped(shot: SyntheticDepthImage, name: str, pixels: int) -> DepthView:
    """Let depth rise over a ramp from an object's right side to what is behind it."""
    depth, box = shot.view.depth.copy(), shot.boxes[name]
    end = int(box.x_max)
    for row in range(int(box.y_min), int(box.y_max)):
        near, far = depth[row, end - 2], depth[row, end + pixels]
        if far > near:
            depth[row, end - 1 : end + pixels] = np.linspace(near, far, pixels + 1)
    return DepthView("head", 0.0, depth, shot.view.intrinsics, shot.view.T_map_camera)


@pytest.mark.parametrize("pixels", [6, 8, 10])
@pytest.mark.parametrize("background", [1.12, 1.2, 1.3])
def test_a_ramp_to_what_is_behind_is_no_part_of_the_object(pixels: int, background: float) -> None:
    bodies: dict[str, Solid] = {
        "can": Cylinder((1.0, 0.0, 1.0), 0.04, 0.12),
        "_wall": Plane((1.0, 0.0, 0.0), background),
    }
    shot = render_depth(bodies, look_at_pose((0.0, 0.0, 1.0), (1.0, 0.0, 1.0)))
    lifted = lift(ramped(shot, "can", pixels), Detection(shot.boxes["can"], "can", 0.9), DepthModel())
    assert max(lifted.size[:2]) < 0.11
    assert lifted.pose.distance(Pose.planar(1.0, 0.0, 0.0, 1.0)) < 0.02
    assert not lifted.ambiguous


def test_an_object_longer_than_its_box_allows_is_ambiguous() -> None:
    bodies: dict[str, Solid] = {
        "can": Cylinder((1.0, 0.0, 0.06), 0.04, 0.12),
        "_floor": Plane((0.0, 0.0, 1.0), 0.0),
    }
    shot = render_depth(bodies, look_at_pose((0.0, 0.0, 0.9), (1.0, 0.0, 0.06)))
    extent = Extent(np.array([1.0, 0.0, 0.06]), 0.0, (0.08, 0.08, 0.12), 0.0)
    assert not exceeds_box(shot.view, extent, shot.boxes["can"])
    assert exceeds_box(shot.view, replace(extent, size=(0.4, 0.08, 0.12)), shot.boxes["can"])


@pytest.mark.parametrize(("lost", "error"), [(0.0, 0.0), (0.02, 0.02), (0.07, 0.02), (-0.07, 0.03)])
def test_a_centre_far_from_its_box_gives_way_to_it(lost: float, error: float) -> None:
    shot = render_depth(KITCHEN, look_at_pose((0.0, 0.0, 1.5), (1.2, 0.0, 1.0)))
    window, mug = window_around(shot.view, shot.boxes["mug"], OPTICS.samples), np.array((1.2, 0.1, 1.05))
    extent = Extent(mug + np.array((lost, 0.0, 0.0)), 0.0, (0.09, 0.09, 0.1), 0.0)
    center = center_by_box(window, shot.boxes["mug"], extent)
    assert np.linalg.norm(center - mug) <= error + 1e-9
    noisy = center_by_box(replace(window, error=0.006), shot.boxes["mug"], extent)
    assert np.linalg.norm(noisy - mug) <= max(error, 0.01)


@pytest.mark.parametrize(
    ("length", "box"),
    [(0.5, None), (0.09, Box(0.0, 200.0, 60.0, 260.0))],
    ids=["a large object", "cut by the image"],
)
def test_a_box_that_hidden_parts_or_the_image_cut_tells_no_centre(length: float, box: Box | None) -> None:
    shot = render_depth(KITCHEN, look_at_pose((0.0, 0.0, 1.5), (1.2, 0.0, 1.0)))
    window = window_around(shot.view, shot.boxes["mug"], OPTICS.samples)
    extent = Extent(np.array((1.27, 0.1, 1.05)), 0.0, (length, 0.09, 0.1), 0.0)
    assert np.array_equal(center_by_box(window, box or shot.boxes["mug"], extent), extent.center)


@pytest.mark.parametrize("degrees", [70.0, 80.0])
def test_a_wall_seen_at_a_grazing_angle_is_lifted_though_it_is_as_steep_as_a_ramp(degrees: float) -> None:
    normal = (-np.cos(np.radians(degrees)), np.sin(np.radians(degrees)), 0.0)
    shot = render_depth({"_wall": Plane(normal, -0.6 * np.cos(np.radians(degrees)))}, AHEAD)
    lifted = lift(shot.view, Detection(Box(300.0, 220.0, 320.0, 240.0), "poster", 0.9), DepthModel())
    assert lifted.pose.distance(Pose.planar(0.6, 0.0, 0.0, 1.0)) < 0.1


def test_sparse_and_noisy_depth_is_lifted() -> None:
    shot = render_depth({"cup": Cylinder((1.0, 0.0, 1.0), 0.04, 0.1, hollow=True), "_wall": WALL}, AHEAD)
    rng = np.random.default_rng(0)
    depth = shot.view.depth + rng.normal(0.0, 0.004, shot.view.depth.shape)
    depth[rng.random(depth.shape) < 0.85] = 0.0
    view = DepthView("head", 0.0, depth.astype(np.float32), shot.view.intrinsics, AHEAD)
    lifted = lift(view, Detection(shot.boxes["cup"], "cup", 0.9), DepthModel())
    assert lifted.pose.distance(Pose.planar(1.0, 0.0, 0.0, 1.0)) < 0.05
