"""Where the time goes."""

from time import monotonic

from openral_sim.simulation import StepProfiler


def test_time_inside_a_part_is_counted_towards_it() -> None:
    shares = StepProfiler()
    with shares.of("work"):
        end = monotonic() + 0.01
        while monotonic() < end:
            pass
    name, share = shares.summary().rsplit(" ", 1)
    assert name == "work"
    assert 0.0 < float(share.rstrip("%")) <= 100.0
    shares.restart()
    assert shares.summary() == "no steps"
