"""Conversions of poses, points, vectors and time stamps."""

import math

from builtin_interfaces.msg import Time
from geometry_msgs.msg import Point, Quaternion, Transform, Vector3
from geometry_msgs.msg import Pose as PoseMsg

from openral_core.errors import OpenRALError
from openral_core.geometry import Pose

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


NANO = 1_000_000_000
"""Nanoseconds per second."""
EARLIEST, LATEST = -(2**31), 2**31 - 1
"""Range of a stamp [s]: its seconds are an int32."""


class InvalidTime(OpenRALError):
    """A time that is not a number."""

    def __init__(self, time: float) -> None:
        super().__init__(f"{time!r} is not a time in seconds")


def seconds(stamp: Time) -> float:
    """Return a stamp in [s]."""
    return float(stamp.sec) + stamp.nanosec / NANO


def nanoseconds(stamp: Time) -> int:
    """Return a stamp in [ns], exact, for matching messages by stamp."""
    return int(stamp.sec) * NANO + int(stamp.nanosec)


def stamp_of(time: float) -> Time:
    """Convert a time [s] to a stamp, rounded to nanoseconds and clamped to the range of stamps.

    Raises:
        InvalidTime: If it is not a number.
    """
    if math.isnan(time):
        raise InvalidTime(time)
    whole, nano = divmod(round(min(max(time, EARLIEST), LATEST + 1.0) * NANO), NANO)
    return Time(sec=whole, nanosec=nano) if whole <= LATEST else Time(sec=LATEST, nanosec=NANO - 1)
