"""Delays double, stay within their bounds and spread when jittered; a circuit breaker bounds restarts."""

from itertools import pairwise
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from openral_core.backoff import CircuitBreaker, ExponentialBackoff, RestartDecision


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


OPEN = CircuitBreaker(limit=0, window=100.0, cool_down=10.0, max_cooldown=35.0)


def failures(policy: CircuitBreaker, *times: float) -> list[RestartDecision]:
    found = []
    for now in times:
        restart, policy = policy.on_failure(now)
        found.append(restart)
    return found


def test_each_quick_restart_waits_twice_as_long_and_then_it_is_circuit_open_for_a_while() -> None:
    policy = CircuitBreaker(limit=3, first_delay=0.5, cool_down=60.0)
    assert failures(policy, 0.0, 1.0, 2.0, 3.0) == [
        *(RestartDecision(delay) for delay in (0.5, 1.0, 2.0)),
        RestartDecision(60.0, circuit_open=True),
    ]


def test_old_losses_are_forgotten() -> None:
    _, policy = CircuitBreaker(limit=1, window=10.0).on_failure(0.0)
    assert policy.on_failure(9.0)[0].circuit_open
    assert policy.on_failure(10.0)[0] == RestartDecision(policy.first_delay)


def test_a_worker_lost_on_trial_is_circuit_open_for_longer_up_to_the_longest() -> None:
    assert [failure.delay for failure in failures(OPEN, *map(float, range(0, 250, 50)))] == [
        10,
        20,
        35,
        35,
        35,
    ]


def test_one_that_never_recovers_is_tried_for_ever_at_the_longest() -> None:
    assert failures(OPEN, *(40.0 * n for n in range(5000)))[-1] == RestartDecision(35.0, circuit_open=True)


def test_a_longest_that_is_shorter_than_the_first_changes_nothing() -> None:
    policy = CircuitBreaker(limit=0, cool_down=60.0, max_cooldown=1.0)
    assert [failure.delay for failure in failures(policy, 0.0, 70.0)] == [60.0, 60.0]


def test_a_look_on_trial_closes_the_circuit_and_quick_restarts_are_had_again() -> None:
    policy = CircuitBreaker(limit=1, cool_down=60.0)
    for now in (0.0, 1.0):
        _, policy = policy.on_failure(now)
    assert policy.half_open
    closed = policy.on_success(70.0)
    assert not closed.half_open
    assert closed.on_failure(71.0)[0] == RestartDecision(policy.first_delay)


def test_a_look_without_trial_changes_nothing() -> None:
    _, policy = CircuitBreaker(limit=3).on_failure(0.0)
    assert policy.on_success(1.0) == policy


def test_soon_after_its_recovery_it_is_circuit_open_for_longer_and_after_a_quiet_window_as_at_first() -> None:
    _, policy = OPEN.on_failure(0.0)
    closed = policy.on_success(20.0)
    assert closed.on_failure(119.0)[0].delay == 20.0
    assert closed.on_failure(120.0)[0].delay == 10.0


@given(st.integers(0, 4), st.lists(st.tuples(st.floats(0.0, 30.0), st.booleans()), max_size=80))
def test_no_more_starts_than_the_bounds_allow_however_it_fails(
    limit: int, history: list[tuple[float, bool]]
) -> None:
    """Between two times of being given up there are ``limit`` quick restarts within any window at most."""
    policy = CircuitBreaker(limit=limit, window=100.0, first_delay=0.5, cool_down=10.0, max_cooldown=80.0)
    now, quick, waits = 0.0, [], []
    for lived, proves in history:
        now += lived
        if proves:
            policy = policy.on_success(now)
        trial = policy.half_open
        restart, policy = policy.on_failure(now)
        assert restart.circuit_open or not trial
        quick = [] if restart.circuit_open else [*quick, now]
        waits += [restart.delay] if restart.circuit_open else []
        assert sum(now - item < 100.0 for item in quick) <= limit
        now += restart.delay
    assert all(10.0 <= wait <= 80.0 for wait in waits)
    assert all(later in (10.0, min(2.0 * former, 80.0)) for former, later in pairwise(waits))
