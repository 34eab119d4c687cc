"""Cost of the mission journal: the events of "bring me a cup of wine", with and without syncs to the disk.

ROUNDS=n in the environment, else 20; FOLDER=path is the disk, else the folder of temporary files. The three
ways take turns, so that other load of the machine affects all of them.
"""

import os
import shutil
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median
from unittest import mock

from goldens.home import Device, make_home, make_palette

from openral_reasoner.commands import PublishReceipt
from openral_reasoner.core import Core
from openral_reasoner.events import PaletteChanged, PromptReceived
from openral_reasoner.journal import ACTING
from openral_reasoner.settings import MissionSettings
from openral_reasoner_ros.journal import JOURNAL_FILE, MissionJournal
from openral_testing.reasoner.simulator import RecordedStep, SimulatedTimeline

NONE, UNSYNCED, SYNCED = "no journal", "journal, not synced", "journal, synced"


@dataclass
class _Times:
    """Times of the journal's work [ms]: per event that acts, per other event, and of the whole mission."""

    acting: list[float] = field(default_factory=list)
    others: list[float] = field(default_factory=list)
    mission: list[float] = field(default_factory=list)
    size: int = 0


def run() -> list[dict[str, object]]:
    """One row per way."""
    steps = _wine_story()
    times = {NONE: _Times(), UNSYNCED: _Times(), SYNCED: _Times()}
    for _ in range(int(os.environ.get("ROUNDS", "20"))):
        for way, found in times.items():
            _play(steps, way, found)
    base = median(times[UNSYNCED].mission)
    return [
        {
            "way": way,
            "events": len(steps),
            "events that act": sum(map(_acts, steps)),
            "syncs": _syncs(steps) if way == SYNCED else 0,
            "journal [kB]": round(found.size / 1000.0, 1),
            "event that acts, median [ms]": round(median(found.acting), 3),
            "event that acts, longest [ms]": round(max(found.acting), 3),
            "other event, median [ms]": round(median(found.others), 3),
            "mission, median [ms]": round(median(found.mission), 1),
            "ratio to not synced": round(median(found.mission) / base, 2),
        }
        for way, found in times.items()
    ]


def _play(steps: list[RecordedStep], way: str, found: _Times) -> None:
    """Have a new core handle all events; time what the journal does before and after each."""
    folder = Path(tempfile.mkdtemp(dir=os.environ.get("FOLDER")))
    core, total = Core(MissionSettings()), 0.0
    journal = MissionJournal(None if way == NONE else folder, print)
    with _without_sync(way != SYNCED):
        journal.attach(core, lambda: "server")
        for step in steps:
            begun = time.perf_counter()
            journal.before(step.now, step.event)
            spent = time.perf_counter() - begun
            commands = core.handle(step.event, step.now)
            found.size = max(found.size, _size(folder))
            begun = time.perf_counter()
            journal.after(commands)
            spent = 1000.0 * (spent + time.perf_counter() - begun)
            (found.acting if _acts(step) else found.others).append(spent)
            total += spent
        journal.close()
    found.mission.append(total)
    shutil.rmtree(folder)


def _wine_story() -> list[RecordedStep]:
    """Return the events of one mission in a symbolic home."""
    home = make_home()
    palette = make_palette(home)
    line = SimulatedTimeline(Core(MissionSettings()), Device(home, palette).answers)
    line.put(0.0, PaletteChanged(palette=palette))
    line.put(1.0, PromptReceived(id="p", text="bring me a cup of wine", requester="ana"))
    line.run()
    return line.moments


def _acts(step: RecordedStep) -> bool:
    return any(isinstance(command, ACTING) for command in step.commands)


def _syncs(steps: list[RecordedStep]) -> int:
    """Return the number of events after which the journal is synced; two more begin it anew."""
    return sum(_acts(s) or any(isinstance(c, PublishReceipt) for c in s.commands) for s in steps)


def _size(folder: Path) -> int:
    file = folder / JOURNAL_FILE
    return file.stat().st_size if file.is_file() else 0


@contextmanager
def _without_sync(skipped: bool) -> Iterator[None]:
    """Replace fsync by nothing, if ``skipped``."""
    sync = mock.patch.object(os, "fsync", return_value=None)
    with sync if skipped else nullcontext():
        yield
