"""Recorded runs below one folder, explained in words."""

import re
from collections.abc import Iterator
from itertools import islice
from pathlib import Path

from openral_core.errors import OpenRALError
from openral_mcp.replies import RunReply
from openral_reasoner_ros.telemetry import RECORDING_FILE
from openral_testing.recordings.lives import read_lives
from openral_testing.recordings.replay import stories
from openral_testing.recordings.ros.cli import DEPLOYMENT_SUBFOLDER

MAX_RECORDING = 64_000_000
"""Largest recording that is explained here [bytes]: hours of missions."""
PAGE = 100
"""Lines per reply."""
MAX_RUNS = 20
"""Most names of runs in a reply."""
NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")


class RunFolder:
    """Folder of recordings; nothing outside it is read."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def names(self) -> tuple[str, ...]:
        """Return the names of the newest runs, newest first."""
        if not self._folder.is_dir():
            return ()
        runs = [entry for entry in self._folder.iterdir() if self._recording(entry.name) is not None]
        runs.sort(key=lambda entry: entry.lstat().st_mtime, reverse=True)
        return tuple(entry.name for entry in runs[:MAX_RUNS])

    def explain(self, run: str, offset: int) -> RunReply:
        """Return one page of the explanation of a run."""
        path = self._recording(run)
        if path is None:
            return RunReply(status="UNKNOWN_RUN", message=f"no run {run!r} is recorded", runs=self.names())
        if path.stat().st_size > MAX_RECORDING:
            why = f"the recording is larger than {MAX_RECORDING / 1e6:.0f} MB: use 'openral explain' instead"
            return RunReply(status="TOO_LARGE", message=why, run=run, runs=self.names())
        try:
            lines = list(islice(_lines(path), offset, offset + PAGE + 1))
        except (OpenRALError, OSError) as error:
            return RunReply(status="UNREADABLE", message=str(error), run=run, runs=self.names())
        more = offset + PAGE if len(lines) > PAGE else None
        return RunReply(
            status="FOUND", run=run, lines=tuple(lines[:PAGE]), next_offset=more, runs=self.names()
        )

    def _recording(self, run: str) -> Path | None:
        """Return the recording of a run, None unless it is a file inside the folder."""
        if NAME.fullmatch(run) is None:
            return None
        root, folder = self._folder.resolve(), self._folder / run
        for path in (folder / RECORDING_FILE, folder / DEPLOYMENT_SUBFOLDER / RECORDING_FILE):
            if path.resolve().is_relative_to(root) and path.is_file():
                return path
        return None


def _lines(path: Path) -> Iterator[str]:
    with path.open(encoding="utf-8", errors="replace") as lines:
        yield from stories(read_lives(lines))
