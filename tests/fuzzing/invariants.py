"""Invariants under any input: no untyped exception, finite poses, no writes outside, bounded memory."""

import math
import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import psutil
from rclpy.publisher import Publisher

POSE_TYPES = frozenset({"Point", "Quaternion", "Vector3", "Point32"})
"""Messages whose numbers are coordinates."""
SCAN = 2000
"""Elements of a sequence that are looked at."""
_WRITES = {
    "os.remove": 0, "os.rename": 1, "os.rmdir": 0, "os.mkdir": 0, "os.truncate": 0, "os.symlink": 1,
    "os.link": 1, "shutil.rmtree": 0, "sqlite3.connect": 0,
}  # fmt: skip
_watchers: list[Callable[[str, str], None]] = []
_hooked: list[bool] = []


class InvariantBroken(AssertionError):
    """A case after which something does not hold that must always hold."""


def unfinished_pose(message: Any, path: str = "") -> str:
    """Return the path of the first coordinate of a message that is not finite, "" if there is none."""
    if not hasattr(message, "get_fields_and_field_types"):
        return ""
    coordinates = type(message).__name__ in POSE_TYPES
    for name, kind in message.get_fields_and_field_types().items():
        value, here = getattr(message, name), f"{path}.{name}"
        if coordinates and isinstance(value, float) and not math.isfinite(value):
            return f"{here} = {value}"
        if "/" in kind:
            each = value[:SCAN] if isinstance(value, list) else [value]
            if found := next(filter(None, (unfinished_pose(part, here) for part in each)), ""):
                return found
    return ""


@contextmanager
def outgoing_messages(on_message: Callable[[Any], None]) -> Iterator[None]:
    """Show every message that any node of this process publishes."""
    publish = Publisher.publish

    def shown(self: Publisher, message: Any) -> None:
        on_message(message)
        publish(self, message)

    Publisher.publish = shown
    try:
        yield
    finally:
        Publisher.publish = publish


@contextmanager
def writes_outside(folder: Path) -> Iterator[list[str]]:
    """Collect the files that this process writes outside of a folder, by way of Python's audit events."""
    found: list[str] = []
    allowed = (str(folder.resolve()), "/dev/", "/proc/", "/tmp/fastrtps", str(Path(sys.prefix).resolve()))

    def watch(event: str, path: str) -> None:
        full = os.path.realpath(path)
        if not full.startswith(allowed) and "__pycache__" not in full and ".hypothesis" not in full:
            found.append(f"{event} {full}")

    if not _hooked:
        _hooked.append(True)
        sys.addaudithook(_on_audit)
    _watchers.append(watch)
    try:
        yield found
    finally:
        _watchers.remove(watch)


def _on_audit(event: str, arguments: tuple[Any, ...]) -> None:
    if not _watchers:
        return
    path: object = None
    if (
        event == "open"
        and isinstance(arguments[2], int)
        and arguments[2] & (os.O_WRONLY | os.O_RDWR | os.O_CREAT)
    ):
        path = arguments[0]
    elif event in _WRITES:
        path = arguments[_WRITES[event]]
    if isinstance(path, (str, bytes, os.PathLike)):
        text = os.fsdecode(path)
        if "\0" not in text and not text.startswith((":memory:", "file:")):
            for watch in _watchers:
                watch(event, text)


def resident() -> float:
    """Return the memory of this process [MB]."""
    return float(psutil.Process().memory_info().rss) / 1e6
