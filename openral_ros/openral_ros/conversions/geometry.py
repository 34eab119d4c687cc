"""Conversions of poses, points and vectors."""

from geometry_msgs.msg import Point, Quaternion, Transform, Vector3
from geometry_msgs.msg import Pose as PoseMsg

from openral_core.geometry import Pose

MAP = "map"
"""Frame of maps, and of every pose that crosses a process."""
Triple = tuple[float, float, float]


def pose_message(pose: Pose) -> PoseMsg:
    """Convert a pose."""
    return PoseMsg(position=point_message(pose.position), orientation=_quaternion(pose))


def pose_from_message(message: PoseMsg) -> Pose:
    """Convert a pose message; an all-zero (unset) quaternion means no rotation.

    Raises:
        InvalidGeometry: If a number is not finite.
    """
    q = message.orientation
    orientation = (q.x, q.y, q.z, q.w)
    return Pose(
        xyz_tuple(message.position),
        orientation if any(orientation) else (0.0, 0.0, 0.0, 1.0),
    )


def transform_message(pose: Pose) -> Transform:
    """Convert the pose of a child frame to the transform to its parent."""
    return Transform(translation=vector_message(pose.position), rotation=_quaternion(pose))


def pose_from_transform(message: Transform) -> Pose:
    """Convert a transform to the pose of its child frame."""
    q = message.rotation
    return Pose(xyz_tuple(message.translation), (q.x, q.y, q.z, q.w))


def point_message(position: Triple) -> Point:
    """Convert a point [m]."""
    return Point(x=float(position[0]), y=float(position[1]), z=float(position[2]))


def vector_message(vector: Triple) -> Vector3:
    """Convert a vector or a size [m]."""
    return Vector3(x=float(vector[0]), y=float(vector[1]), z=float(vector[2]))


def xyz_tuple(message: Point | Vector3) -> Triple:
    """Return a point or vector as three numbers."""
    return float(message.x), float(message.y), float(message.z)


def _quaternion(pose: Pose) -> Quaternion:
    x, y, z, w = map(float, pose.orientation)
    return Quaternion(x=x, y=y, z=z, w=w)
