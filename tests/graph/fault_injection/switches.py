"""Faults that are switched on and off while the graph runs: a file each, seen by every process."""

import os
from pathlib import Path

VARIABLE = "OPENRAL_FAULTS"


class Switches:
    """Named switches in a folder."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        folder.mkdir(parents=True, exist_ok=True)

    def is_on(self, name: str) -> bool:
        return (self.folder / name).exists()

    def count(self, name: str) -> int:
        """Count how often it was switched on since it was last off."""
        return (self.folder / name).stat().st_size if self.is_on(name) else 0

    def on(self, name: str) -> None:
        with (self.folder / name).open("a") as file:
            file.write(".")

    def off(self, name: str) -> None:
        (self.folder / name).unlink(missing_ok=True)


def inherited() -> Switches:
    """The switches of the graph that this process belongs to."""
    return Switches(Path(os.environ[VARIABLE]))
