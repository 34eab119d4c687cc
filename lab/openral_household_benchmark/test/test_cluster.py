"""Household tasks on a cluster that computes at once: results and files are as those of one process."""

import sys
from pathlib import Path

import pytest

from openral_household_benchmark import cluster
from openral_household_benchmark.choices import TaskType
from openral_household_benchmark.cluster import Work, on_cluster
from openral_household_benchmark.results import EpisodeResult, Job
from openral_testing.instant_ray import InstantRay

JOBS = [Job(TaskType.FIND, seed, "home") for seed in range(3)]


@pytest.fixture
def ray(monkeypatch: pytest.MonkeyPatch) -> None:
    """A cluster whose nodes have this machine's code."""
    monkeypatch.setitem(sys.modules, "ray", InstantRay())
    monkeypatch.setattr(cluster, "code_hash", lambda: "the same")


def worker(folder: Path) -> Work:
    """A worker whose odd tasks fail and leave a contact sheet."""

    def do(job: Job) -> EpisodeResult:
        own = folder / job.key
        (own / "left").mkdir(parents=True)
        (own / "left" / "memory").write_bytes(bytes([job.seed]))
        failed = job.seed % 2 == 1
        if failed:
            (own / "sheet.jpg").write_bytes(b"jpeg")
        return EpisodeResult(
            key=job.key,
            archetype=job.archetype,
            seed=job.seed,
            scene=job.scene,
            brain=job.brain,
            goal="find the mug",
            success=not failed,
            state="FAILED" if failed else "SUCCEEDED",
            wall=1.0,
            simulated=2.0,
            tool_calls=3,
            looks=1,
            containers_opened=0,
            sheet=str(own / "sheet.jpg") if failed else "",
        )

    return do


@pytest.mark.usefixtures("ray")
def test_a_cluster_leaves_what_one_process_leaves(tmp_path: Path) -> None:
    here = [worker(tmp_path / "here")(job) for job in JOBS]
    there = sorted(on_cluster("auto", JOBS, worker, tmp_path / "there"), key=lambda each: each.seed)

    def rest(outcome: EpisodeResult) -> dict[str, object]:
        return outcome.model_dump(exclude={"sheet"})

    def files(folder: Path) -> dict[str, bytes]:
        return {
            file.relative_to(folder).as_posix(): file.read_bytes()
            for file in folder.rglob("*")
            if file.is_file()
        }

    assert list(map(rest, there)) == list(map(rest, here))
    assert files(tmp_path / "there") == files(tmp_path / "here")
    assert [Path(each.sheet).is_file() for each in there] == [False, True, False]
