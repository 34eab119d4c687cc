"""Poses and rigid transforms; SI units, quaternions as (x, y, z, w)."""

from openral_core.geometry.pose import (
    InvalidGeometry,
    Pose,
    angle_between,
    inverse,
    rotation_of,
    transform_points,
    wrap_angle,
    yaw_matrix,
)

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
