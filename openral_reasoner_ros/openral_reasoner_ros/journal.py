"""Journal of the running mission on disk, from which a restarted reasoner resumes it."""

import os
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import BinaryIO
from uuid import uuid4

from openral_core.files import sync_folder
from openral_reasoner.commands import Command, EndMission, PublishReceipt
from openral_reasoner.core.journal import (
    InvalidJournal,
    Journal,
    JournalHeader,
    acting_line,
    attempt_line,
    event_line,
    header_line,
    read_journal,
    server_line,
)
from openral_reasoner.core.mission_core import Core
from openral_reasoner.events import Event

JOURNAL_FILE = "mission.journal"
MAX_SIZE = 64_000_000
"""Largest journal [bytes]: a mission of more than an hour; beyond it, the mission is not resumed."""
IDLE_SIZE = 1_000_000
"""Size at which the journal of an idle reasoner begins anew [bytes]."""
BOOT_ID = Path("/proc/sys/kernel/random/boot_id")
Log = Callable[[str], object]


class JournalFull(OSError):
    """A journal that has reached its maximum size."""

    def __init__(self, max_size: int) -> None:
        super().__init__(f"it has reached its limit of {max_size / 1e6:.0f} MB")


class MissionClock:
    """Steady time of the missions [s], which goes on across restarts of the process and of the machine."""

    def __init__(self) -> None:
        self._offset = 0.0

    def __call__(self) -> float:
        return time.monotonic() + self._offset

    def continue_from(self, now: float, wall: float) -> float:
        """Go on from a moment of an earlier process; return how long ago it was [s]."""
        down = max(0.0, time.time() - wall)
        self._offset = now + down - time.monotonic()
        return down

    def pause(self, seconds: float) -> None:
        """Leave out a time for which the missions stood still [s]."""
        self._offset -= seconds


class MissionJournal:
    """Writer of the journal; a write error is logged once and costs the journal, never the mission.

    After an error it begins again with the next idle moment.

    Args:
        folder: Receives ``mission.journal``; None writes none.
        log: Called once when writing stops.
        max_size: Largest file size [bytes].
    """

    def __init__(self, folder: Path | None, log: Log, max_size: int = MAX_SIZE) -> None:
        self._path = folder / JOURNAL_FILE if folder is not None else None
        self._log, self._max_size = log, max_size
        self._core: Core | None = None
        self._server: Callable[[], str] = str
        self._written_server = ""
        self._file: BinaryIO | None = None
        self._size, self._is_failing = 0, False
        self.id = uuid4().hex

    def read(self) -> Journal | None:
        """Read the journal of an earlier process, note this attempt in it, and go on writing to it.

        Raises:
            InvalidJournal: If it cannot be read.
        """
        if self._path is None or not self._path.is_file():
            return None
        try:
            if self._path.stat().st_size > 2 * self._max_size:
                raise InvalidJournal(1, JournalFull(self._max_size))
            content = self._path.read_bytes()
            lines = content.decode("utf-8", "replace").split("\n")[:-1]
            journal = read_journal(lines)
            if journal is None:
                return None
            complete = len(content) - len(content.rpartition(b"\n")[2])
            self._file = self._path.open("r+b")
            self._file.truncate(complete)
            self._file.seek(complete)
            self._size, self.id, self._written_server = complete, journal.header.id, journal.server
            self._write(attempt_line(time.time()), sync=True)
        except OSError as error:
            self._stop(error)
            return None
        return journal

    def attach(self, core: Core, server: Callable[[], str]) -> None:
        """Journal a core: go on with the journal it was restored from, else begin one.

        Args:
            core: Its settings and idle state begin a journal.
            server: Returns the identity of the skill server, "" if there is none.
        """
        self._core, self._server = core, server
        if core.mission is None:
            self.begin()

    def begin(self) -> None:
        """Replace the journal by one that begins with the idle core; a mission goes on without a journal."""
        idle = self._core.idle_state if self._core is not None else None
        if self._path is None or self._core is None or idle is None:
            return
        header = JournalHeader(id=self.id, boot=boot_id(), settings=self._core.settings, idle=idle)
        fresh = self._path.with_suffix(".new")
        try:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            self.close()
            self._file, self._size, self._written_server = fresh.open("wb"), 0, ""
            self._write(header_line(header), sync=True)
            fresh.replace(self._path)
            sync_folder(self._path.parent)
        except (OSError, ValueError) as error:
            self._stop(error)
            return
        if self._is_failing:
            self._is_failing = False
            self._log(f"Journal {self._path} is written again: missions survive a restart of the reasoner.")

    def before(self, now: float, event: Event) -> None:
        """Write an event that the core is about to handle; begin again first if an error had stopped it."""
        if self._is_failing and self._file is None and self._core is not None and self._core.mission is None:
            self.begin()
        if (server := self._server()) and server != self._written_server:
            self._written_server = server
            self._try(lambda: self._write(server_line(server)))
        self._try(lambda: self._write(event_line(now, time.time(), event)))

    def after(self, commands: tuple[Command, ...]) -> None:
        """Write, to the disk, that commands which act are about to be carried out.

        A prompt is on the disk, too, before its receipt is sent.
        """
        if self._path is None or self._core is None:
            return
        if acting := acting_line(commands, self._server()):
            self._try(lambda: self._write(acting, sync=True))
        elif any(isinstance(command, PublishReceipt) for command in commands):
            self._try(self._sync)
        if self._core.mission is None and self._is_due(commands):
            self.begin()

    def close(self) -> None:
        """Close the file."""
        file, self._file = self._file, None
        if file is not None:
            with suppress(OSError):
                file.close()

    def _is_due(self, commands: tuple[Command, ...]) -> bool:
        ended = any(isinstance(command, EndMission) for command in commands)
        return ended or self._size > IDLE_SIZE

    def _try(self, write: Callable[[], None]) -> None:
        if self._file is None:
            return
        try:
            write()
        except (OSError, ValueError, TypeError, RecursionError) as error:
            self._stop(error)

    def _write(self, line: str, *, sync: bool = False) -> None:
        assert self._file is not None
        content = line.encode("utf-8", "backslashreplace") + b"\n"
        self._size += len(content)
        if self._size > self._max_size:
            raise JournalFull(self._max_size)
        self._file.write(content)
        self._file.flush()
        if sync:
            self._sync()

    def _sync(self) -> None:
        assert self._file is not None
        os.fsync(self._file.fileno())

    def _stop(self, error: Exception) -> None:
        """Give up the journal, so that no restart resumes from one that lacks events."""
        self.close()
        if self._path is not None:
            for path in (self._path, self._path.with_suffix(".new")):
                with suppress(OSError):
                    path.unlink(missing_ok=True)
        if not self._is_failing:
            self._is_failing = True
            self._log(
                f"Journal {self._path} stopped: {error}. Missions continue, but do not survive a restart."
            )


def boot_id() -> str:
    """Return what identifies this run of the machine, "" where the system does not tell."""
    try:
        return BOOT_ID.read_text(encoding="ascii").strip()
    except OSError:
        return ""
