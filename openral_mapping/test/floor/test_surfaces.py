"""Upright surfaces of depth images."""

import numpy as np

from openral_mapping.floor.surfaces import upright_surfaces
from openral_testing.synthetic_depth import Block, Plane, look_at_pose, render_depth


def test_surfaces_are_upright_and_face_the_camera() -> None:
    wall = {"floor": Plane((0.0, 0.0, 1.0), 0.0), "wall": Block((3.0, 0.0, 1.0), (0.1, 6.0, 2.0))}
    image = render_depth(wall, look_at_pose((0.0, 0.0, 1.2), (2.0, 0.5, 0.6)), (160, 120))
    seen = upright_surfaces(
        image.view.depth, image.view.depth_intrinsics.image_rays(), image.view.T_map_camera
    )
    assert len(seen.points) > 500
    eye = image.view.T_map_camera[:2, 3]
    assert (((eye - seen.points) * seen.normals).sum(axis=1) > 0.0).all()
    on_wall = np.abs(seen.points[:, 0] - 2.95) < 0.01
    assert on_wall.any()
    assert np.quantile(np.abs(seen.normals[on_wall] - (-1.0, 0.0)), 0.99) < 0.05
