"""Images of one home, from its seed alone."""

from dataclasses import replace

import numpy as np
import pytest

from openral_training.data.dataset import Dataset
from openral_training.data.home_renderer import LIMITS, LabelledImage, render_home
from openral_training.data.labels import CATEGORIES
from openral_training.data.viewpoints import WEIGHTS


@pytest.mark.slow
def test_the_same_seed_gives_the_same_images_and_boxes_with_depth_and_without(
    images: list[LabelledImage], dataset: Dataset
) -> None:
    home = dataset.tasks()[0]
    again = render_home(home.seed, len(images), home.without, replace(home.settings, depth=False))
    for image, other in zip(images[:3], again, strict=False):
        assert np.array_equal(image.rgb, other.rgb)
        assert image.annotations == other.annotations
        assert image.record() == other.record()
        assert image.depth is not None
        assert other.depth is None


def test_images_show_more_than_a_wall_from_viewpoints_of_every_other_kind(
    images: list[LabelledImage],
) -> None:
    assert len({image.viewpoint.kind for image in images}) >= len(WEIGHTS) // 2
    for image in images:
        assert image.depth is not None
        assert float(np.median(image.depth)) > min(LIMITS.median_depth)
        assert 5.0 < float(image.rgb.mean()) < 250.0


def test_held_out_kinds_are_in_no_image(images: list[LabelledImage], dataset: Dataset) -> None:
    seen = {each.category_id for image in images for each in image.annotations}
    assert len(seen) > 5
    assert not seen & {CATEGORIES[kind].id for kind in dataset.plan.held_out}


def test_depth_camera_and_boxes_belong_together(images: list[LabelledImage]) -> None:
    """The floor, back-projected through pose and intrinsics, is at height 0."""
    heights = []
    for image in images:
        assert image.depth is not None
        v, u = np.nonzero(image.depth)
        rays = np.linalg.inv(image.camera.K) @ np.stack([u, v, np.ones_like(u)])
        points = image.camera.T_map_camera[:3, :3] @ (rays * image.depth[v, u])
        heights.append(points[2] + image.camera.T_map_camera[2, 3])
    all_heights = np.concatenate(heights)
    assert float(np.percentile(all_heights, 0.5)) > -0.01
    assert float(np.mean(np.abs(all_heights) < 0.005)) > 0.05
