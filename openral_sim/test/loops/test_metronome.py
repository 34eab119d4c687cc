"""Outputs at their rates."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from openral_sim.simulation import RateTimer

PERIOD = 0.02


@pytest.mark.parametrize("rate", [1.0, 5.0, 7.0, 25.0, 30.0, 50.0])
def test_beats_as_often_as_it_is_told_over_ten_seconds(rate: float) -> None:
    metronome = RateTimer(rate)
    beats = sum(metronome.due(i * PERIOD) for i in range(500))
    assert beats == pytest.approx(10 * rate, abs=1)


def test_a_sum_of_time_steps_beats_evenly() -> None:
    metronome, time, beats = RateTimer(5.0), 0.0, []
    for i in range(5000):
        time = sum((0.002,) * 10, time)
        if metronome.due(time):
            beats.append(i)
    assert {later - earlier for earlier, later in pairwise(beats[1:])} == {10}


@given(rate=st.floats(0.1, 50.0), gaps=st.lists(st.floats(0.0, 5.0), min_size=1))
def test_never_beats_twice_at_one_instant(rate: float, gaps: list[float]) -> None:
    metronome, time = RateTimer(rate), 0.0
    for gap in gaps:
        time += gap
        metronome.due(time)
        assert not metronome.due(time)
