"""Delays double, stay within their bounds and spread when jittered."""

from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from openral_core.backoff import ExponentialBackoff


def test_delays_double_up_to_the_maximum() -> None:
    backoff = ExponentialBackoff(initial=0.5, maximum=3.0)
    assert [backoff.delay(failures) for failures in (1, 2, 3, 4, 5)] == [0.5, 1.0, 2.0, 3.0, 3.0]


def test_without_a_maximum_delays_keep_doubling() -> None:
    assert ExponentialBackoff(2.0).delay(7) == pytest.approx(128.0)


@given(st.integers(1, 10_000), st.floats(0.01, 10.0), st.floats(0.01, 1000.0))
def test_a_delay_is_never_longer_than_the_maximum(failures: int, initial: float, maximum: float) -> None:
    assert 0.0 < ExponentialBackoff(initial, maximum).delay(failures) <= maximum


@given(st.integers(1, 20), st.integers())
def test_jitter_stays_within_half_of_the_delay(failures: int, seed: int) -> None:
    backoff = ExponentialBackoff(1.0, 60.0)
    assert 0.5 <= backoff.jittered_delay(failures, Random(seed)) / backoff.delay(failures) < 1.5
