"""Poses and rigid transforms; SI units, quaternions as (x, y, z, w)."""

from openral_core.geometry.poses import InvalidGeometry, Pose
from openral_core.geometry.transforms import (
    inverse,
    rotation_of,
    transform_points,
    yaw_matrix,
)
from openral_core.geometry.yaws import angle_between, wrap_angle

__all__ = [
    "InvalidGeometry",
    "Pose",
    "angle_between",
    "inverse",
    "rotation_of",
    "transform_points",
    "wrap_angle",
    "yaw_matrix",
]
