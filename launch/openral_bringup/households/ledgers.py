"""Outcomes on disk: one line each, so that a broken-off run goes on where it stopped."""

from collections.abc import Iterable
from pathlib import Path

from openral_bringup.households.outcomes import Job, Outcome

FILE = "outcomes.jsonl"


class OutcomeLedger:
    """The outcomes of one folder, by their jobs' keys."""

    def __init__(self, folder: Path) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self._path = folder / FILE
        self._outcomes = {outcome.key: outcome for outcome in _read(self._path)}

    @property
    def outcomes(self) -> tuple[Outcome, ...]:
        """Every outcome, in the order of archetypes and seeds."""
        return tuple(
            sorted(self._outcomes.values(), key=lambda each: (each.archetype, each.scene, each.seed))
        )

    def left(self, jobs: Iterable[Job]) -> tuple[Job, ...]:
        """Jobs without an outcome."""
        return tuple(job for job in jobs if job.key not in self._outcomes)

    def add(self, outcome: Outcome) -> None:
        """Keep an outcome."""
        self._outcomes[outcome.key] = outcome
        with self._path.open("a", encoding="utf-8") as file:
            file.write(outcome.model_dump_json() + "\n")


def _read(path: Path) -> Iterable[Outcome]:
    """Lines that are whole; the last may have been cut off by whatever ended the run."""
    lines = path.read_text(encoding="utf-8").splitlines(keepends=True) if path.exists() else []
    return [Outcome.model_validate_json(line) for line in lines if line.endswith("\n")]
