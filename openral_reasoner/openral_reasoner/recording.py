"""Recordings: one line per event with its commands.

A process begins with a line of its settings. A file may hold several processes ("lives"), each ended by a
restart of the reasoner; a line truncated by the end of the process, or by a full disk, ends its life.

Values that are repeated from line to line are interned: see `interning`.
"""

import json
from collections.abc import Sequence
from dataclasses import dataclass

from openral_reasoner.commands import COMMAND, Command
from openral_reasoner.events import EVENT, Event
from openral_reasoner.idle_state import IdleState
from openral_reasoner.interning import Interner
from openral_reasoner.request.plain import VERSION
from openral_reasoner.settings import MissionSettings

SETTINGS, INTERNED, FORGET = "settings", "interned", "forget"
IDLE, RESTORED, INTERRUPTED, STATEMENT = "idle", "restored", "interrupted", "statement"


@dataclass(frozen=True, slots=True)
class RecordedEvent:
    """Event at ``now`` [s] and its commands."""

    now: float
    event: Event
    commands: tuple[Command, ...]


class LineWriter:
    """Writer of the lines of one life, with repeated values interned."""

    def __init__(self) -> None:
        self._interner = Interner()

    def settings(
        self,
        settings: MissionSettings,
        idle: IdleState | None = None,
        restored: int = 0,
        *,
        interrupted: bool = False,
    ) -> str:
        """Return the first line, with the state that the core begins in and the number of restored steps."""
        content = {**first_content(settings), INTERNED: True}
        if idle is not None:
            content |= {IDLE: idle.model_dump(mode="json"), RESTORED: restored}
        return json.dumps(content | ({INTERRUPTED: True} if interrupted else {}))

    def step(self, now: float, event: Event, commands: Sequence[Command]) -> str:
        """Return the line of one step, preceded by a reset line when the interned values are dropped.

        Raises:
            ValueError: If the event cannot be written as JSON.
        """
        parts = step_contents(now, event, commands)
        begin = ""
        if self._interner.is_full:
            self._interner.forget()
            begin = json.dumps({FORGET: True}) + "\n"
        text = ",".join(f'"{name}":{self._item(value)}' for name, value in parts.items())
        return f"{begin}{{{text}}}"

    def _item(self, value: object) -> str:
        """Write an event or a list of commands field by field, because only some fields change."""
        if isinstance(value, list):
            return "[" + ",".join(map(self._item, value)) + "]"
        if isinstance(value, dict):
            return "{" + ",".join(f"{json.dumps(k)}:{self._interner.text(v)}" for k, v in value.items()) + "}"
        return json.dumps(value)


def first_content(settings: MissionSettings) -> dict[str, object]:
    """Return what the first line of every life says."""
    return {SETTINGS: settings.model_dump(mode="json"), STATEMENT: VERSION}


def step_contents(now: float, event: Event, commands: Sequence[Command]) -> dict[str, object]:
    """Return plain values; NaN and infinities stay numbers, because null could not be read back."""
    return {
        "now": now,
        "event": EVENT.dump_python(event, mode="json"),
        "commands": [COMMAND.dump_python(command, mode="json") for command in commands],
    }
