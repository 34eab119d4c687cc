"""Recordings of the reasoner, read: the lives of its processes, each with its settings and steps."""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from pydantic import FiniteFloat, TypeAdapter, ValidationError

from openral_core.errors import OpenRALError
from openral_core.parsing import InvalidText, parse_json
from openral_reasoner.commands import COMMAND, Command
from openral_reasoner.events import EVENT, Event
from openral_reasoner.idle_state import IdleState
from openral_reasoner.recording import (
    FORGET,
    IDLE,
    INTERNED,
    INTERRUPTED,
    RESTORED,
    SETTINGS,
    STATEMENT,
    RecordedEvent,
    first_content,
    step_contents,
)
from openral_reasoner.request.plain import VERSION
from openral_reasoner.settings import MissionSettings
from openral_testing.recordings.interned_values import Outliner

MAX_LINE = 64_000_000
"""Longest line that is read [characters]."""
NOW: TypeAdapter[float] = TypeAdapter(FiniteFloat)


class InvalidRecording(OpenRALError):
    """Line that is not part of a recording."""

    def __init__(self, number: int, reason: object) -> None:
        super().__init__(f"line {number} of the recording cannot be read: {reason}")


@dataclass(frozen=True, slots=True)
class Life:
    """Recording of one process; ``torn`` if its last line is incomplete.

    Lines before it that cannot be read are left out; ``damaged`` are their numbers.

    A process that resumed a mission begins with the ``idle`` state of the core and the ``restored`` steps of
    the process before. ``interrupted`` if the same process could not write for a while before it.
    ``version`` is that of its statements of requests, 0 before there were any.
    """

    settings: MissionSettings
    steps: Sequence[RecordedEvent]
    torn: bool = False
    restored: int = 0
    idle: IdleState | None = None
    interrupted: bool = False
    damaged: tuple[int, ...] = ()
    version: int = VERSION


def settings_line(settings: MissionSettings) -> str:
    """Return the first line of a recording whose steps are written by `step_line`."""
    return json.dumps(first_content(settings))


def step_line(now: float, event: Event, commands: tuple[Command, ...]) -> str:
    """Return the self-contained line of one step."""
    return json.dumps(step_contents(now, event, commands), separators=(",", ":"))


def read_lives(lines: Iterable[str]) -> Iterator[Life]:
    """Yield every life in a file, in order.

    Lines that cannot be read are counted and left out.

    Raises:
        InvalidRecording: If the settings that a file begins with cannot be read.
    """
    life = _Reading(MissionSettings(), interned=False, begun=False)
    for number, line in enumerate(lines, start=1):
        content = parse_line(line)
        if not isinstance(content, dict) or SETTINGS not in content:
            life.take(number, content)
            continue
        try:
            fresh = _begun(number, content)
        except InvalidRecording:
            if not life.begun:
                raise
            life.take(number, ValueError("invalid settings"))
            continue
        if life.begun:
            yield life.ended()
        life = fresh
    if life.begun:
        yield life.ended()


def read_lines(lines: Iterable[str]) -> tuple[MissionSettings, Sequence[RecordedEvent]]:
    """Read a complete recording of a single life.

    Raises:
        InvalidRecording: If a line cannot be read, or there is more than one life.
    """
    lives = list(read_lives(lines))
    if len(lives) > 1:
        raise InvalidRecording(1 + len(lives[0].steps) + 1, "another life begins here")
    for life in lives:
        if life.damaged:
            raise InvalidRecording(life.damaged[0], "it is damaged")
        if life.torn:
            raise InvalidRecording(1 + len(life.steps) + 1, "it is truncated")
    return (lives[0].settings, lives[0].steps) if lives else (MissionSettings(), [])


class _Reading:
    """Reader of one life."""

    def __init__(self, settings: MissionSettings, interned: bool, begun: bool = True) -> None:
        self._settings, self._steps = settings, list[RecordedEvent]()
        self._values = Outliner() if interned else None
        self._damaged, self._torn = list[int](), False
        self.begun = begun
        self.restored = 0
        self.idle: IdleState | None = None
        self.interrupted = False
        self.version = 0

    def take(self, number: int, content: object) -> None:
        """Read one line; count one that cannot be read."""
        self.begun, self._torn = True, False
        try:
            self._read(content)
        except (ValueError, KeyError, TypeError, OpenRALError):
            self._damaged.append(number)
            self._torn = True

    def ended(self) -> Life:
        """Return the whole life."""
        restored = min(self.restored, len(self._steps))
        damaged = tuple(self._damaged[:-1] if self._torn else self._damaged)
        return Life(
            self._settings,
            self._steps,
            self._torn,
            restored,
            self.idle,
            self.interrupted,
            damaged,
            version=self.version,
        )

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
        event = EVENT.validate_python(plain["event"])
        self._steps.append(RecordedEvent(NOW.validate_python(plain["now"]), event, commands))


def parse_line(line: str) -> object:
    """Return the content of a line, or the error if it cannot be read."""
    try:
        return parse_json(line, MAX_LINE, finite=False)
    except InvalidText as error:
        return error


def _begun(number: int, content: Mapping[str, object]) -> _Reading:
    """Begin the life of a line of settings."""
    life = _Reading(_settings(number, content), bool(content.get(INTERNED)))
    life.restored, life.idle = _restored(number, content)
    life.interrupted = bool(content.get(INTERRUPTED))
    version = content.get(STATEMENT, 0)
    life.version = version if isinstance(version, int) else 0
    return life


def _restored(number: int, content: Mapping[str, object]) -> tuple[int, IdleState | None]:
    try:
        idle = IdleState.model_validate(content[IDLE]) if IDLE in content else None
        return int(str(content.get(RESTORED, 0))), idle
    except ValueError as error:
        raise InvalidRecording(number, error) from error


def _settings(number: int, content: Mapping[str, object]) -> MissionSettings:
    try:
        return MissionSettings.model_validate(content[SETTINGS])
    except ValidationError as error:
        raise InvalidRecording(number, error) from error
