"""Trials on a Ray cluster: its nodes do them, this machine keeps the log.

Nodes need the keys of a vendor in their environment.
"""

from collections.abc import Iterator, Sequence

from openral_eval.fingerprint import code_hash
from openral_eval.runner import Work
from openral_eval.suites.tasks import TrialRecord
from openral_eval.trials import Trial, run_trial
from openral_training.ray_cluster import results_of_cluster

MAX_PENDING = 256
"""Trials that are queued at a time [1]."""


def on_cluster(address: str) -> Work:
    """Do trials on the nodes of a cluster, one per core at a time.

    Args:
        address: Address of its head, such as ``10.0.0.1:6379``; ``auto`` is the one that runs here.
    """
    return lambda trials: _on_cluster(address, trials)


def _on_cluster(address: str, trials: Sequence[Trial]) -> Iterator[TrialRecord]:
    for _, record in results_of_cluster(address, trials, _run, code_hash, pending=MAX_PENDING):
        yield TrialRecord.model_validate_json(record)


def _run(trial: Trial) -> str:
    return run_trial(trial).model_dump_json()
