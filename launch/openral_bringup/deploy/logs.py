"""What the nodes print: one file each, one with everything, and the last warnings for the view."""

from collections import deque
from contextlib import suppress
from pathlib import Path
from typing import TextIO

ALARMS = ("[ERROR]", "[FATAL]", "Traceback", "died")
MOST = 32_000_000
"""A file that is longer is kept once more as ``<name>.1.log``, and begun anew [bytes]."""


class RunLogs:
    """Prefixed logs in a folder. What cannot be written is told once: no node ends for want of a log."""

    def __init__(self, folder: Path, most: int = MOST) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self._folder, self._most = folder, most
        self._files: dict[str, TextIO] = {}
        self._written: dict[str, int] = {}
        self._lost = 0
        self.alarms: deque[str] = deque(maxlen=5)
        self.alarmed = 0

    def write(self, node: str, line: str) -> None:
        """Keep one line that a node printed."""
        try:
            self._append(node, line)
            self._append("all", f"[{node}] {line}")
        except OSError as error:
            self._lost += 1
            if self._lost == 1:
                self._alarm(f"[deploy] [ERROR] {self._folder} cannot be written to: {error}; lines are lost")
        if any(word in line for word in ALARMS):
            self._alarm(f"[{node}] {line}")

    def alarms_since(self, alarmed: int) -> list[str]:
        """Alarms that came after the count stood at ``alarmed``, as far as they are still known."""
        new = self.alarmed - alarmed
        return list(self.alarms)[-new:] if new else []

    def close(self) -> None:
        """Close every file."""
        for file in self._files.values():
            with suppress(OSError):
                file.close()
        self._files.clear()

    def _alarm(self, line: str) -> None:
        self.alarms.append(line)
        self.alarmed += 1

    def _append(self, name: str, line: str) -> None:
        if self._written.get(name, 0) > self._most:
            self._begin_anew(name)
        file = self._files.get(name) or self._opened(name)
        file.write(line + "\n")
        self._written[name] += len(line) + 1

    def _opened(self, name: str) -> TextIO:
        path = self._folder / f"{name}.log"
        file = self._files[name] = path.open("a", encoding="utf-8", errors="replace", buffering=1)
        self._written[name] = path.stat().st_size
        return file

    def _begin_anew(self, name: str) -> None:
        with suppress(OSError):
            self._files.pop(name).close()
        (self._folder / f"{name}.log").replace(self._folder / f"{name}.1.log")
        self._written[name] = 0
