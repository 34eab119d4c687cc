"""A rate is bounded, and a burst passes."""

import pytest

from openral_core.token_bucket import TokenBucket


def test_fast_events_are_thinned_to_the_rate_and_slow_ones_pass_whole() -> None:
    fast, slow = TokenBucket(2.0), TokenBucket(2.0)
    assert sum(fast.take(tick * 0.01) for tick in range(1000)) == pytest.approx(20, abs=1)
    assert all(slow.take(tick * 0.5) for tick in range(20))


def test_a_burst_passes_whole_and_an_endless_one_does_not() -> None:
    bucket = TokenBucket(50.0, burst=50.0)
    assert all(bucket.take(1.0) for _ in range(50))
    assert not bucket.take(1.0)
