"""Recordings: one line per event with its commands; writing, reading, replaying and explaining them.

A process begins with a line of its settings. A file may hold several processes ("lives"), each ended by a
restart of the reasoner; a line truncated by the end of the process, or by a full disk, ends its life.
"""

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import zip_longest

from pydantic import ValidationError

from openral_core.errors import OpenRALError
from openral_core.missions import MissionState
from openral_reasoner import commands as c
from openral_reasoner import events as e
from openral_reasoner.budget import cost_words
from openral_reasoner.commands import COMMAND, CallRecord, Command, MissionReport
from openral_reasoner.context import RawCall
from openral_reasoner.core import Core, handle_safely
from openral_reasoner.events import EVENT, Event
from openral_reasoner.recording_texts import without_texts
from openral_reasoner.settings import MissionSettings
from openral_reasoner.value_interning import Interner, Outliner

SETTINGS, INTERNED, FORGET = "settings", "interned", "forget"


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
    """Recording of one process; ``torn`` if its last line is incomplete."""

    settings: MissionSettings
    steps: Sequence[RecordedEvent]
    torn: bool = False


class LineWriter:
    """Writer of the lines of one life, with repeated values interned."""

    def __init__(self) -> None:
        self._interner = Interner()

    def settings(self, settings: MissionSettings) -> str:
        """Return the first line."""
        return json.dumps({SETTINGS: settings.model_dump(mode="json"), INTERNED: True})

    def step(self, now: float, event: Event, commands: Sequence[Command]) -> str:
        """Return the line of one step, preceded by a reset line when the interned values are dropped.

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
    return json.dumps(_contents(now, event, commands), separators=(",", ":"))


def read_lives(lines: Iterable[str]) -> Iterator[Life]:
    """Yield every life in a file, in order.

    Raises:
        InvalidRecording: If a line cannot be read, unless it is the last of its life.
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
        self._steps.append(RecordedEvent(plain["now"], EVENT.validate_python(plain["event"]), commands))


def _contents(now: float, event: Event, commands: Sequence[Command]) -> dict[str, object]:
    """Return plain values; NaN and infinities stay numbers, because null could not be read back."""
    return {
        "now": now,
        "event": EVENT.dump_python(event, mode="json"),
        "commands": [COMMAND.dump_python(command, mode="json") for command in commands],
    }


def _content(line: str) -> object:
    """Return the content of a line, or the error if it cannot be read."""
    try:
        return json.loads(line)
    except (ValueError, RecursionError) as error:
        return error if isinstance(error, ValueError) else ValueError("nested too deeply")


def _settings(number: int, content: Mapping[str, object]) -> MissionSettings:
    try:
        return MissionSettings.model_validate(content[SETTINGS])
    except ValidationError as error:
        raise InvalidRecording(number, error) from error


SHOWN = 2000
"""Longest part of a differing command that is shown [characters]."""
BEFORE = 200
"""Longest part before the difference that is shown [characters]."""


@dataclass(frozen=True, slots=True)
class Difference:
    """First command that differs from the recorded one."""

    step: int
    event: str
    recorded: str
    given: str

    def words(self) -> str:
        """Describe the difference for a human."""
        return f"step {self.step} ({self.event}):\n  recorded {self.recorded}\n  now      {self.given}"


def replay(
    settings: MissionSettings, steps: Sequence[RecordedEvent], *, ignore_text: bool = False
) -> Difference | None:
    """Replay recorded events and return the first differing command, None if all are equal.

    Args:
        settings: Settings of the recorded core.
        steps: Recorded events and commands.
        ignore_text: Ignore texts for readers, see `recording_texts`.
    """
    core = Core(settings)
    for number, step in enumerate(steps, start=1):
        given = handle_safely(core, step.event, step.now, _silent)
        for recorded, command in zip_longest(step.commands, given):
            if recorded == command:
                continue
            before, now = _words(recorded, ignore_text), _words(command, ignore_text)
            if before != now:  # NaN is not itself
                return Difference(number, step.event.kind, *_parting(before, now))
    return None


def _silent(message: str) -> None:
    """Discard the log: the difference shows what matters."""


def _words(command: Command | None, ignore_text: bool) -> str:
    if command is None:
        return "nothing"
    content: object = COMMAND.dump_python(command, mode="json")
    if ignore_text:
        content = without_texts(command.kind, content)
    return json.dumps(content, separators=(",", ":"))


def _parting(recorded: str, given: str) -> tuple[str, str]:
    """Return both texts, starting shortly before they differ."""
    pairs = enumerate(zip(recorded, given, strict=False))
    same = next((index for index, (one, other) in pairs if one != other), 0)
    begin = same - BEFORE if same > SHOWN // 2 else 0
    dots = "..." if begin else ""
    return dots + recorded[begin : begin + SHOWN], dots + given[begin : begin + SHOWN]


_Describe = Callable[..., str]


def stories(lives: Iterable[Life]) -> Iterator[str]:
    """Explain every life of the reasoner, and the missions that were cut off."""
    before: Life | None = None
    for number, life in enumerate(lives):
        if before is not None:
            yield from _cut_off(before, "the reasoner stopped during this mission and was restarted")
        if number:
            yield f"--- the reasoner restarts (start {number + 1} of this recording)"
        yield from render_story(life.steps)
        before = life
    if before is not None:
        yield from _cut_off(before, "the recording ends during this mission")


def _cut_off(life: Life, why: str) -> Iterator[str]:
    goal, state = "", None
    for command in (command for step in life.steps for command in step.commands):
        if isinstance(command, c.PublishStatus):
            goal, state = command.report.goal, command.report.state
    if state is not None and state is not MissionState.IDLE and not state.ended:
        yield f"mission {goal!r} was {_plain(state.name)}: {why}"
    if life.torn:
        yield "the last line of the recording is truncated and was skipped"


def render_story(steps: Sequence[RecordedEvent]) -> Iterator[str]:
    """Yield one line per notable event, with the time since the first goal [s]."""
    begun: float | None = None
    told: dict[int, CallRecord] = {}
    running = False
    for step in steps:
        if isinstance(step.event, e.PromptReceived):
            begun, running = (step.now if begun is None else begun), True
        clock = f"{step.now - (begun if begun is not None else step.now):7.1f} s  "
        describe = _EVENTS.get(type(step.event))
        if describe is not None and running:
            yield clock + describe(step.event)
        for command in step.commands:
            yield from (clock + line for line in _lines(command, told))
            running = running and not isinstance(command, c.EndMission)


def _lines(command: c.Command, told: dict[int, CallRecord]) -> Iterator[str]:
    if isinstance(command, c.PublishStatus):
        for record in command.report.calls:
            if record.status != "pending" and told.get(record.index) != record:
                told[record.index] = record
                yield "  " + _call(record)
        if command.report.state.ended:
            yield from (f"evidence: {fact}" for fact in command.report.evidence)
            yield _used(command.report)
    elif isinstance(command, c.EndMission):
        told.clear()
    describe = _COMMANDS.get(type(command))
    if describe is not None:
        yield describe(command)


def _call(record: CallRecord) -> str:
    arguments = _object(record.arguments)
    pattern = _CALLS.get(record.tool)
    what = pattern.format_map(_Blank(arguments)) if pattern else f"{record.tool} {_named(arguments)}"
    message = f" ({record.message})" if record.message else ""
    return f"{what}: {_plain(record.status)}{message}"


def _used(report: MissionReport) -> str:
    used = {line.name: line.used for line in report.budget}
    counted = ", ".join(f"{used[name]:g} {words}" for name, words in _COUNTED.items() if used.get(name))
    return f"used: {counted or 'nothing'}; decisions cost {cost_words(used)}"


def _decided(event: e.ModelAnswered) -> str:
    return "decides: " + (" and ".join(_decision(call) for call in event.calls) or "nothing")


def _decision(call: RawCall) -> str:
    return f"{call.tool} {_named(_object(call.arguments))}"


def _named(arguments: Mapping[str, object]) -> str:
    return ", ".join(
        f"{key} {_value(value)}" for key, value in arguments.items() if value not in ("", None, {})
    )


def _value(value: object) -> str:
    return " > ".join(str(each) for each in value) if isinstance(value, list) else repr(value)


def _object(words: str) -> Mapping[str, object]:
    """Parse a model's arguments as far as possible."""
    try:
        content = json.loads(words or "{}")
    except (ValueError, RecursionError):
        return {"unreadable": words[:200]}
    return content if isinstance(content, dict) else {"unreadable": words[:200]}


def _plain(status: str) -> str:
    return status.lower().replace("_", " ")


class _Blank(dict[str, object]):
    """Arguments of a call; a missing one reads as an empty text."""

    def __missing__(self, key: str) -> str:
        return ""


_CALLS: Mapping[str, str] = {
    "recall_object": "asked memory for {query!r}",
    "resolve_place": "asked memory where {reference!r} is",
    "locate_in_view": "{detector} looked for {query!r}",
    "observe": "memory placed detections of camera {camera}",
    "execute_rskill": "{step}",
    "lifecycle_transition": "{transition} {peer}",
    "ask_human": "asked the operator",
}
_COUNTED: Mapping[str, str] = {
    "model_calls": "decisions",
    "recalls": "memory queries",
    "locates": "detector queries",
    "candidates": "places searched",
    "skills": "skill goals",
    "tokens": "tokens",
}
_EVENTS: Mapping[type, _Describe] = {
    e.PromptReceived: lambda event: f"the operator says: {event.text!r}",
    e.Cancelled: lambda event: f"cancelled: {event.reason}",
    e.ModelAnswered: _decided,
    e.ModelFailed: lambda event: f"the model failed: {event.condition}: {event.message}",
}
_COMMANDS: Mapping[type, _Describe] = {
    c.PublishPrompt: lambda command: f"the {command.source} says: {command.text!r}",
    c.PublishHandoff: lambda command: f"the operator is asked: {command.question.question!r}",
    c.CancelSkill: lambda command: "the running skill is cancelled",
    c.EndMission: lambda command: f"the mission ends, {_plain(command.state.name)}: {command.reason}",
}
