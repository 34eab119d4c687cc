"""Each archetype once, whole, in physics."""

from pathlib import Path

import pytest

from openral_household_benchmark.choices import TaskType
from openral_household_benchmark.cli import Worker
from openral_household_benchmark.episode import RunOptions
from openral_household_benchmark.results import Job
from openral_testing.recordings.lives import read_lines
from openral_testing.recordings.replay import replay


@pytest.mark.parametrize(
    ("archetype", "seed"),
    [
        (TaskType.FETCH, 0),
        (TaskType.FIND, 0),
        (TaskType.OPEN, 0),
        (TaskType.VIEW, 0),
        (TaskType.HAND, 0),
        (TaskType.SWITCH, 0),
    ],
)
def test_does_a_household_task_and_its_recording_replays(
    archetype: TaskType, seed: int, tmp_path: Path
) -> None:
    job = Job(archetype, seed, "home")
    outcome = Worker(tmp_path, RunOptions())(job)
    assert outcome.success, (outcome.why, outcome.words)
    with (tmp_path / job.key / "reasoner.jsonl").open(encoding="utf-8") as lines:
        assert replay(*read_lines(lines)) is None
