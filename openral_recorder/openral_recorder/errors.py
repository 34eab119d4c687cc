"""Errors of recording.

OpenRALError
RecordingError       recording cannot go on; the robot can
RecordingFull
DiskFull
NotWritable
"""

import errno
from pathlib import Path

from openral_core.errors import OpenRALError


class RecordingError(OpenRALError):
    """Base of the reasons why a recording ends before its robot does."""


class RecordingFull(RecordingError):
    """A recording that has reached its largest size."""

    def __init__(self, path: Path, max_size: int) -> None:
        super().__init__(
            f"recording {path} has reached its limit of {max_size / 1e6:.0f} MB: "
            "raise max_size, lower image_rate, or exclude topics"
        )


class DiskFull(RecordingError):
    """A disk with too little space left."""

    def __init__(self, path: Path, free: int, min_free: int) -> None:
        super().__init__(
            f"recording {path} stopped: {free / 1e6:.0f} MB of disk are free, {min_free / 1e6:.0f} MB are "
            "kept free: make space, or record to another disk"
        )


class NotWritable(RecordingError):
    """A file that cannot be created or written."""

    def __init__(self, path: Path, error: OSError) -> None:
        super().__init__(f"recording {path} cannot be written: {error.strerror or error}")


def recording_error(path: Path, error: OSError, min_free: int) -> RecordingError:
    """Return the typed error for an error of the operating system."""
    full = error.errno in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
    return DiskFull(path, 0, min_free) if full else NotWritable(path, error)
