"""Segments that DDS participants left in shared memory when they were killed.

Source: eProsima Fast DDS, shared-memory transport: every segment and port lies in /dev/shm beside lock files
(``_el`` exclusive, ``_sl`` shared) that its users hold with flock; a lock nobody holds has no users.
"""

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

FOLDER = Path("/dev/shm")
PREFIX = "fastrtps_"


def remove_orphans(folder: Path = FOLDER) -> int:
    """Remove what no living participant uses; other graphs on this machine are not touched.

    Returns:
        The number of segments and ports removed.
    """
    return sum(_removed(folder, name) for name in sorted(_names(folder)))


def _names(folder: Path) -> set[str]:
    files = (file.name for file in folder.glob(f"{PREFIX}*"))
    return {name.removesuffix("_el").removesuffix("_sl") for name in files}


def _removed(folder: Path, name: str) -> bool:
    locks = [folder / f"{name}{suffix}" for suffix in ("_el", "_sl") if (folder / f"{name}{suffix}").exists()]
    with _held(locks) as all_free:
        if not locks or not all_free:
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
