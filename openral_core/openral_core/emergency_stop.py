"""Emergency stop of a robot: its latched state, and the records that carry it over a restart.

A robot may move only if it is known to be released. Two records say so, and each is written so that a
write that fails, then or later, reads as a stop:

* The file is replaced by a stop ("not known to be released") before anything moves, and says "released"
  only after an orderly end. Nothing has to be written to it when the stop comes.
* A page of shared memory, which no full or broken disk affects, holds the state of the moment. It tells
  whether a skill server that died had been released, until the machine restarts.
"""

import errno
import fcntl
import hashlib
import os
import stat
import uuid
from contextlib import suppress
from pathlib import Path
from threading import Lock

from pydantic import BaseModel, ConfigDict, Field

from openral_core.errors import OpenRALError
from openral_core.files import replace_file, sync_folder
from openral_core.skill_errors import SkillFailed
from openral_core.skills import SkillResult, SkillStatus

REASON_CHARACTERS = 200
"""Longest reason that is kept [characters]."""
NO_REASON = "no reason given"
STOP_EVIDENCE = "emergency_stop"
"""Key of the evidence with the reason of an emergency stop."""
SHARED_MEMORY = Path("/dev/shm")
PAGE = 4096
"""Size of a page of memory, which is written as a whole [bytes]; no record is longer."""
NOT_KNOWN = "the skill server ended without saying whether it was released"


class StopState(BaseModel):
    """State of the emergency stop; an empty ``reason`` is no stop, ``since`` is Unix time [s]."""

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)

    reason: str = Field(default="", max_length=REASON_CHARACTERS)
    since: float = 0.0

    @classmethod
    def stopped(cls, reason: str, now: float) -> "StopState":
        """Return a stop at Unix time ``now`` [s]; a blank reason becomes `NO_REASON`."""
        shown = " ".join(_printable(reason).split())[:REASON_CHARACTERS]
        return cls(reason=shown or NO_REASON, since=now)


class EmergencyStopped(SkillFailed):
    """A goal for a robot that is stopped."""

    status = SkillStatus.INACTIVE

    def __init__(self, reason: str) -> None:
        self.evidence = {STOP_EVIDENCE: reason}
        super().__init__(f"emergency stop: {reason}; nothing moves until `openral release`")


def after_emergency(result: SkillResult, reason: str) -> SkillResult:
    """Return the result of a goal that an emergency stop ended."""
    message = f"emergency stop: {reason}; {result.message}"
    return SkillResult(SkillStatus.CANCELLED, message, {**result.evidence, STOP_EVIDENCE: reason})


def _printable(text: str) -> str:
    """Return a text that every encoder takes."""
    return text.encode(errors="backslashreplace").decode()


class StopNotKept(OpenRALError):
    """A state that cannot be recorded because of ``error``."""

    def __init__(self, what: str, error: Exception, *, in_use: bool = False) -> None:
        self.in_use = in_use
        why = error.strerror if isinstance(error, OSError) and error.strerror else type(error).__name__
        remedy = "end that one first" if in_use else "make it writable, or set another stop_file"
        super().__init__(f"the emergency stop cannot be kept: {why}; {remedy} ({what[:300]})")


class _StopRecord(StopState):
    """A state as it is written."""

    # Skill server that it belongs to; "" in files of versions before it was written.
    owner: str = Field(default="", max_length=5000)
    # Id of the run during which it was written, "" after an orderly end.
    run: str = Field(default="", max_length=64)

    @property
    def state(self) -> StopState:
        return StopState(reason=self.reason, since=self.since)


def _read(path: Path, limit: int) -> bytes:
    """Read a regular file of at most ``limit`` bytes, and nothing else that has a name."""
    descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    with os.fdopen(descriptor, "rb") as file:
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            raise OSError(errno.EINVAL, "not a file")
        content = file.read(limit + 1)
    if len(content) > limit:
        raise OSError(errno.EFBIG, "too long")
    return content


class _MemoryPage:
    """Page of shared memory with the state of the moment; one process at a time has it.

    Raises:
        OSError: If it cannot be had, as when another process has it.
    """

    def __init__(self, folder: Path, key: str) -> None:
        name = hashlib.sha256(f"{os.geteuid()} {key}".encode(errors="surrogateescape")).hexdigest()[:24]
        self._path = folder / f"openral_stop_{name}"
        flags = os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC | os.O_NONBLOCK
        existed = os.path.lexists(self._path)
        self._descriptor = os.open(self._path, flags, 0o600)
        try:
            fcntl.flock(self._descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            status = os.fstat(self._descriptor)
            if not stat.S_ISREG(status.st_mode) or status.st_uid != os.geteuid():
                raise OSError(errno.EPERM, f"{self._path} belongs to another user")
        except OSError:
            os.close(self._descriptor)
            raise
        self.is_new = not existed

    def read(self) -> _StopRecord:
        """Return the record.

        Raises:
            ValueError: If it is none.
        """
        return _StopRecord.model_validate_json(os.pread(self._descriptor, PAGE, 0))

    def write(self, record: _StopRecord) -> None:
        """Replace the record within microseconds; it stays if this process dies now.

        Raises:
            OSError: If memory for it was never available.
        """
        os.pwrite(self._descriptor, record.model_dump_json().encode().ljust(PAGE), 0)

    def clear(self) -> None:
        """Leave nothing that could be read as a state."""
        with suppress(OSError):
            os.ftruncate(self._descriptor, 0)

    def close(self, *, remove: bool) -> None:
        """Let another process have it."""
        if remove:
            self._path.unlink(missing_ok=True)
        os.close(self._descriptor)


class StopRecord:
    """Records of one skill server's state; whatever is lost of them reads as a stop.

    Args:
        path: File that outlives the machine's restart; without one the state outlives the death of the
            process, and neither its orderly end nor a restart of the machine.
        owner: Full name of the skill server; a record of another one is a stop.
        memory: Folder of the shared memory.
    """

    def __init__(self, path: Path | None, owner: str, memory: Path = SHARED_MEMORY) -> None:
        self._path = path.absolute() if path is not None else None
        self._owner = _owner(owner, self._path)
        self._folder, self._run = memory, uuid.uuid4().hex
        self._page: _MemoryPage | None = None
        self._armed = False
        self._writing = Lock()

    def begin(self, now: float) -> StopState:
        """Return the state at Unix time ``now`` [s] in which the skill server starts.

        It is a stop unless the last one is known to have been released, and a stop can be recorded.
        """
        state = StopState()
        try:
            self._take_page()
            state = self._find(now)
            self.save(state)
        except StopNotKept as error:
            state = state if state.reason else StopState.stopped(str(error), now)
        self.keep(state)
        return state

    def release_problem(self, now: float) -> str:
        """Return why the robot must not be released: a stop would not outlive a restart; "" if it would."""
        try:
            self._take_page()
            if not self._armed:
                self.save(StopState())
        except StopNotKept as error:
            # A file that reads as a stop whatever happens does for one that can be written.
            return "" if self._path and self._in_file(now).reason and not error.in_use else str(error)
        return ""

    def keep(self, state: StopState) -> str:
        """Keep a state over the death of this process, at once; return what prevents it, "" for nothing.

        Nothing is lost by a failure but the knowledge that the robot was released.
        """
        if self._page is None:
            return ""
        try:
            self._page.write(_StopRecord(**state.model_dump(), run=self._run))
        except OSError as error:
            self._page.clear()
            return str(StopNotKept("shared memory", error))
        return ""

    def save(self, state: StopState, *, ended: bool = False) -> None:
        """Write a state to the file, which may take seconds; it reads as a stop unless the run has ``ended``.

        Raises:
            StopNotKept: If it cannot be written.
        """
        if self._path is None:
            return
        reason = state.reason or ("" if ended else NOT_KNOWN)
        run = "" if ended else self._run
        try:
            record = _StopRecord(reason=reason, since=state.since, owner=self._owner, run=run)
            with self._writing:
                self._path.parent.mkdir(parents=True, exist_ok=True)
                replace_file(self._path, record.model_dump_json())
                sync_folder(self._path.parent)
        except (OSError, ValueError) as error:
            if reason and not self._in_file(state.since).reason:
                with suppress(OSError, ValueError):  # works on a full disk, and a missing file is a stop
                    self._path.unlink()
            raise StopNotKept(str(self._path), error) from error
        self._armed = True

    def end(self, state: StopState) -> None:
        """Record the state at an orderly end; a file that is no longer this run's is left as it is.

        Raises:
            StopNotKept: If it cannot be written; then the next start is a stop.
        """
        page, self._page = self._page, None
        is_saved = False
        try:
            if self._path is None or self._in_file(0.0).run == self._run:
                self.save(state, ended=True)
                is_saved = True
        finally:
            self._armed = False
            if page is not None:
                page.close(remove=is_saved)

    def _take_page(self) -> None:
        """Have the page, if there is one to be had.

        Raises:
            StopNotKept: If another process has it, or there is neither page nor file.
        """
        if self._page is not None:
            return
        try:
            self._page = _MemoryPage(self._folder, self._owner)
        except BlockingIOError as error:
            raise StopNotKept("another skill server of this robot is running", error, in_use=True) from error
        except OSError as error:
            if self._path is None:
                raise StopNotKept("no stop_file is set, and there is no shared memory", error) from error

    def _find(self, now: float) -> StopState:
        """Return the last state; the page knows it best, if it belongs to the file."""
        page, in_file = self._in_page(now), self._in_file(now) if self._path is not None else None
        if page is not None and page.reason:
            return page.state
        if in_file is None:
            return StopState()
        if page is not None and in_file.run and in_file.run == page.run:
            return page.state
        return in_file.state

    def _in_page(self, now: float) -> _StopRecord | None:
        if self._page is None or self._page.is_new:
            return None
        try:
            return self._page.read()
        except ValueError:  # pydantic's ValidationError is one
            return _unknown("the state in shared memory cannot be read", now)

    def _in_file(self, now: float) -> _StopRecord:
        assert self._path is not None
        try:
            record = _StopRecord.model_validate_json(_read(self._path, PAGE * 4))
        except FileNotFoundError:
            return _unknown(f"the file of the emergency stop is missing: {self._path}", now)
        except (OSError, ValueError) as error:
            return _unknown(f"its state cannot be read ({type(error).__name__}): {self._path}", now)
        if record.owner not in ("", self._owner):
            return _unknown(f"its state is that of {record.owner[:80]}: {self._path}", now)
        return record


def _owner(name: str, path: Path | None) -> str:
    """Return what identifies a robot's records: a copy of another robot's file says something else."""
    return _printable(f"{name} in {path.absolute()}" if path is not None else name)


def _unknown(reason: str, now: float) -> _StopRecord:
    return _StopRecord(**StopState.stopped(reason, now).model_dump())


def write_first_record(path: Path, owner: str, *, empty_is_new: bool = False) -> bool:
    """Record that a robot was never stopped, if nothing was ever kept in the folder of its file.

    The start of a deployment calls this once, before its nodes; a skill server that is started again must
    not: a file that is missing then is a stop.

    Args:
        path: Its file.
        owner: Full name of its skill server.
        empty_is_new: A folder that is empty will do too, as one made for the run of a simulation. The folder
            of a real robot has nothing else in it, so that an empty one has lost its file.

    Returns:
        True if it was written; otherwise the skill server finds out why not.
    """
    try:
        if not (empty_is_new and path.parent.is_dir() and not any(path.parent.iterdir())):
            path.parent.mkdir(parents=True)
        replace_file(path, _StopRecord(owner=_owner(owner, path)).model_dump_json())
        sync_folder(path.parent)
    except (OSError, ValueError):
        return False
    return True
