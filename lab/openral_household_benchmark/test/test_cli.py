"""Tasks in processes of their own: each is done once, also when there are more than one process does."""

from operator import attrgetter

from openral_household_benchmark.choices import TaskType
from openral_household_benchmark.cli import JOBS_PER_PROCESS, outcomes_of
from openral_household_benchmark.results import Job


def test_more_tasks_than_the_first_processes_do() -> None:
    jobs = [Job(TaskType.FIND, seed, "home", "scripted") for seed in range(2 * JOBS_PER_PROCESS + 3)]

    seeds = sorted(outcomes_of(jobs, attrgetter("seed"), workers=2))

    assert seeds == [job.seed for job in jobs]
