"""Recording of an episode: event log, contact sheet of camera images, and the live viewer."""

import json
import os
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageDraw

from openral_core.errors import OpenRALError
from openral_household_benchmark.environment import HouseholdEnv
from openral_reasoner.commands import CallRecord, Command, PublishStatus
from openral_reasoner.events import Event
from openral_reasoner.recording import LineWriter
from openral_reasoner.settings import MissionSettings
from openral_sim.simulation import RateTimer, Simulation

_WIDTH, _HEIGHT, _LINE = 240, 180, 26  # [px]
_COLUMNS, _QUALITY = 6, 88  # Stills in a row [count]; of JPEG, up to 95.
_PAPER, _INK = (250, 250, 248), (40, 40, 40)  # RGB [levels of 255].


@dataclass(frozen=True, eq=False)
class Still:
    """A picture, uint8 (H, W, 3), and what it shows."""

    rgb: NDArray[np.uint8]
    words: str


def contact_sheet(stills: Sequence[Still]) -> Image.Image:
    """Arrange the stills in reading order."""
    columns = min(_COLUMNS, max(1, len(stills)))
    rows = -(-len(stills) // columns)
    sheet = Image.new("RGB", (columns * _WIDTH, max(1, rows) * (_HEIGHT + _LINE)), _PAPER)
    pen = ImageDraw.Draw(sheet)
    for number, still in enumerate(stills):
        x, y = number % columns * _WIDTH, number // columns * (_HEIGHT + _LINE)
        sheet.paste(Image.fromarray(still.rgb).resize((_WIDTH - 4, _HEIGHT - 4)), (x + 2, y + 2))
        pen.text((x + 4, y + _HEIGHT + 2), still.words, fill=_INK)
    return sheet


def save_sheet(stills: Sequence[Still], path: Path) -> None:
    """Write a contact sheet as JPEG."""
    path.parent.mkdir(parents=True, exist_ok=True)
    contact_sheet(stills).save(path, quality=_QUALITY, optimize=True)


RECORDING = "reasoner.jsonl"
_SHOWN = ("execute_rskill", "locate_in_view")
_TELLING = ("pulling the door", "closing", "lowering", "pouring", "pushing the door", "offering")
_GLANCE = "look-at"
"""A look follows it, which shows the same."""
_LETTERS = 38  # Of a caption [characters].


class EpisodeRecorder:
    """Witnesses a mission; `openral replay` and `openral explain` read what it writes."""

    def __init__(
        self, stack: ExitStack, robot: HouseholdEnv, settings: MissionSettings, folder: Path
    ) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self._file = stack.enter_context((folder / RECORDING).open("w", encoding="utf-8"))
        self._lines = LineWriter()
        self._file.write(self._lines.settings(settings) + "\n")
        self._robot = robot
        self._noted: set[int] = set()
        self._stage = ""
        self.stills: list[Still] = []

    def witness(self, now: float, event: Event, commands: tuple[Command, ...]) -> None:
        """One event with the commands it led to."""
        self._file.write(self._lines.step(now, event, commands) + "\n")
        for command in commands:
            if isinstance(command, PublishStatus):
                self._note(now, command.report.calls)

    def watch(self) -> None:
        """Keep what is seen when a skill comes to what it is about."""
        stage, before = self._robot.simulation.feedback.stage, self._stage
        self._stage = stage
        if stage != before and stage in _TELLING:
            time = self._robot.simulation.time
            self.stills.append(Still(self._robot.look().rgb, f"{time:.0f} s ({stage})"))

    def _note(self, now: float, calls: tuple[CallRecord, ...]) -> None:
        for call in calls:
            if call.tool in _SHOWN and call.status != "pending" and call.index not in self._noted:
                self._noted.add(call.index)
                if _rskill(call) == _GLANCE:
                    continue
                self.stills.append(Still(self._robot.sight.rgb, f"{now:.0f} s {_words(call)}"[:_LETTERS]))


def _rskill(call: CallRecord) -> str:
    return str(json.loads(call.arguments).get("rskill", ""))


def _words(call: CallRecord) -> str:
    arguments = json.loads(call.arguments)
    what = arguments.get("step") or f"look: {arguments.get('query', '')}"
    return f"{what}: {call.status}"


REFRESH = 20.0
"""Pictures a simulated second."""


class NoDisplay(OpenRALError):
    """This machine has no display for a window."""

    def __init__(self) -> None:
        super().__init__("--view needs a screen: DISPLAY and WAYLAND_DISPLAY are not set; leave --view out")


def require_display() -> None:
    """Make sure that a window can be opened.

    Raises:
        NoDisplay: If it cannot.
    """
    if sys.platform == "linux" and not (os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY")):
        raise NoDisplay


@contextmanager
def window(simulation: Simulation) -> Iterator[Callable[[], None]]:
    """Open a window on a simulation; call the yielded function after every control period.

    Raises:
        NoDisplay: If there is no screen.
    """
    require_display()
    # The viewer's library complains when it is loaded where there is no screen.
    viewer = import_module("mujoco.viewer")
    metronome = RateTimer(REFRESH)
    with viewer.launch_passive(simulation.world.model, simulation.world.data) as handle:

        def refresh() -> None:
            if metronome.due(simulation.time) and handle.is_running():
                handle.sync()

        yield refresh
