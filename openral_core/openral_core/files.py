"""Files that a crash or a loss of power leaves as they were, or as they were to be."""

import os
import stat
from pathlib import Path

from openral_core.errors import OpenRALError


def replace_file(path: Path, text: str) -> None:
    """Replace a file atomically by one with this text, UTF-8."""
    fresh = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        with fresh.open("w", encoding="utf-8") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        fresh.replace(path)
    finally:
        fresh.unlink(missing_ok=True)


def sync_folder(folder: Path) -> None:
    """Have the names of a folder's files survive a loss of power."""
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


class UnboundedFile(OpenRALError, OSError):
    """A file that is too large, or no regular one: a device or a pipe may never end."""


def read_bytes(path: Path, most: int) -> bytes:
    """Read a regular file of at most ``most`` bytes.

    Raises:
        OSError: If it cannot be read, or is no such file.
    """
    if not stat.S_ISREG(path.stat().st_mode):
        raise UnboundedFile(f"{path} is no regular file")
    with path.open("rb") as file:
        data = file.read(most + 1)
    if len(data) > most:
        raise UnboundedFile(f"{path} is larger than {most / 1e6:g} MB")
    return data
