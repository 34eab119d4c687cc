"""A rate is bounded, and a burst passes."""

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from openral_core.token_bucket import TokenBucket


def test_fast_events_are_thinned_to_the_rate_and_slow_ones_pass_whole() -> None:
    fast, slow = TokenBucket(2.0), TokenBucket(2.0)
    assert sum(fast.take(tick * 0.01) for tick in range(1000)) == pytest.approx(20, abs=1)
    assert all(slow.take(tick * 0.5) for tick in range(20))


def test_a_burst_passes_whole_and_an_endless_one_does_not() -> None:
    bucket = TokenBucket(50.0, burst=50.0)
    assert all(bucket.take(1.0) for _ in range(50))
    assert not bucket.take(1.0)


@given(st.floats(0.5, 50.0), st.lists(st.floats(0.0, 1.0), min_size=1, max_size=200))
def test_the_rate_is_never_exceeded_by_more_than_the_burst(rate: float, gaps: list[float]) -> None:
    bucket, now, events = TokenBucket(rate, burst=3.0), 0.0, 0
    for gap in gaps:
        now += gap
        events += bucket.take(now)
    assert events <= now * rate + 3.0 + 1e-6


@pytest.mark.parametrize("source", [5.0, 10.0, 10.3, 11.0, 12.0, 15.0, 19.0, 25.0, 30.0, 60.0, 90.0])
@pytest.mark.parametrize("jitter", [0.0, 0.2])
def test_a_source_of_any_rate_gives_the_limit_on_average(source: float, jitter: float) -> None:
    """Jitter is a fraction of the source's period, uniform."""
    rng, bucket, seconds = random.Random(0), TokenBucket(10.0, burst=3.0), 200
    ticks = (tick + rng.uniform(-jitter, jitter) for tick in range(int(source * seconds)))
    rate = sum(bucket.take(tick / source) for tick in ticks) / seconds
    assert rate == pytest.approx(min(source, 10.0), rel=0.005)
