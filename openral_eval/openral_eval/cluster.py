"""Trials on a Ray cluster: its nodes do them, this machine keeps the log.

Nodes need these packages, their dependencies, Ray, and the keys of a vendor in their environment.
"""

from collections.abc import Iterator, Sequence

from openral_core.errors import OpenRALError
from openral_eval.fingerprint import code_hash
from openral_eval.runner import Work
from openral_eval.tasks import TrialRecord
from openral_eval.trials import Trial, run_trial

MAX_PENDING = 256
"""Trials that are queued at a time [1]."""


class NoRay(OpenRALError):
    """Ray is not installed."""

    def __init__(self) -> None:
        super().__init__(
            "--cluster needs Ray, which is not installed: pip install -r requirements/cluster.txt, "
            "here and on every node"
        )


class ClusterUnavailable(OpenRALError):
    """A cluster that cannot be reached, or has other code than this machine."""

    def __init__(self, address: str, problem: object) -> None:
        super().__init__(f"--cluster {address}: {problem}")


def on_cluster(address: str) -> Work:
    """Do trials on the nodes of a cluster, one per core at a time.

    Args:
        address: Address of its head, such as ``10.0.0.1:6379``; ``auto`` is the one that runs here.
    """
    return lambda trials: _on_cluster(address, trials)


def _run(trial: Trial, wanted: str) -> str:
    """Do a trial on a node; return its record as JSON, or the problem if the node has other code."""
    found = code_hash()
    return run_trial(trial).model_dump_json() if found == wanted else f"a node has the code {found}"


def _on_cluster(address: str, trials: Sequence[Trial]) -> Iterator[TrialRecord]:
    try:
        import ray
    except ImportError as error:
        raise NoRay from error
    left, wanted = list(trials), code_hash()
    try:
        ray.init(address=address, log_to_driver=False, configure_logging=False)
        run, pending = ray.remote(num_cpus=1)(_run), list[object]()
        while left or pending:
            while left and len(pending) < MAX_PENDING:
                pending.append(run.remote(left.pop(0), wanted))
            (done,), pending = ray.wait(pending)
            record = ray.get(done)
            if not record.startswith("{"):
                raise ClusterUnavailable(address, f"{record}, this machine has {wanted}")
            yield TrialRecord.model_validate_json(record)
    except (ConnectionError, ray.exceptions.RayError) as error:
        raise ClusterUnavailable(address, error) from error
    finally:
        ray.shutdown()
