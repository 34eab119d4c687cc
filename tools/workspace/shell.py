"""Long-running commands: output in a log, progress on the terminal, errors in full."""

import os
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

from workspace.errors import WorkspaceError

POLL = 0.1
"""Time between two updates of the progress line [s]."""
TAIL_LINES = 40
"""Last lines of a log in an error message."""


class StepFailed(WorkspaceError):
    """A command of set-up or build that failed."""

    def __init__(self, title: str, status: int, log: Path) -> None:
        tail = "\n".join(_text(log).splitlines()[-TAIL_LINES:])
        super().__init__(
            f"{tail}\n\n{title} failed with exit status {status}; the complete output is in {log}"
        )


@contextmanager
def step(title: str) -> Iterator[None]:
    """Announce a step and its duration."""
    started = time.monotonic()
    _show(f"==> {title}\n")
    yield
    _show(f"    done in {time.monotonic() - started:.1f} s\n")


def run(title: str, command: Sequence[str | Path], log: Path, env: Mapping[str, str] | None = None) -> None:
    """Run a command with its output in a log file; on a terminal show the last line.

    Raises:
        StepFailed: If the command's exit status is not 0; the message ends with its last lines.
    """
    log.parent.mkdir(parents=True, exist_ok=True)
    with log.open("wb") as output:
        process = subprocess.Popen(
            command, stdin=subprocess.DEVNULL, stdout=output, stderr=subprocess.STDOUT, env=env
        )
        status = _wait(process, log)
    if status != 0:
        raise StepFailed(title, status, log)


def _wait(process: subprocess.Popen[bytes], log: Path) -> int:
    """Wait for the end, showing the last line of the log; an interrupt terminates the command first."""
    started = time.monotonic()
    try:
        while True:
            try:
                return process.wait(POLL)
            except subprocess.TimeoutExpired:
                _show_newest_line(log, time.monotonic() - started)
    finally:
        if process.poll() is None:
            process.terminate()
            process.wait()
        _clear_line()


def _show_newest_line(log: Path, elapsed: float) -> None:
    if sys.stderr.isatty():
        lines = _text(log).split("\n")
        newest = next((line.strip() for line in reversed(lines) if line.strip()), "")
        width = os.get_terminal_size(sys.stderr.fileno()).columns - 1
        _show("\r\x1b[K" + f"    {elapsed:4.0f} s  {newest}"[:width])


def _clear_line() -> None:
    if sys.stderr.isatty():
        _show("\r\x1b[K")


def _text(log: Path) -> str:
    return log.read_text(errors="replace") if log.exists() else ""


def _show(text: str) -> None:
    sys.stderr.write(text)
    sys.stderr.flush()
