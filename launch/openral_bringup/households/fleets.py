"""Many jobs on the cores there are."""

import multiprocessing
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from pathlib import Path

from openral_bringup.graphs.locations import rskill_folders
from openral_bringup.households.graph_runs import run_on_graph
from openral_bringup.households.outcomes import Job, Outcome
from openral_bringup.households.runs import RunOptions, run_job
from openral_core.rskills import Registry
from openral_reasoner_ros.brains import make_brain
from openral_reasoner_ros.parameters import Brain, ReasonerParameters

Work = Callable[[Job], Outcome]


def outcomes_of(jobs: Sequence[Job], work: Work, workers: int) -> Iterator[Outcome]:
    """Outcomes as they come; with one worker in this process, else in processes of their own."""
    if workers == 1 or len(jobs) == 1:
        yield from map(work, jobs)
        return
    fresh = multiprocessing.get_context("spawn")
    # A drawing context does not survive a fork, and memory is given back after every job.
    with ProcessPoolExecutor(min(workers, len(jobs)), mp_context=fresh, max_tasks_per_child=8) as pool:
        for done in as_completed([pool.submit(work, job) for job in jobs]):
            yield done.result()


class Worker:
    """Does jobs in a process; each leaves its files in a folder of its own."""

    def __init__(self, folder: Path, options: RunOptions, model: str = "", base_url: str = "") -> None:
        self._folder, self._options = folder, options
        self._model, self._base_url = model, base_url

    def __call__(self, job: Job) -> Outcome:
        """One job."""
        if self._options.graph:
            return run_on_graph(job, self._folder / job.key)
        folders = rskill_folders()
        parameters = ReasonerParameters(
            brain=Brain(job.brain),
            model=self._model,
            base_url=self._base_url,
            rskill_folders=tuple(map(str, folders)),
        )
        registry = Registry.load(folders)
        brain = make_brain(parameters)
        return run_job(job, registry, brain, self._folder / job.key, self._options)
