"""Segments that DDS participants left in shared memory when they were killed.

Source: eProsima Fast DDS, shared-memory transport: every segment and port lies in /dev/shm beside lock files
(``_el`` exclusive, ``_sl`` shared) that its readers hold with flock; a lock nobody holds has no users. A port
whose writer was killed outlives its reader, whose lock file goes: it has no users when nobody has mapped it.
"""

import fcntl
import os
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import lru_cache, partial
from pathlib import Path

FOLDER = Path("/dev/shm")
PREFIX = "fastrtps_"
Mapped = Callable[[], set[str]]
"""What is mapped, found out when it is first asked for: that is a look at every process of the machine."""
NEW = 2.0
"""Until then a file's maker may not have mapped and locked it yet [s]."""


def remove_stale_segments(folder: Path = FOLDER) -> int:
    """Remove what no living participant uses; other graphs on this machine are not touched.

    Locks are the same for everybody who shares the folder. Who has mapped a file without locks is only known
    of processes that this one sees in /proc: not of another PID namespace with the same /dev/shm (containers
    with ``--ipc=host`` alone), nor, unless it is root, of other users. Their file would be taken for an
    orphan: give such containers ``--pid=host`` too, or a /dev/shm of their own.

    Returns:
        The number of segments and ports removed.
    """
    mapped = lru_cache(maxsize=1)(partial(_mapped, folder))
    return sum(_removed(folder, name, mapped) for name in sorted(_names(folder)))


def _names(folder: Path) -> set[str]:
    files = (file.name for file in folder.glob(f"{PREFIX}*"))
    return {name.removesuffix("_el").removesuffix("_sl") for name in files}


def _mapped(folder: Path) -> set[str]:
    """What living processes have mapped, as far as this one may see them."""
    found: set[str] = set()
    for maps in Path("/proc").glob("[0-9]*/maps"):
        with suppress(OSError):
            lines = maps.read_text(errors="replace").splitlines()
            found |= {line.rpartition("/")[2] for line in lines if f"{folder}/{PREFIX}" in line}
    return found


def _abandoned(file: Path, mapped: Mapped) -> bool:
    """Whether a file without locks is nobody's; its maker may be about to lock a new one."""
    try:
        return time.time() - file.stat().st_mtime > NEW and file.name not in mapped()
    except FileNotFoundError:
        return False


def _removed(folder: Path, name: str, mapped: Mapped) -> bool:
    locks = [folder / f"{name}{suffix}" for suffix in ("_el", "_sl") if (folder / f"{name}{suffix}").exists()]
    with _held(locks) as all_free:
        if not all_free or not (locks or _abandoned(folder / name, mapped)):
            return False
        for file in (folder / name, folder / f"sem.{name}_mutex", *locks):
            file.unlink(missing_ok=True)
    return True


@contextmanager
def _held(locks: list[Path]) -> Iterator[bool]:
    """Hold every lock file that nobody else holds; whether that was all of them."""
    opened: list[int] = []
    try:
        yield all(_take(lock, opened) for lock in locks)
    finally:
        for descriptor in opened:
            os.close(descriptor)


def _take(lock: Path, opened: list[int]) -> bool:
    with suppress(OSError):
        descriptor = os.open(lock, os.O_RDWR)
        opened.append(descriptor)
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        return True
    return False
