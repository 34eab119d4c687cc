"""ROS stamps: seconds, nanoseconds and back.

Apart from poses, so that nodes that only read stamps do not load scipy.
"""

import math

from builtin_interfaces.msg import Time

from openral_core.errors import OpenRALError

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
