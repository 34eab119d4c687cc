"""Each archetype once, whole, in physics."""

from pathlib import Path

import pytest

from openral_bringup.households.archetypes import Archetype
from openral_bringup.households.fleets import Worker
from openral_bringup.households.outcomes import Job
from openral_bringup.households.runs import RunOptions
from openral_reasoner.recordings import read_lines, replay


@pytest.mark.parametrize(
    ("archetype", "seed"),
    [
        (Archetype.FETCH, 0),
        (Archetype.FIND, 0),
        (Archetype.OPEN, 0),
        (Archetype.VIEW, 0),
        (Archetype.HAND, 0),
    ],
)
def test_does_a_household_task_and_its_recording_replays(
    archetype: Archetype, seed: int, tmp_path: Path
) -> None:
    job = Job(archetype, seed, "home")
    outcome = Worker(tmp_path, RunOptions())(job)
    assert outcome.success, (outcome.why, outcome.words)
    with (tmp_path / job.key / "reasoner.jsonl").open(encoding="utf-8") as lines:
        assert replay(*read_lines(lines)) is None
