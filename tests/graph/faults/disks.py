"""A small disk that can be filled."""

import errno
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

SIZE_MB = 256
"""Size of the disk: recordings and logs of a dozen missions."""
FILLER = "filler"


@contextmanager
def small_disk(folder: Path, size_mb: int = SIZE_MB) -> Iterator[Path]:
    """Mount a file system in memory at a new folder; needs the right to mount, which root has."""
    folder.mkdir(parents=True, exist_ok=True)
    subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={size_mb}m", "tmpfs", str(folder)], check=True)
    try:
        yield folder
    finally:
        subprocess.run(["umount", "--lazy", str(folder)], check=True)


def fill(folder: Path) -> None:
    """Leave no byte on the disk of a folder."""
    with (folder / FILLER).open("ab", buffering=0) as file:
        for size in (1 << 20, 1 << 12, 1):
            try:
                while True:
                    file.write(b"\0" * size)
            except OSError as error:
                if error.errno != errno.ENOSPC:
                    raise


def empty(folder: Path) -> None:
    """Make room again."""
    (folder / FILLER).unlink(missing_ok=True)
