"""Stamps as seconds and back."""

from builtin_interfaces.msg import Time

NANO = 1_000_000_000


def seconds(stamp: Time) -> float:
    """A stamp in [s]."""
    return float(stamp.sec) + stamp.nanosec / NANO


def nanoseconds(stamp: Time) -> int:
    """A stamp in [ns], exact: for matching messages by stamp."""
    return int(stamp.sec) * NANO + int(stamp.nanosec)


def stamp_of(time: float) -> Time:
    """A time [s] as a stamp, to the nanosecond nearest."""
    whole, nano = divmod(round(time * NANO), NANO)
    return Time(sec=whole, nanosec=nano)
