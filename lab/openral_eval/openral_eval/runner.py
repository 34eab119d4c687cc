"""Runner of trials: in this process, in one process per core, resumable in every case."""

import multiprocessing
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed

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
    with ProcessPoolExecutor(min(count, len(trials)) or 1, mp_context=spawn) as pool:
        for future in as_completed([pool.submit(run_trial, trial) for trial in trials]):
            yield future.result()


def run_trials(
    trials: Sequence[Trial], log: ResultsLog, work: Work, on_record: Callable[[TrialRecord, int], None]
) -> tuple[TrialRecord, ...]:
    """Do the trials that the log lacks, and return those asked for, in order.

    Args:
        trials: All trials of the run.
        log: Where they are kept.
        work: Does them.
        on_record: Called with each new record and the number of trials that are left.
    """
    missing = [trial for trial in trials if not log.has(trial.key)]
    for count, record in enumerate(work(missing), start=1) if missing else ():
        log.add(record)
        on_record(record, len(missing) - count)
    keys = {trial.key for trial in trials}
    return tuple(record for record in log.records if record.key in keys)
