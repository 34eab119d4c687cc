"""One line per event with the commands it led to. A process begins with a line of its settings.

A file may hold several such lives, each ended by a restart of the reasoner; a line torn by the end of the
process, or by a full disk, ends its life.
"""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from pydantic import ValidationError

from openral_core.errors import OpenRALError
from openral_reasoner.exchanges.commands import COMMAND, Command
from openral_reasoner.exchanges.events import EVENT, Event
from openral_reasoner.procedures.settings import MissionSettings
from openral_reasoner.recordings.interning import Interner, Outliner

SETTINGS, INTERNED, FORGET = "settings", "interned", "forget"


class InvalidRecording(OpenRALError):
    """A line that is not what a recording holds."""

    def __init__(self, number: int, reason: object) -> None:
        super().__init__(f"line {number} of the recording cannot be read: {reason}")


@dataclass(frozen=True, slots=True)
class Step:
    """One event at ``now`` [s] and its commands."""

    now: float
    event: Event
    commands: tuple[Command, ...]


@dataclass(frozen=True, slots=True)
class Life:
    """What one process recorded; ``torn`` when its last line is not whole."""

    settings: MissionSettings
    steps: Sequence[Step]
    torn: bool = False


class LineWriter:
    """The lines of one life; what was written before is not written again."""

    def __init__(self) -> None:
        self._interner = Interner()

    def settings(self, settings: MissionSettings) -> str:
        """The first line."""
        return json.dumps({SETTINGS: settings.model_dump(mode="json"), INTERNED: True})

    def step(self, now: float, event: Event, commands: Sequence[Command]) -> str:
        """One step; where nothing before is referred to any more, a line before it says so.

        Raises:
            ValueError: If the event cannot be written as JSON.
        """
        parts = _contents(now, event, commands)
        begin = ""
        if self._interner.is_full:
            self._interner.forget()
            begin = json.dumps({FORGET: True}) + "\n"
        text = ",".join(f'"{name}":{self._item(value)}' for name, value in parts.items())
        return f"{begin}{{{text}}}"

    def _item(self, value: object) -> str:
        """An event or a list of commands: their fields one by one, as each differs from the one before."""
        if isinstance(value, list):
            return "[" + ",".join(map(self._item, value)) + "]"
        if isinstance(value, dict):
            return "{" + ",".join(f"{json.dumps(k)}:{self._interner.text(v)}" for k, v in value.items()) + "}"
        return json.dumps(value)


def settings_line(settings: MissionSettings) -> str:
    """The first line of a run whose steps are `step_line` each."""
    return json.dumps({SETTINGS: settings.model_dump(mode="json")})


def step_line(now: float, event: Event, commands: tuple[Command, ...]) -> str:
    """One step that refers to no other."""
    return json.dumps(_contents(now, event, commands), separators=(",", ":"))


def read_lives(lines: Iterable[str]) -> Iterator[Life]:
    """Every life in a file, in order.

    Raises:
        InvalidRecording: Naming a line that cannot be read, unless it is the last of its life.
    """
    life = _Reading(MissionSettings(), interned=False, begun=False)
    for number, line in enumerate(lines, start=1):
        content = _content(line)
        if isinstance(content, dict) and SETTINGS in content:
            if life.begun:
                yield life.ended()
            life = _Reading(_settings(number, content), bool(content.get(INTERNED)))
        else:
            life.take(number, content)
    if life.begun:
        yield life.ended()


def read_lines(lines: Iterable[str]) -> tuple[MissionSettings, Sequence[Step]]:
    """A recording of a single life, whole.

    Raises:
        InvalidRecording: If a line cannot be read, or there is more than one life.
    """
    lives = list(read_lives(lines))
    if len(lives) > 1:
        raise InvalidRecording(1 + len(lives[0].steps) + 1, "another life begins here")
    if lives and lives[0].torn:
        raise InvalidRecording(1 + len(lives[0].steps) + 1, "it is torn")
    return (lives[0].settings, lives[0].steps) if lives else (MissionSettings(), [])


class _Reading:
    """One life while it is being read."""

    def __init__(self, settings: MissionSettings, interned: bool, begun: bool = True) -> None:
        self._settings, self._steps = settings, list[Step]()
        self._values = Outliner() if interned else None
        self._torn: InvalidRecording | None = None
        self.begun = begun

    def take(self, number: int, content: object) -> None:
        """One line; nothing may come after one that cannot be read."""
        if self._torn is not None:
            raise self._torn
        self.begun = True
        try:
            self._read(content)
        except (ValueError, KeyError, TypeError, OpenRALError) as error:
            self._torn = InvalidRecording(number, error)
            self._torn.__cause__ = error

    def ended(self) -> Life:
        """All of it."""
        return Life(self._settings, self._steps, self._torn is not None)

    def _read(self, content: object) -> None:
        if isinstance(content, ValueError):
            raise content
        if self._values is not None and isinstance(content, dict) and FORGET in content:
            self._values.forget()
            return
        plain = content if self._values is None else self._values.value(content)
        if not isinstance(plain, dict):
            raise TypeError(f"a step is a mapping, found {type(plain).__name__}")
        commands = tuple(COMMAND.validate_python(each) for each in plain["commands"])
        self._steps.append(Step(plain["now"], EVENT.validate_python(plain["event"]), commands))


def _contents(now: float, event: Event, commands: Sequence[Command]) -> dict[str, object]:
    """Plain values; a number that is none stays one: as null it could not be read again."""
    return {
        "now": now,
        "event": EVENT.dump_python(event, mode="json"),
        "commands": [COMMAND.dump_python(command, mode="json") for command in commands],
    }


def _content(line: str) -> object:
    """What a line holds, or why it cannot be read."""
    try:
        return json.loads(line)
    except (ValueError, RecursionError) as error:
        return error if isinstance(error, ValueError) else ValueError("nested too deeply")


def _settings(number: int, content: Mapping[str, object]) -> MissionSettings:
    try:
        return MissionSettings.model_validate(content[SETTINGS])
    except ValidationError as error:
        raise InvalidRecording(number, error) from error
