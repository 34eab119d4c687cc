"""A small disk that can be filled, stalled, or made read-only."""

import errno
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

SIZE_MB = 256
"""Size of the disk: recordings and logs of a dozen missions."""
FILLER = "filler"
STALL = 8.0
"""Time for which a disk takes no writes [s]: that of a sleeping or worn one."""


@contextmanager
def small_disk(folder: Path, kind: str, size_mb: int = SIZE_MB) -> Iterator[Path]:
    """Mount a file system at a new folder; needs the right to mount, which root has.

    Args:
        kind: ``tmpfs``, or ``ext4`` in a file beside the folder.
    """
    folder.mkdir(parents=True, exist_ok=True)
    image = folder.with_name(f"{folder.name}.img")
    if kind == "ext4":
        with image.open("wb") as file:
            file.truncate(size_mb << 20)
        _run("mkfs.ext4", "-q", "-F", "-m", "0", str(image))
        _run("mount", "-o", "loop,errors=remount-ro", str(image), str(folder))
    else:
        _run("mount", "-t", kind, "-o", f"size={size_mb}m", kind, str(folder))
    try:
        yield folder
    finally:
        _run("umount", "--lazy", str(folder))
        image.unlink(missing_ok=True)


def _run(*command: str) -> str:
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip()


def stall(folder: Path) -> None:
    """Have every write to the ext4 of a folder wait for `STALL`, this process's own included."""
    freeze = 'fsfreeze --freeze "$0" && sleep "$1"; fsfreeze --unfreeze "$0"'
    subprocess.Popen(["sh", "-c", freeze, str(folder), str(STALL)])


def make_read_only(folder: Path) -> None:
    """Report an error to the ext4 of a folder, whose files are open: it is read-only from then on."""
    device = Path(_run("findmnt", "--noheadings", "--output", "SOURCE", str(folder))).name
    Path(f"/sys/fs/ext4/{device}/trigger_fs_error").write_text("fault injection")


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
