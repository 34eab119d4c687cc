"""Names of the graph, relative so that a namespace moves them all."""
# MERGED Exactly what the model is given of the palette, as JSON, latched on openral/palette.
# MERGED Every event with the commands it led to, as JSON lines: enough to play the mission again.

import json
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import TextIO

from std_msgs.msg import String

from openral_reasoner.commands import Command
from openral_reasoner.events import Event
from openral_reasoner.mission_loop import SYSTEM_PROMPT
from openral_reasoner.palette.entries import ToolPalette
from openral_reasoner.recording import LineWriter
from openral_reasoner.settings import MissionSettings
from openral_reasoner.tools.registry import schemas
from openral_ros.qos import LATCHED
from openral_ros.resources import ResourceScope

RECALL = "openral/recall_object"
RESOLVE = "openral/resolve_place"
OBSERVE = "openral/observe"
SCENE_GRAPH = "openral/scene_graph"
WORLD_STATE = "openral/world_state"
PERCEPTION = "openral/perception"
EXECUTE = "openral/execute_rskill"
SKILLS = "openral/skills"
PROMPT = "openral/prompt"
RECEIPT = "openral/prompt_receipt"
MISSION = "openral/mission"
PALETTE = "openral/palette"
HANDOFF = "openral/handoff"
FAILURE = "openral/failure"
OWN_FAILURE = f"{FAILURE}/reasoner"


class PalettePublisher:
    """Publishes when the text changes."""

    def __init__(self, scope: ResourceScope) -> None:
        self._publisher = scope.publisher(String, PALETTE, LATCHED)
        self._shown = ""

    def show(self, palette: ToolPalette) -> None:
        """The palette of now."""
        text = palette_text(palette)
        if text != self._shown:
            self._shown = text
            self._publisher.publish(String(data=text))


def palette_text(palette: ToolPalette) -> str:
    """System words, the tools with their schemas, and the palette they were made from."""
    tools = [
        {"name": t.name, "description": t.description, "parameters": json.loads(t.parameters)}
        for t in schemas(palette)
    ]
    content = {"system": SYSTEM_PROMPT, "tools": tools, "palette": palette.model_dump(mode="json")}
    return json.dumps(content, sort_keys=True)


FILE = "reasoner.jsonl"
BEFORE = "reasoner.1.jsonl"
"""A full recording, when the next start of the reasoner begins another."""
MOST = 256_000_000
"""A recording takes no more: about a day of missions in a home of 300 objects [bytes]."""
Say = Callable[[str], object]
Record = Callable[[float, Event, tuple[Command, ...]], None]


class RecordingFull(OSError):
    """A recording that has reached its bound."""

    def __init__(self, most: int) -> None:
        super().__init__(f"it has {most / 1e6:.0f} MB, which is all it may have")


class Recorder:
    """Writes until it cannot: then it says so once, and the mission goes on without.

    Args:
        folder: Holds ``reasoner.jsonl``; what an earlier process wrote there stays before.
        settings: What the core runs with, for its replay.
        say: Told once why nothing more is recorded.
        most: Bound of the file [bytes].
    """

    def __init__(self, folder: Path, settings: MissionSettings, say: Say, most: int = MOST) -> None:
        self._path, self._say, self._most = folder / FILE, say, most
        self._lines, self._size = LineWriter(), 0
        self._file: TextIO | None = None
        try:
            self._file = _opened(self._path, most)
            self._size = self._path.stat().st_size
            self._write(self._lines.settings(settings))
        except (OSError, ValueError) as error:
            self._stop(error)

    def record(self, now: float, event: Event, commands: tuple[Command, ...]) -> None:
        """Write one step."""
        if self._file is None:
            return
        try:
            self._write(self._lines.step(now, event, commands))
        except (OSError, ValueError, TypeError, RecursionError) as error:
            self._stop(error)

    def close(self) -> None:
        """Write no more; what is still unwritten for want of room is lost."""
        file, self._file = self._file, None
        if file is not None:
            with suppress(OSError):
                file.close()

    def _write(self, line: str) -> None:
        if self._file is None:
            return
        self._size += len(line) + 1
        if self._size > self._most:
            raise RecordingFull(self._most)
        self._file.write(line + "\n")
        self._file.flush()

    def _stop(self, error: Exception) -> None:
        self.close()
        self._say(f"recording ends: {self._path}: {error}; missions go on, and are not recorded")


def recorder(scope: ResourceScope, folder: str, settings: MissionSettings, say: Say) -> Record:
    """Writes to ``folder``/reasoner.jsonl while the scope lives; an empty folder records nothing."""
    if not folder:
        return _nothing
    made = Recorder(Path(folder), settings, say)
    scope.callback(made.close)
    return made.record


def _opened(path: Path, most: int) -> TextIO:
    """The file, at the beginning of a line; one that is full makes way for a new one."""
    path.parent.mkdir(parents=True, exist_ok=True)
    if path.is_file() and path.stat().st_size > most // 2:
        path.replace(path.with_name(BEFORE))
    file = path.open("a", encoding="utf-8")
    if path.stat().st_size and not _ends_a_line(path):
        file.write("\n")
    return file


def _ends_a_line(path: Path) -> bool:
    with path.open("rb") as file:
        file.seek(-1, 2)
        return file.read() == b"\n"


def _nothing(now: float, event: Event, commands: tuple[Command, ...]) -> None:
    """Record nothing."""
