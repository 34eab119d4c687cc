from hypothesis import given
from hypothesis import strategies as st

from openral_perception_ros.supervision import RestartPolicy


def test_each_restart_waits_twice_as_long_and_the_last_is_the_limit() -> None:
    policy, delays = RestartPolicy(limit=3, first_delay=0.5), []
    for now in range(4):
        delay, policy = policy.lost(float(now))
        delays.append(delay)
    assert delays == [0.5, 1.0, 2.0, None]


def test_old_losses_are_forgotten() -> None:
    policy = RestartPolicy(limit=1, window=10.0)
    _, policy = policy.lost(0.0)
    assert policy.lost(9.0)[0] is None
    assert policy.lost(10.0)[0] == policy.first_delay


@given(st.integers(0, 5), st.lists(st.floats(0.0, 3.0), max_size=60))
def test_restarts_within_a_window_never_pass_the_limit(limit: int, gaps: list[float]) -> None:
    policy, now, restarts = RestartPolicy(limit=limit, window=10.0), 0.0, []
    for gap in gaps:
        now += gap
        delay, policy = policy.lost(now)
        restarts += [now] if delay is not None else []
    assert all(sum(start - 10.0 < each <= start for each in restarts) <= limit for start in restarts)
