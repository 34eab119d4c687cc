"""Files that a crash or a loss of power leaves as they were, or as they were to be."""

import os
from pathlib import Path


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
