"""Runner of trials: a budget in money ends a run, and the same command goes on."""

from collections.abc import Iterator, Sequence
from math import inf
from pathlib import Path

import pytest

from openral_eval.brains import BrainSpec
from openral_eval.fingerprint import Fingerprint
from openral_eval.results_log import ResultsLog, RunDescription
from openral_eval.runner import BudgetSpent, PriceUnknown, Work, run_trials
from openral_eval.suites.registry import tasks_of
from openral_eval.suites.tasks import SuiteOptions, TrialRecord
from openral_eval.trials import Trial, run_trial

OPTIONS = SuiteOptions(limit=4)
TRIALS = [Trial(task, 0, BrainSpec(), OPTIONS) for task in tasks_of(["search"], OPTIONS)]
RUN = RunDescription(
    brain="scripted",
    suites=("search",),
    trials=1,
    seed=0,
    limit=4,
    fingerprint=Fingerprint(code="c", tasks="t", seeds="s", prompts="p"),
)


def costing(cost: float | None) -> Work:
    def work(trials: Sequence[Trial]) -> Iterator[TrialRecord]:
        for trial in trials:
            yield run_trial(trial).model_copy(update={"cost": cost})

    return work


def test_a_budget_ends_a_run_and_a_larger_one_goes_on(tmp_path: Path) -> None:
    with ResultsLog(tmp_path, RUN, resume=True) as log:
        with pytest.raises(BudgetSpent, match=r"2 trials are left: \$1\.00 of the budget of \$0\.75"):
            run_trials(TRIALS, log, costing(0.5), lambda *_: None, 0.75)
        with pytest.raises(BudgetSpent):
            run_trials(TRIALS, log, costing(0.5), lambda *_: None, 0.75)
        assert len(log.records) == 2
        assert len(run_trials(TRIALS, log, costing(0.5), lambda *_: None, inf)) == 4


def test_a_budget_needs_prices(tmp_path: Path) -> None:
    with ResultsLog(tmp_path, RUN, resume=True) as log:
        with pytest.raises(PriceUnknown, match="--prices"):
            run_trials(TRIALS, log, costing(None), lambda *_: None, 1.0)
        assert len(log.records) == 1
