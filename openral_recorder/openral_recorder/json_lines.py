"""Follower of JSON-lines files that other processes append to."""

import json
from collections.abc import Iterator
from pathlib import Path

MAX_LINE = 4_000_000
"""Longest line that is read [bytes]; a longer one is skipped."""
MAX_READ = 8_000_000
"""Most that one call reads of a file [bytes]."""
MAX_FILES = 64


class JsonLinesFollower:
    """Reads what is appended to the ``*.jsonl`` files below a folder; each complete line once.

    Args:
        folder: May not exist yet.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._offsets: dict[Path, int] = {}

    def new_lines(self) -> Iterator[tuple[str, bytes]]:
        """Yield (path of the file without suffix, line); a line that is not a JSON object is left out."""
        for path in sorted(self._folder.rglob("*.jsonl"))[:MAX_FILES]:
            name = path.relative_to(self._folder).with_suffix("").as_posix()
            for line in self._read(path):
                if _is_object(line):
                    yield name, line

    def _read(self, path: Path) -> list[bytes]:
        try:
            with path.open("rb") as file:
                size = file.seek(0, 2)
                offset = self._offsets.get(path, 0)
                offset = 0 if size < offset else offset  # the file was replaced by a new one
                file.seek(offset)
                content = file.read(MAX_READ)
        except OSError:
            return []
        end = content.rfind(b"\n") + 1
        skipped = len(content) if end == 0 and len(content) > MAX_LINE else 0
        self._offsets[path] = offset + (end or skipped)
        return content[:end].splitlines()


def _is_object(line: bytes) -> bool:
    if not line.startswith(b"{") or len(line) > MAX_LINE:
        return False
    try:
        json.loads(line)
    except (ValueError, RecursionError):
        return False
    return True
