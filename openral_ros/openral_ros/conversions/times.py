"""Stamps as seconds and back."""

import math

from builtin_interfaces.msg import Time

from openral_core.errors import OpenRALError

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
