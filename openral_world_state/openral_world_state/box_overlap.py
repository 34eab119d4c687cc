"""Overlap of upright boxes: a pose, and the sides along its axes [m]."""

import math

from openral_core.geometry import Pose

Triple = tuple[float, float, float]
SAME_SPACE = 0.4
"""Intersection over union of two upright boxes from which they are of one object [1]."""
NESTED = 0.6
"""Part of the smaller of two boxes in the other from which it lies in it [1]."""

FLAT = 0.04
"""Height below which a lifted box does not tell one object from two that are stacked [m]."""


def are_nested(first: Pose, first_size: Triple, second: Pose, second_size: Triple) -> bool:
    """Tell if one of two boxes lies in the other, so that they cannot be two solid objects of a kind."""
    is_solid = min(first_size[2], second_size[2]) >= FLAT
    return is_solid and nested_part(first, first_size, second, second_size) >= NESTED


def shared_space(first: Pose, first_size: Triple, second: Pose, second_size: Triple) -> float:
    """Intersection over union of two boxes [1], the second turned like the first."""
    common = common_volume(first, first_size, second, second_size)
    whole = math.prod(first_size) + math.prod(second_size) - common
    return common / whole if whole > 0.0 else 0.0


def nested_part(first: Pose, first_size: Triple, second: Pose, second_size: Triple) -> float:
    """Part of the smaller of two boxes that lies in the other [1], the second turned like the first."""
    smaller = min(math.prod(first_size), math.prod(second_size))
    return common_volume(first, first_size, second, second_size) / smaller if smaller > 0.0 else 0.0


def common_volume(first: Pose, first_size: Triple, second: Pose, second_size: Triple) -> float:
    """Volume that two boxes share [m^3], the second turned like the first."""
    reach = (math.hypot(*first_size) + math.hypot(*second_size)) / 2.0
    if math.dist(first.position, second.position) >= reach:
        return 0.0
    apart = map(abs, local_point(second.position, first))
    sides = zip(first_size, turned_size(second_size, second.yaw - first.yaw), apart, strict=True)
    return math.prod(max(min(a, b, (a + b) / 2.0 - gap), 0.0) for a, b, gap in sides)


def turned_size(size: Triple, angle: float) -> Triple:
    """Sides of a box along axes that differ by an angle [rad], rounded to a quarter turn."""
    return size if abs(math.cos(angle)) >= abs(math.sin(angle)) else (size[1], size[0], size[2])


def local_point(point: Triple, pose: Pose) -> Triple:
    """Coordinates of a point in map along the axes of an upright box [m]."""
    dx, dy, dz = (a - b for a, b in zip(point, pose.position, strict=True))
    c, s = math.cos(pose.yaw), math.sin(pose.yaw)
    return c * dx + s * dy, c * dy - s * dx, dz


def distance_to_box(point: Triple, pose: Pose, size: Triple) -> float:
    """Distance of a point in map from a box [m], 0 inside."""
    local = local_point(point, pose)
    return math.hypot(*(max(abs(value) - side / 2.0, 0.0) for value, side in zip(local, size, strict=True)))
