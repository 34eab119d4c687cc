"""Household tasks on a Ray cluster: its nodes do them, this machine keeps results and files.

A node explores a home anew for each task that begins with an explored one.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from openral_household_benchmark.results import PACKAGES, EpisodeResult, Job
from openral_household_benchmark.source_hash import hash_of_packages
from openral_training.ray_cluster import results_of_cluster

TASKS_PER_PROCESS = 8
"""Tasks that a process of a node does before a new one takes its place [1], which gives its memory back."""
Work = Callable[[Job], EpisodeResult]


@dataclass(frozen=True, slots=True)
class RemoteTask:
    """One task for a node."""

    job: Job  # The task.
    worker: Callable[[Path], Work]  # Makes what does tasks into a folder.


def on_cluster(
    address: str, jobs: Sequence[Job], worker: Callable[[Path], Work], out: Path
) -> Iterator[EpisodeResult]:
    """Do jobs on the nodes of a cluster, one per core at a time; their files lie in ``out`` afterwards.

    Args:
        address: Address of its head, such as ``10.0.0.1:6379``; ``auto`` is the one that runs here.
        jobs: Tasks.
        worker: Makes what does tasks into a folder; it is pickled.
        out: Folder of the results.

    Raises:
        NoRay: If Ray is not installed here.
        ClusterUnavailable: If the cluster cannot be reached, has other code, or a task raised.
    """
    tasks = [RemoteTask(job, worker) for job in jobs]
    results = results_of_cluster(address, tasks, do_remotely, code_hash, per_process=TASKS_PER_PROCESS)
    for task, (outcome, files) in results:
        folder = out / task.job.key
        for name, content in files.items():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            (folder / name).write_bytes(content)
        yield outcome.model_copy(update={"sheet": str(folder / outcome.sheet) if outcome.sheet else ""})


def code_hash() -> str:
    """Return the hash of the sources that decide how a task ends."""
    return hash_of_packages(*PACKAGES)


def do_remotely(task: RemoteTask) -> tuple[EpisodeResult, dict[str, bytes]]:
    """Do a task on a node; return its result and its files by their names in the task's folder."""
    with TemporaryDirectory() as temporary:
        outcome = task.worker(Path(temporary))(task.job)
        folder = Path(temporary) / task.job.key
        files = [file for file in sorted(folder.rglob("*")) if file.is_file()]
        contents = {file.relative_to(folder).as_posix(): file.read_bytes() for file in files}
        sheet = Path(outcome.sheet).relative_to(folder).as_posix() if outcome.sheet else ""
        return outcome.model_copy(update={"sheet": sheet}), contents
