"""Images of the head camera for skills that judge their result by looking."""

from contextlib import closing
from itertools import product

import numpy as np

from openral_core.arrays import Points
from openral_core.home_map import Box3, Pose2
from openral_core.skill_errors import NotReachable
from openral_sim.motion_primitives.context import Move, SkillContext
from openral_sim.motion_primitives.head import aim, face
from openral_sim.motion_primitives.luminance import NotInImage, mean_luminance
from openral_sim.rendering.camera import fixed_camera, intrinsics
from openral_sim.rendering.renderer import SceneView

IMAGE_SIZE = (320, 240)
"""Width and height of the images [px]."""
MIN_DEPTH = 0.1
"""Depth from which a part can be judged [m]."""


def luminance_of(context: SkillContext, frame: Pose2, part: Box3, stage: str) -> Move[float]:
    """Aim the head at a part of a fixture and measure its mean luminance in [0, 1].

    Raises:
        NotReachable: If it is not in view from here.
    """
    corners = corners_in_map(frame, part)
    yield from face(context, corners.mean(axis=0), stage)
    yield from aim(context, corners.mean(axis=0), stage)
    camera = context.model.camera(context.names.head_camera)
    K = intrinsics(*IMAGE_SIZE, float(camera.fovy[0]))
    T_camera_map = np.linalg.inv(context.control.T_map_body(context.names.head_optical_frame))
    points = corners @ T_camera_map[:3, :3].T + T_camera_map[:3, 3]
    if points[:, 2].min() < MIN_DEPTH:
        raise NotReachable("the part that lights up is not in front of the camera")
    with closing(SceneView(context.model, *IMAGE_SIZE, shadows=False)) as view:
        view.update(context.data, fixed_camera(camera.id))
        rgb, _ = view.render()
    try:
        return mean_luminance(rgb, points[:, :2] / points[:, 2:] * K[0, 0] + K[:2, 2])
    except NotInImage as error:
        raise NotReachable(str(error)) from error


def corners_in_map(frame: Pose2, part: Box3) -> Points:
    """Return the corners of a box of a fixture's frame in map in [m], shape (8, 3)."""
    corners = product(*zip(part.min, part.max, strict=True))
    return np.array([(*frame.to_parent(x, y), z) for x, y, z in corners])
