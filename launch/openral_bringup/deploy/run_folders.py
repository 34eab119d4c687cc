"""Where a run keeps its logs and recording."""

import os
import re
import time
from collections.abc import Sequence
from pathlib import Path

RUNS = Path("runs")
LATEST = "latest"


def run_folder(goals: Sequence[str], chosen: Path | None) -> Path:
    """The folder that was chosen, else a new one below ``runs`` named for the moment and the goals."""
    return (chosen or RUNS / _name(goals)).absolute()


def make_folder(folder: Path) -> None:
    """Make the folder; below ``runs``, the link ``latest`` points to it from now on."""
    folder.mkdir(parents=True, exist_ok=True)
    if folder.parent != RUNS.absolute():
        return
    fresh = folder.parent / f".{LATEST}.{os.getpid()}"
    fresh.unlink(missing_ok=True)
    fresh.symlink_to(folder.name)
    fresh.replace(folder.parent / LATEST)


def _name(goals: Sequence[str]) -> str:
    words = re.sub(r"[^a-z0-9]+", "-", " ".join(goals).lower()).strip("-")[:40]
    return time.strftime("%Y%m%d-%H%M%S") + (f"-{words}" if words else "")
