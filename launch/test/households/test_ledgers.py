"""Outcomes on disk."""

from pathlib import Path

from openral_household_benchmark.results import FILE, EpisodeResult, Job, ResultStore
from openral_household_benchmark.task import TaskType


def outcome_of(job: Job, *, why: str = "") -> EpisodeResult:
    return EpisodeResult(
        key=job.key,
        archetype=job.archetype,
        seed=job.seed,
        scene=job.scene,
        brain=job.brain,
        goal="find the mug",
        success=not why,
        state="SUCCEEDED",
        why=why,
        wall=10.0,
        simulated=40.0,
        tool_calls=4,
        looks=2,
        containers_opened=1,
        metres=6.5,
    )


JOBS = tuple(Job(TaskType.FIND, seed, "home") for seed in range(3))


def test_goes_on_where_a_run_broke_off(tmp_path: Path) -> None:
    ResultStore(tmp_path).add(outcome_of(JOBS[1]))
    assert ResultStore(tmp_path).left(JOBS) == (JOBS[0], JOBS[2])


def test_does_a_job_again_whose_line_was_cut_off(tmp_path: Path) -> None:
    ledger = ResultStore(tmp_path)
    ledger.add(outcome_of(JOBS[0]))
    ledger.add(outcome_of(JOBS[1]))
    file = tmp_path / FILE
    file.write_text(file.read_text(encoding="utf-8")[:-10], encoding="utf-8")
    assert ResultStore(tmp_path).left(JOBS) == JOBS[1:]


def test_another_brain_is_another_job(tmp_path: Path) -> None:
    ledger = ResultStore(tmp_path)
    ledger.add(outcome_of(JOBS[0]))
    other = Job(TaskType.FIND, 0, "home", "anthropic")
    assert ledger.left([other]) == (other,)
