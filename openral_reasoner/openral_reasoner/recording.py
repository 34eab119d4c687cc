"""Recordings: one line per event with its commands, written and read.

A process begins with a line of its settings. A file may hold several processes ("lives"), each ended by a
restart of the reasoner; a line truncated by the end of the process, or by a full disk, ends its life.

A scene graph is read many times and hardly differs, and every status holds all calls so far. Repeated values
are therefore interned: each is written once, and later lines refer to it by number. A value may stand as:

- ``{"@": 7, "=": x}``: the plain value x, which is number 7 from now on;
- ``{"@": 7, "~": x}``: the same, for an x that contains such marks;
- ``{"@": 7}``: that value again;
- ``{"@": 0, "=": x}``: an x that only looks like a mark;
- ``{"@": 0, "+": [x, y]}``: the lists x and y, one after the other.
"""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from typing import NamedTuple
from zlib import crc32

from pydantic import ValidationError

from openral_core.errors import OpenRALError
from openral_reasoner.commands import COMMAND, Command
from openral_reasoner.core import IdleState
from openral_reasoner.events import EVENT, Event
from openral_reasoner.settings import MissionSettings

MARK, PLAIN, MARKED, JOINED = "@", "=", "~", "+"
SHORT = 160
"""Texts up to this length are repeated [characters]; a mark and its definition take about 30."""
LEAF = 600
"""Mappings up to this length are one value [characters]; longer ones are interned by their parts."""
CHUNK = 32
"""Mean number of elements per part of a long list, so that an insertion changes one part."""
MOST = 200_000
"""Maximum number of values remembered; each takes about 150 bytes."""


class UnknownMark(OpenRALError):
    """Reference to a value that no earlier line defines."""

    def __init__(self, number: object) -> None:
        super().__init__(f"value number {number!r} is not defined by any earlier line")


class _Text(NamedTuple):
    """Value as written now, and as it will be written from now on."""

    now: str
    later: str


class Interner:
    """Writer of interned values."""

    def __init__(self) -> None:
        self._numbers: dict[bytes, int] = {}

    @property
    def is_full(self) -> bool:
        """True if it is time to `forget`."""
        return len(self._numbers) >= MOST

    def forget(self) -> None:
        """Forget every value; the reader must do the same."""
        self._numbers.clear()

    def text(self, value: object) -> str:
        """Return the JSON of a value, with references to values written before."""
        return self._text(value).now

    def _text(self, value: object) -> _Text:
        if isinstance(value, dict):
            return self._mapping(value)
        if isinstance(value, list):
            parts = [self._text(each) for each in value]
            return self._list(parts) if len(parts) <= 2 * CHUNK else self._long_list(parts)
        return self._plain(json.dumps(value))

    def _mapping(self, value: Mapping[str, object]) -> _Text:
        plain = json.dumps(value, separators=(",", ":"))
        if len(plain) <= LEAF or MARK in value:
            return self._plain(plain)
        parts = [(json.dumps(key), self._text(each)) for key, each in value.items()]
        now = ",".join(f"{key}:{text.now}" for key, text in parts)
        later = ",".join(f"{key}:{text.later}" for key, text in parts)
        return self._marked(_Text(f"{{{now}}}", f"{{{later}}}"), MARKED)

    def _list(self, parts: Sequence[_Text]) -> _Text:
        now, later = (",".join(texts) for texts in (zip(*parts, strict=True) if parts else ("", "")))
        return self._marked(_Text(f"[{now}]", f"[{later}]"), MARKED)

    def _long_list(self, parts: Sequence[_Text]) -> _Text:
        inner = self._list([self._list(chunk) for chunk in _chunks(parts)])
        return _Text(*(f'{{"{MARK}":0,"{JOINED}":{text}}}' for text in inner))

    def _plain(self, text: str) -> _Text:
        if len(text) <= SHORT and f'"{MARK}"' in text:
            wrapped = f'{{"{MARK}":0,"{PLAIN}":{text}}}'
            return _Text(wrapped, wrapped)
        return self._marked(_Text(text, text), PLAIN)

    def _marked(self, text: _Text, kind: str) -> _Text:
        if len(text.later) <= SHORT:
            return text
        digest = blake2b(f"{kind}{text.later}".encode(), digest_size=16).digest()
        known = self._numbers.get(digest)
        if known is not None:
            again = f'{{"{MARK}":{known}}}'
            return _Text(again, again)
        number = self._numbers[digest] = len(self._numbers) + 1
        return _Text(f'{{"{MARK}":{number},"{kind}":{text.now}}}', f'{{"{MARK}":{number}}}')


def _chunks(parts: Sequence[_Text]) -> Iterator[list[_Text]]:
    """Split a list at content-defined positions, which are stable under insertions."""
    chunk: list[_Text] = []
    for part in parts:
        chunk.append(part)
        if crc32(part.later.encode()) % CHUNK == 0:
            yield chunk
            chunk = []
    if chunk:
        yield chunk


class Outliner:
    """Reader of interned values."""

    def __init__(self) -> None:
        self._values: dict[int, object] = {}

    def forget(self) -> None:
        """Forget every value, as the writer did."""
        self._values.clear()

    def value(self, content: object) -> object:
        """Resolve the references in a value.

        Raises:
            UnknownMark: If it refers to an undefined value.
        """
        if isinstance(content, list):
            return [self.value(each) for each in content]
        if not isinstance(content, dict):
            return content
        if MARK not in content:
            return {key: self.value(each) for key, each in content.items()}
        return self._of_mark(content)

    def _of_mark(self, content: Mapping[str, object]) -> object:
        number = content[MARK]
        if not isinstance(number, int):
            raise UnknownMark(number)
        if JOINED in content:
            lists = self.value(content[JOINED])
            return [each for part in lists for each in part] if isinstance(lists, list) else lists
        if PLAIN not in content and MARKED not in content:
            if number not in self._values:
                raise UnknownMark(number)
            return self._values[number]
        found = content[PLAIN] if PLAIN in content else self.value(content[MARKED])
        if number > 0:
            self._values[number] = found
        return found


SETTINGS, INTERNED, FORGET = "settings", "interned", "forget"
IDLE, RESTORED, INTERRUPTED = "idle", "restored", "interrupted"


class InvalidRecording(OpenRALError):
    """Line that is not part of a recording."""

    def __init__(self, number: int, reason: object) -> None:
        super().__init__(f"line {number} of the recording cannot be read: {reason}")


@dataclass(frozen=True, slots=True)
class RecordedEvent:
    """Event at ``now`` [s] and its commands."""

    now: float
    event: Event
    commands: tuple[Command, ...]


@dataclass(frozen=True, slots=True)
class Life:
    """Recording of one process; ``torn`` if its last line is incomplete.

    A process that resumed a mission begins with the ``idle`` state of the core and the ``restored`` steps of
    the process before. ``interrupted`` if the same process could not write for a while before it.
    """

    settings: MissionSettings
    steps: Sequence[RecordedEvent]
    torn: bool = False
    restored: int = 0
    idle: IdleState | None = None
    interrupted: bool = False


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
        content: dict[str, object] = {SETTINGS: settings.model_dump(mode="json"), INTERNED: True}
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


def settings_line(settings: MissionSettings) -> str:
    """Return the first line of a recording whose steps are written by `step_line`."""
    return json.dumps({SETTINGS: settings.model_dump(mode="json")})


def step_line(now: float, event: Event, commands: tuple[Command, ...]) -> str:
    """Return the self-contained line of one step."""
    return json.dumps(step_contents(now, event, commands), separators=(",", ":"))


def read_lives(lines: Iterable[str]) -> Iterator[Life]:
    """Yield every life in a file, in order.

    Raises:
        InvalidRecording: If a line cannot be read, unless it is the last of its life.
    """
    life = _Reading(MissionSettings(), interned=False, begun=False)
    for number, line in enumerate(lines, start=1):
        content = parse_line(line)
        if isinstance(content, dict) and SETTINGS in content:
            if life.begun:
                yield life.ended()
            life = _Reading(_settings(number, content), bool(content.get(INTERNED)))
            life.restored, life.idle = _restored(number, content)
            life.interrupted = bool(content.get(INTERRUPTED))
        else:
            life.take(number, content)
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
    if lives and lives[0].torn:
        raise InvalidRecording(1 + len(lives[0].steps) + 1, "it is truncated")
    return (lives[0].settings, lives[0].steps) if lives else (MissionSettings(), [])


class _Reading:
    """Reader of one life."""

    def __init__(self, settings: MissionSettings, interned: bool, begun: bool = True) -> None:
        self._settings, self._steps = settings, list[RecordedEvent]()
        self._values = Outliner() if interned else None
        self._torn: InvalidRecording | None = None
        self.begun = begun
        self.restored = 0
        self.idle: IdleState | None = None
        self.interrupted = False

    def take(self, number: int, content: object) -> None:
        """Read one line; only the last line of a life may be unreadable."""
        if self._torn is not None:
            raise self._torn
        self.begun = True
        try:
            self._read(content)
        except (ValueError, KeyError, TypeError, OpenRALError) as error:
            self._torn = InvalidRecording(number, error)
            self._torn.__cause__ = error

    def ended(self) -> Life:
        """Return the whole life."""
        restored = min(self.restored, len(self._steps))
        return Life(
            self._settings, self._steps, self._torn is not None, restored, self.idle, self.interrupted
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
        self._steps.append(RecordedEvent(plain["now"], EVENT.validate_python(plain["event"]), commands))


def step_contents(now: float, event: Event, commands: Sequence[Command]) -> dict[str, object]:
    """Return plain values; NaN and infinities stay numbers, because null could not be read back."""
    return {
        "now": now,
        "event": EVENT.dump_python(event, mode="json"),
        "commands": [COMMAND.dump_python(command, mode="json") for command in commands],
    }


def parse_line(line: str) -> object:
    """Return the content of a line, or the error if it cannot be read."""
    try:
        return json.loads(line)
    except (ValueError, RecursionError) as error:
        return error if isinstance(error, ValueError) else ValueError("nested too deeply")


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
