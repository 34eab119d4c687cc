"""Poses, points and vectors."""
# MERGED Stamps as seconds and back.

import math

from builtin_interfaces.msg import Time
from geometry_msgs.msg import Point, Quaternion, Transform, Vector3
from geometry_msgs.msg import Pose as PoseMsg

from openral_core.errors import OpenRALError
from openral_core.geometry import Pose

Triple = tuple[float, float, float]


def pose_message(pose: Pose) -> PoseMsg:
    """A pose as a message."""
    return PoseMsg(position=point_message(pose.position), orientation=_quaternion(pose))


def pose_from_message(message: PoseMsg) -> Pose:
    """A message as a pose; an all-zero quaternion, which senders leave unset, means no rotation.

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
    """A pose of a child frame as the transform to its parent."""
    return Transform(translation=vector_message(pose.position), rotation=_quaternion(pose))


def pose_from_transform(message: Transform) -> Pose:
    """A transform as the pose of its child frame."""
    q = message.rotation
    return Pose(xyz_tuple(message.translation), (q.x, q.y, q.z, q.w))


def point_message(position: Triple) -> Point:
    """A point [m]."""
    return Point(x=float(position[0]), y=float(position[1]), z=float(position[2]))


def vector_message(vector: Triple) -> Vector3:
    """A vector, or a size [m]."""
    return Vector3(x=float(vector[0]), y=float(vector[1]), z=float(vector[2]))


def xyz_tuple(message: Point | Vector3) -> Triple:
    """A point or vector as three numbers."""
    return float(message.x), float(message.y), float(message.z)


def _quaternion(pose: Pose) -> Quaternion:
    x, y, z, w = map(float, pose.orientation)
    return Quaternion(x=x, y=y, z=z, w=w)


NANO = 1_000_000_000
EARLIEST, LATEST = -(2**31), 2**31 - 1
"""What a stamp can hold [s]."""


class InvalidTime(OpenRALError):
    """A time that is no number."""

    def __init__(self, time: float) -> None:
        super().__init__(f"{time!r} is no time in seconds")


def seconds(stamp: Time) -> float:
    """A stamp in [s]."""
    return float(stamp.sec) + stamp.nanosec / NANO


def nanoseconds(stamp: Time) -> int:
    """A stamp in [ns], exact: for matching messages by stamp."""
    return int(stamp.sec) * NANO + int(stamp.nanosec)


def stamp_of(time: float) -> Time:
    """A time [s] as a stamp, to the nanosecond nearest; one that no stamp can hold is the nearest that can.

    Raises:
        InvalidTime: If it is not a number.
    """
    if math.isnan(time):
        raise InvalidTime(time)
    whole, nano = divmod(round(min(max(time, EARLIEST), LATEST + 1.0) * NANO), NANO)
    return Time(sec=whole, nanosec=nano) if whole <= LATEST else Time(sec=LATEST, nanosec=NANO - 1)
