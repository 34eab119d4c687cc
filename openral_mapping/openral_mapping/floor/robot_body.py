"""The robot's own body in depth images: its arm is no obstacle, and no furniture.

The body is a capsule around each line from one link's frame to the next; the meshes of links are not needed.
"""

from xml.etree import ElementTree as ET

import numpy as np
import scipy

from openral_core.arrays import Array, Array32, Points, Transform
from openral_core.errors import OpenRALError

STEP = 4
"""Distance between the pixels that are tested [px]; each stands for a square of that side."""
LONGEST = 1.0
"""Length from which a joint is no part of a body [m], such as one between a world and a base."""


class InvalidRobotDescription(OpenRALError):
    """A robot description that is no URDF."""

    def __init__(self, problem: str) -> None:
        super().__init__(f"robot_description ignored: {problem}; expected a URDF document")


def body_lines(urdf: str) -> tuple[tuple[str, str], ...]:
    """Return the pairs of links that a URDF joins, parent first.

    Raises:
        InvalidRobotDescription: If it cannot be parsed.
    """
    try:
        root = ET.fromstring(urdf)
    except ET.ParseError as error:
        raise InvalidRobotDescription(str(error)) from error
    if root.tag != "robot":
        raise InvalidRobotDescription(f"its root is <{root.tag}>")
    pairs = []
    for joint in root.iter("joint"):
        parent, child = joint.find("parent"), joint.find("child")
        if parent is not None and child is not None:
            pairs.append((parent.get("link", ""), child.get("link", "")))
    return tuple(pair for pair in pairs if all(pair))


def without_body(
    depth: Array32, rays: Array, T_map_camera: Transform, lines: Points, radius: float
) -> Array32:
    """Return a depth image in which the robot's body is unknown (NaN).

    Args:
        depth: Along the optical axis [m], shape (H, W).
        rays: Points at depth 1 in the optical frame of every `STEP`-th pixel of every `STEP`-th row.
        T_map_camera: Optical frame to map, shape (4, 4).
        lines: Ends of the body's lines in map [m], shape (N, 2, 3).
        radius: Of the capsules around them [m].
    """
    lengths = np.linalg.norm(lines[:, 1] - lines[:, 0], axis=1)
    ends = lines[np.isfinite(lengths) & (lengths < LONGEST)].reshape(-1, 3)
    if not len(ends):
        return depth
    in_camera = ((ends - T_map_camera[:3, 3]) @ T_map_camera[:3, :3]).reshape(-1, 2, 3)
    thinned = depth[::STEP, ::STEP]
    near = thinned < in_camera[..., 2].max() + radius
    points = rays[near] * thinned[near][:, None]
    is_body = np.zeros(len(points), bool)
    for start, end in in_camera:
        along = end - start
        share = (points - start) @ along / max(float(along @ along), 1e-9)
        nearest = start + np.clip(share, 0.0, 1.0)[:, None] * along
        is_body |= ((points - nearest) ** 2).sum(axis=1) <= radius**2
    if not is_body.any():
        return depth
    mask = np.zeros(thinned.shape, bool)
    mask[near] = is_body
    mask = scipy.ndimage.binary_dilation(mask, np.ones((3, 3)))  # a square is decided by one of its corners
    whole = mask.repeat(STEP, axis=0).repeat(STEP, axis=1)[: depth.shape[0], : depth.shape[1]]
    return np.where(whole, np.float32(np.nan), depth)
