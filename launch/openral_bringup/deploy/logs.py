"""What the nodes print: one file each, one with everything, and the last warnings for the view."""

from collections import deque
from pathlib import Path
from typing import TextIO

ALARMS = ("[ERROR]", "[FATAL]", "Traceback", "died")


class RunLogs:
    """Prefixed logs in a folder."""

    def __init__(self, folder: Path) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self._folder = folder
        self._files: dict[str, TextIO] = {}
        self.alarms: deque[str] = deque(maxlen=5)
        self.alarmed = 0

    def write(self, node: str, line: str) -> None:
        """Keep one line that a node printed."""
        self._file(node).write(line + "\n")
        self._file("all").write(f"[{node}] {line}\n")
        if any(word in line for word in ALARMS):
            self.alarms.append(f"[{node}] {line}")
            self.alarmed += 1

    def alarms_since(self, alarmed: int) -> list[str]:
        """Alarms that came after the count stood at ``alarmed``, as far as they are still known."""
        new = self.alarmed - alarmed
        return list(self.alarms)[-new:] if new else []

    def close(self) -> None:
        """Close every file."""
        for file in self._files.values():
            file.close()
        self._files.clear()

    def _file(self, name: str) -> TextIO:
        if name not in self._files:
            self._files[name] = (self._folder / f"{name}.log").open("a", encoding="utf-8", buffering=1)
        return self._files[name]
