"""The robot's own body in depth images."""

import numpy as np
import pytest

from openral_core.floor_map import FREE, OCCUPIED
from openral_mapping.floor.depth_mapper import DepthMapper, PixelRays
from openral_mapping.floor.robot_body import STEP, InvalidRobotDescription, body_lines, without_body
from openral_testing.synthetic_depth import Block, Plane, SyntheticDepthImage, look_at_pose, render_depth

SIZE = 160, 120
FLOOR = {"_floor": Plane((0.0, 0.0, 1.0), 0.0)}
ARM = Block((0.7, 0.0, 0.8), (0.8, 0.12, 0.12))
LINES = np.array([[(0.2, 0.0, 0.8), (0.65, 0.0, 0.8)], [(0.65, 0.0, 0.8), (1.1, 0.0, 0.8)]])
URDF = """<robot name="r"><link name="base"/><link name="upper"/><link name="hand"/>
<joint name="a" type="revolute"><parent link="base"/><child link="upper"/></joint>
<joint name="b" type="fixed"><parent link="upper"/><child link="hand"/></joint></robot>"""


def shot(**bodies: Block) -> SyntheticDepthImage:
    return render_depth({**FLOOR, **bodies}, look_at_pose((0.0, 0.0, 1.3), (1.0, 0.0, 0.5)), SIZE)


def rays(image: SyntheticDepthImage) -> np.ndarray:
    pixels = np.indices(SIZE[::-1])[::-1].reshape(2, -1).T.astype(float)
    return image.view.depth_intrinsics.rays(pixels).reshape(SIZE[1], SIZE[0], 3)


def seen_by(image: SyntheticDepthImage, lines: np.ndarray | None) -> DepthMapper:
    mapper, pixel_rays = DepthMapper(), PixelRays(rays(image))
    depth, T_map_camera = image.view.depth, image.view.T_map_camera
    if lines is not None:
        depth = without_body(depth, pixel_rays.body, T_map_camera, lines, mapper.config.body_radius)
    for _ in range(4):
        mapper.update(depth, pixel_rays, T_map_camera)
    return mapper


def test_the_stretched_arm_is_no_obstacle_and_a_table_below_it_is_one() -> None:
    image = shot(arm=ARM, table=Block((1.3, 0.5, 0.3), (0.4, 0.4, 0.6)))
    told, naive = (seen_by(image, lines).floor_map() for lines in (LINES, None))
    assert naive.value_at(0.9, 0.02) == OCCUPIED
    assert told.value_at(0.9, 0.02) != OCCUPIED
    assert told.value_at(1.25, 0.5) == naive.value_at(1.25, 0.5) == OCCUPIED
    assert told.value_at(1.6, -0.4) == FREE


def test_only_what_is_within_the_radius_is_left_out() -> None:
    image = shot(arm=ARM)
    depth, T = image.view.depth, image.view.T_map_camera
    left = without_body(depth, rays(image)[::STEP, ::STEP], T, LINES, 0.12)
    gone = np.isnan(left) & np.isfinite(depth)
    points = (rays(image) * depth[..., None])[gone] @ T[:3, :3].T + T[:3, 3]
    assert gone.sum() > 100
    assert np.abs(points[:, 1]).max() < 0.4, "pixels beside it are lost by a step at most"
    assert np.array_equal(left[~gone], depth[~gone], equal_nan=True)


@pytest.mark.parametrize(
    "lines",
    [
        np.zeros((0, 2, 3)),
        np.array([[(0.0, 0.0, 0.8), (5.0, 0.0, 0.8)]]),
        np.array([[(0.0, np.nan, 0.8), (0.9, 0.0, 0.8)]]),
        LINES + np.array([0.0, 3.0, 0.0]),
    ],
    ids=["none", "as long as a room", "unknown", "elsewhere"],
)
def test_lines_that_are_no_body_leave_the_image_as_it_was(lines: np.ndarray) -> None:
    image = shot(arm=ARM)
    depth = image.view.depth
    left = without_body(depth, rays(image)[::STEP, ::STEP], image.view.T_map_camera, lines, 0.12)
    assert np.array_equal(left, depth, equal_nan=True)


def test_the_links_of_a_description_are_joined_as_its_joints_say() -> None:
    assert body_lines(URDF) == (("base", "upper"), ("upper", "hand"))


@pytest.mark.parametrize("text", ["", "<robot", "<sdf/>"])
def test_what_is_no_urdf_is_refused(text: str) -> None:
    with pytest.raises(InvalidRobotDescription, match="expected a URDF document"):
        body_lines(text)
