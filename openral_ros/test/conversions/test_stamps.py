"""Conversions of stamps."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

pytest.importorskip("openral_msgs")
from builtin_interfaces.msg import Time

from openral_ros.conversions import stamps as times


@given(st.floats(-2e9, 2e9))
def test_stamps_keep_their_time_to_a_microsecond(time: float) -> None:
    assert times.seconds(times.stamp_of(time)) == pytest.approx(time, abs=1e-6)


@given(st.integers(-(2**31), 2**31 - 1), st.integers(0, 10**9 - 1))
def test_whatever_stamp_comes_can_be_told_again(sec: int, nanosec: int) -> None:
    time = times.seconds(Time(sec=sec, nanosec=nanosec))
    assert times.seconds(times.stamp_of(time)) == pytest.approx(time, abs=1e-6)


@pytest.mark.parametrize(
    ("time", "sec"), [(2147483648.0, 2**31 - 1), (math.inf, 2**31 - 1), (-1e300, -(2**31))]
)
def test_a_time_that_no_stamp_holds_is_the_nearest_that_can(time: float, sec: int) -> None:
    assert times.stamp_of(time).sec == sec


def test_a_time_that_is_no_number_is_refused() -> None:
    with pytest.raises(times.InvalidTime):
        times.stamp_of(math.nan)
