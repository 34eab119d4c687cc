"""Furniture and people that the detections of an image name."""

import numpy as np

from openral_core.detectors import Box, Detection
from openral_mapping.home.from_images import people_in_view
from openral_testing.synthetic_depth import Block, Plane, look_at_pose, render_depth

SIZE = 160, 120
BODIES = {
    "_floor": Plane((0.0, 0.0, 1.0), 0.0),
    "_wall": Plane((1.0, 0.0, 0.0), 4.0),
    "person": Block((2.0, 0.3, 0.9), (0.3, 0.4, 1.8)),
    "table": Block((2.5, -0.9, 0.4), (0.6, 0.6, 0.8)),
}


def test_people_are_where_their_depth_is_and_furniture_is_none() -> None:
    image = render_depth(BODIES, look_at_pose((0.0, 0.0, 1.2), (2.0, 0.0, 0.9)), SIZE)
    rays = image.view.depth_intrinsics.image_rays()
    detections = [Detection(image.boxes[name], name, 0.9) for name in ("person", "table")]
    found = people_in_view(image.view, rays, detections)
    assert found.shape == (1, 2)
    assert np.linalg.norm(found[0] - (1.85, 0.3)) < 0.1, "of the side that is seen"
    assert people_in_view(image.view, rays, detections[1:]).shape == (0, 2)


def test_somebody_without_depth_is_nowhere() -> None:
    image = render_depth(BODIES, look_at_pose((0.0, 0.0, 1.2), (2.0, 0.0, 0.9)), SIZE)
    image.view.depth[:] = 0.0
    rays = image.view.depth_intrinsics.image_rays()
    outside = Detection(Box(500.0, 10.0, 520.0, 40.0), "person", 0.9)
    for detection in (Detection(image.boxes["person"], "person", 0.9), outside):
        assert people_in_view(image.view, rays, [detection]).shape == (0, 2)
