"""Log of a run on disk: one synced line per trial, so that a killed run goes on where it was."""

import json
import os
from collections.abc import Iterable
from pathlib import Path

from openral_core.documents import Document, InvalidDocument, parse_document, read_json
from openral_core.errors import OpenRALError
from openral_core.parsing import parse_json
from openral_eval.fingerprint import Fingerprint
from openral_eval.suites.tasks import TrialRecord

TRIALS, RUN = "trials.jsonl", "run.json"


class RunDescription(Document):
    """Options that decide what a run does; a log holds trials of one description only."""

    brain: str
    base_url: str = ""
    suites: tuple[str, ...]
    trials: int
    seed: int
    limit: int
    without: tuple[str, ...] = ()
    advisor: str = ""
    prompt: str = ""
    deadline: float | None = None
    temperature: float | None = None
    fingerprint: Fingerprint


class OtherRun(OpenRALError):
    """Folder with the trials of another run."""

    def __init__(self, folder: Path, differences: Iterable[str]) -> None:
        super().__init__(
            f"{folder} holds trials of another run, which differs in {', '.join(differences)}: "
            "choose another --out, or delete the folder"
        )


class TrialsExist(OpenRALError):
    """Folder with trials, although a new run was asked for."""

    def __init__(self, folder: Path, trials: int) -> None:
        super().__init__(
            f"{folder} already holds {trials} trials: add --resume to go on, or choose another --out"
        )


class ResultsLog:
    """Trials of one run in a folder.

    Raises:
        OtherRun: If the folder holds trials of another run.
        InvalidDocument: If a line before the last is no trial.
        TrialsExist: If it holds trials and ``resume`` is False.
    """

    def __init__(self, folder: Path, description: RunDescription, *, resume: bool) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self._path = folder / TRIALS
        self._records = {each.key: each for each in _read_whole_lines(self._path)}
        if self._records and not resume:
            raise TrialsExist(folder, len(self._records))
        _check(folder, description, started=bool(self._records))
        self._file = self._path.open("a", encoding="utf-8")

    def __enter__(self) -> "ResultsLog":
        return self

    def __exit__(self, *error: object) -> None:
        self._file.close()

    @property
    def records(self) -> tuple[TrialRecord, ...]:
        """Every trial, in the order of its key."""
        return tuple(record for _, record in sorted(self._records.items()))

    def has(self, key: str) -> bool:
        """Return True if a trial is done."""
        return key in self._records

    def add(self, record: TrialRecord) -> None:
        """Append a trial and wait until it is on the disk."""
        self._file.write(record.model_dump_json() + "\n")
        self._file.flush()
        os.fsync(self._file.fileno())
        self._records[record.key] = record


def _read_whole_lines(path: Path) -> list[TrialRecord]:
    """Read the trials; cut off a last line that was torn, because the next one would continue it."""
    if not path.exists():
        return []
    content = path.read_bytes()
    whole = content[: content.rfind(b"\n") + 1]
    if whole != content:
        with path.open("r+b") as file:
            file.truncate(len(whole))
            os.fsync(file.fileno())
    return [_parse(line, path, number) for number, line in enumerate(whole.splitlines(), start=1)]


def _parse(line: bytes, path: Path, number: int) -> TrialRecord:
    """Parse one line.

    Raises:
        InvalidDocument: If it is no trial.
    """
    try:
        return parse_document(TrialRecord, parse_json(line), f"{path}:{number}")
    except ValueError as error:
        raise InvalidDocument(f"{path}:{number}", [str(error)]) from error


def _check(folder: Path, description: RunDescription, *, started: bool) -> None:
    """Write the description of a new run, or compare it with the one that is there."""
    file, own = folder / RUN, description.model_dump(mode="json")
    if started and file.exists():
        other = read_json(file)
        different = sorted(name for name in own.keys() | other if own.get(name) != other.get(name))
        if different:
            raise OtherRun(folder, different)
        return
    temporary = file.with_suffix(".tmp")
    temporary.write_text(json.dumps(own, indent=1) + "\n", encoding="utf-8")
    temporary.replace(file)
