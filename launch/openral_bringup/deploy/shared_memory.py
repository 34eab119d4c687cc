"""Removal of the shared memory that killed DDS participants left on this machine.

Source: eProsima Fast DDS, shared-memory transport. Every segment and port lies in /dev/shm beside lock files
(``_el`` exclusive, ``_sl`` shared) that its readers hold with flock; one without a holder has no users. A
port whose writer was killed outlives its reader without a lock file; it is unused if no process maps it.
"""

import fcntl
import os
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import lru_cache, partial
from pathlib import Path

SHM_FOLDER = Path("/dev/shm")
SHM_PREFIX = "fastrtps_"
Mapped = Callable[[], set[str]]
"""Returns the mapped names on first use, which reads the maps of every process on the machine."""
MIN_SEGMENT_AGE = 2.0
"""Age below which a file's creator may not have mapped and locked it yet [s]."""


def remove_stale_segments(folder: Path = SHM_FOLDER) -> int:
    """Remove segments that no live participant uses; other graphs on this machine keep theirs.

    Locks work across all processes that share the folder. Mappings are known only for processes visible in
    /proc: not for another PID namespace with the same /dev/shm (containers with ``--ipc=host`` alone), nor,
    without root, for other users. Their files without locks would be removed: give such containers
    ``--pid=host`` too, or a /dev/shm of their own.

    Returns:
        The number of segments and ports removed.
    """
    mapped = lru_cache(maxsize=1)(partial(mapped_names, folder))
    files = (file.name for file in folder.glob(f"{SHM_PREFIX}*"))
    names = {name.removesuffix("_el").removesuffix("_sl") for name in files}
    return sum(remove_if_stale(folder, name, mapped) for name in sorted(names))


def mapped_names(folder: Path) -> set[str]:
    """Return the names that live processes have mapped, as far as this process may see them."""
    names: set[str] = set()
    for maps in Path("/proc").glob("[0-9]*/maps"):
        with suppress(OSError):
            lines = maps.read_text(errors="replace").splitlines()
            names |= {line.rpartition("/")[2] for line in lines if f"{folder}/{SHM_PREFIX}" in line}
    return names


def is_abandoned(file: Path, mapped: Mapped) -> bool:
    """Return whether a file without locks is unused; its creator may still be about to lock a new one."""
    try:
        return time.time() - file.stat().st_mtime > MIN_SEGMENT_AGE and file.name not in mapped()
    except FileNotFoundError:
        return False


def remove_if_stale(folder: Path, name: str, mapped: Mapped) -> bool:
    """Remove one segment or port with its lock files if it is unused; return whether it was."""
    locks = [folder / f"{name}{suffix}" for suffix in ("_el", "_sl") if (folder / f"{name}{suffix}").exists()]
    with held_locks(locks) as all_free:
        if not all_free or not (locks or is_abandoned(folder / name, mapped)):
            return False
        for file in (folder / name, folder / f"sem.{name}_mutex", *locks):
            file.unlink(missing_ok=True)
    return True


@contextmanager
def held_locks(locks: list[Path]) -> Iterator[bool]:
    """Hold every lock file that is free; yield whether all of them were."""
    opened: list[int] = []
    try:
        yield all(take_lock(lock, opened) for lock in locks)
    finally:
        for descriptor in opened:
            os.close(descriptor)


def take_lock(lock: Path, opened: list[int]) -> bool:
    """Try to hold one lock file; an opened one is added to ``opened``."""
    with suppress(OSError):
        descriptor = os.open(lock, os.O_RDWR)
        opened.append(descriptor)
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        return True
    return False
