"""Every event with the commands it led to, as JSON lines: enough to play the mission again."""

from collections.abc import Callable
from pathlib import Path
from typing import TextIO

from openral_reasoner.exchanges.commands import Command
from openral_reasoner.exchanges.events import Event
from openral_reasoner.procedures.settings import MissionSettings
from openral_reasoner.recordings import settings_line, step_line
from openral_ros.scopes import Scope

FILE = "reasoner.jsonl"


def recorder(
    scope: Scope, folder: str, settings: MissionSettings
) -> Callable[[float, Event, tuple[Command, ...]], None]:
    """Writes to ``folder``/reasoner.jsonl while the scope lives; an empty folder records nothing."""
    if not folder:
        return _nothing
    path = Path(folder) / FILE
    path.parent.mkdir(parents=True, exist_ok=True)
    file: TextIO = scope.enter_context(path.open("a", encoding="utf-8"))
    file.write(settings_line(settings) + "\n")

    def record(now: float, event: Event, commands: tuple[Command, ...]) -> None:
        file.write(step_line(now, event, commands) + "\n")
        file.flush()

    return record


def _nothing(now: float, event: Event, commands: tuple[Command, ...]) -> None:
    """Record nothing."""
