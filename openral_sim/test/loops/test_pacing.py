"""Real time, and what happens when it cannot be kept."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from openral_sim.simulation import RealTimePacer


def test_waits_for_the_wall_clock() -> None:
    pacer = RealTimePacer(1.0)
    pacer.delay(100.0, 5.0)
    assert pacer.delay(100.005, 5.02) == pytest.approx(0.015)


def test_twice_real_time_waits_half_as_long() -> None:
    pacer = RealTimePacer(2.0)
    pacer.delay(100.0, 0.0)
    assert pacer.delay(100.0, 0.02) == pytest.approx(0.01)


def test_a_slow_period_is_made_up_for() -> None:
    pacer = RealTimePacer(1.0)
    pacer.delay(0.0, 0.0)
    assert pacer.delay(0.06, 0.02) == 0.0
    assert pacer.delay(0.061, 0.08) == pytest.approx(0.019)


def test_a_long_halt_is_not_made_up_for() -> None:
    pacer = RealTimePacer(1.0)
    pacer.delay(0.0, 0.0)
    assert pacer.delay(10.0, 0.02) == 0.0
    assert pacer.delay(10.0, 0.04) == pytest.approx(0.02)


@given(now=st.floats(0, 1e6), time=st.floats(0, 1e6))
def test_as_fast_as_it_can_never_waits(now: float, time: float) -> None:
    pacer = RealTimePacer(0.0)
    pacer.delay(0.0, 0.0)
    assert pacer.delay(now, time) == 0.0


@given(walls=st.lists(st.floats(0.0, 0.5), min_size=1, max_size=50))
def test_never_waits_longer_than_one_period_of_simulated_time(walls: list[float]) -> None:
    pacer, now = RealTimePacer(1.0), 0.0
    for i, wall in enumerate(walls):
        now += wall
        delay = pacer.delay(now, 0.02 * i)
        assert 0.0 <= delay <= 0.12 + 1e-9
        now += delay
