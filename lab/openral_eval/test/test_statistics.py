"""Statistics of trials."""

from collections.abc import Callable

import pytest

from openral_eval.statistics import by_category, score
from openral_eval.suites.tasks import TrialRecord

Record = Callable[..., TrialRecord]


def test_a_task_that_fails_half_the_time_loses_with_every_further_trial(record: Record) -> None:
    trials = [record("a", n, "" if n % 2 else "FAILED") for n in range(8)]
    found = score(trials)
    assert found.success == 0.5
    assert found.pass_hat == pytest.approx((0.5, 3 / 14, 1 / 14, 1 / 70, 0.0, 0.0, 0.0, 0.0))
    assert found.failures == {"FAILED": 4}


def test_pass_hat_goes_as_far_as_the_task_with_the_fewest_trials(record: Record) -> None:
    found = score([record("a", 0), record("a", 1), record("b", 0)])
    assert found.pass_hat == (1.0,)
    assert (found.tasks, found.trials) == (2, 3)


def test_a_decision_without_a_price_makes_the_cost_unknown(record: Record) -> None:
    assert score([record("a", 0), record("a", 1)]).cost == 1.0
    assert score([record("a", 0), record("a", 1, cost=None)]).cost is None


def test_spl_is_averaged_where_it_is_defined(record: Record) -> None:
    assert score([record("a", 0, spl=0.5), record("b", 0)]).spl == 0.5
    assert score([record("b", 0)]).spl is None


def test_latency_is_that_of_decisions(record: Record) -> None:
    found = score([record("a", 0)])
    assert found.median == 0.2
    assert 0.2 < found.p95 <= 0.9


def test_categories_are_told_apart(record: Record) -> None:
    found = by_category([record("a", 0), record("b", 0, "FAILED", category="pour")])
    assert found["household", "fetch"].success == 1.0
    assert found["household", "pour"].success == 0.0
