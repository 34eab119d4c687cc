"""Runner of trials: in this process, in one process per core, resumable in every case."""

import multiprocessing
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from math import inf

from openral_core.errors import OpenRALError
from openral_eval.results_log import ResultsLog
from openral_eval.suites.tasks import TrialRecord
from openral_eval.trials import Trial, run_trial

Work = Callable[[Sequence[Trial]], Iterator[TrialRecord]]
"""Does trials in any order and yields each record as soon as it is there."""


def in_processes(count: int) -> Work:
    """Do trials in a number of processes; one works in this process."""
    return _one_by_one if count == 1 else lambda trials: _in_pool(trials, count)


def _one_by_one(trials: Sequence[Trial]) -> Iterator[TrialRecord]:
    yield from map(run_trial, trials)


def _in_pool(trials: Sequence[Trial], count: int) -> Iterator[TrialRecord]:
    spawn = multiprocessing.get_context("spawn")
    pool = ProcessPoolExecutor(min(count, len(trials)) or 1, mp_context=spawn)
    try:
        for future in as_completed([pool.submit(run_trial, trial) for trial in trials]):
            yield future.result()
    finally:
        # A run that its budget ends begins no further trial.
        pool.shutdown(cancel_futures=True)


class BudgetSpent(OpenRALError):
    """Trials that a budget does not pay for; what is done is in the log."""

    def __init__(self, budget: float, spent: float, remaining: int) -> None:
        super().__init__(
            f"{remaining} trials are left: ${spent:.2f} of the budget of ${budget:.2f} are spent; "
            "repeat the command with a larger --budget-dollars"
        )


class PriceUnknown(OpenRALError):
    """A model without a price under a budget in money."""

    def __init__(self, model: str) -> None:
        super().__init__(
            f"--budget-dollars cannot be held: model {model!r} has no price; name a list with --prices"
        )


def run_trials(
    trials: Sequence[Trial],
    log: ResultsLog,
    work: Work,
    on_record: Callable[[TrialRecord, int], None],
    budget: float = inf,
) -> tuple[TrialRecord, ...]:
    """Do the trials that the log lacks, and return those asked for, in order.

    Args:
        trials: All trials of the run.
        log: Where they are kept.
        work: Does them.
        on_record: Called with each new record and the number of trials that are left.
        budget: What all trials of the log may cost [US$]; those under way when it is used up still end.

    Raises:
        BudgetSpent: If it ends the run.
        PriceUnknown: If a trial has no price under a budget.
    """
    missing = [trial for trial in trials if not log.has(trial.key)]
    _check_budget(log, budget, len(missing))
    for count, record in enumerate(work(missing), start=1) if missing else ():
        log.add(record)
        on_record(record, len(missing) - count)
        _check_budget(log, budget, len(missing) - count)
    keys = {trial.key for trial in trials}
    return tuple(record for record in log.records if record.key in keys)


def _check_budget(log: ResultsLog, budget: float, remaining: int) -> None:
    if budget == inf or not remaining:
        return
    unpriced = next((each for each in log.records if each.cost is None), None)
    if unpriced is not None:
        raise PriceUnknown(unpriced.model)
    spent = sum(each.cost or 0.0 for each in log.records)
    if spent >= budget:
        raise BudgetSpent(budget, spent, remaining)
