"""Replay recordings on the core, and explain them to a human."""

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from itertools import zip_longest

from openral_core.errors import OpenRALError
from openral_core.missions import MissionState
from openral_core.parsing import InvalidText, parse_json
from openral_reasoner import commands as c
from openral_reasoner import events as e
from openral_reasoner.budget import cost_words
from openral_reasoner.commands import COMMAND, CallRecord, Command, MissionReport
from openral_reasoner.core.mission_core import Core, handle_safely
from openral_reasoner.idle_state import IdleState
from openral_reasoner.recording import RecordedEvent
from openral_reasoner.request.plain import VERSION
from openral_reasoner.settings import MissionSettings
from openral_testing.recordings.lives import Life

TEXTS = (
    "ask_model.context.system",
    "ask_model.context.tools.*.description",
    "ask_model.context.turns.*.call_id",
    "ask_model.context.turns.*.reply.text",
    "ask_model.context.turns.*.reply.peer_words",
    "ask_model.context.turns.*.reply.found.*.why",
    "ask_model.context.turns.*.reply.frontier.*.why",
    "ask_model.context.turns.*.reply.remaining",
    "ask_model.context.turns.*.news",
    "ask_model.context.news",
    "ask_model.context.holding",
    "ask_model.context.remaining",
    "end_mission.reason",
    "publish_handoff.question.question",
    "publish_handoff.question.tried",
    "publish_prompt.text",
    "publish_receipt.message",
    "publish_status.report.step",
    "publish_status.report.understood",
    "publish_status.report.reason",
    "publish_status.report.evidence",
    "publish_status.report.calls.*.message",
    "publish_status.report.calls.*.arguments.step",
    "publish_status.report.calls.*.arguments.question",
    "send_skill.goal.prompt",
    "span_started.name",
    "span_started.attributes.step",
    "span_started.attributes.question",
)
"""Texts, or lists of texts, by command and field; ``*`` matches one or several fields and indices."""


IN_JSON = ("ask_model.context.tools.*.parameters", "publish_status.report.calls.*.arguments")
"""Fields whose text is JSON."""


WORDS = "(text)"
"""Placeholder for any text; an empty text stays empty, and a list keeps its length."""


def without_texts(path: str, content: object) -> object:
    """Replace every text in the content of a command below ``path``, which begins with its kind."""
    if isinstance(content, str) and _matches(path, IN_JSON):
        return without_texts(path, parse_json(content, finite=False)) if content else content
    if isinstance(content, dict):
        return {key: without_texts(f"{path}.{key}", each) for key, each in content.items()}
    if isinstance(content, list):
        below = path if _matches(path, TEXTS) else f"{path}.*"
        return [without_texts(below, each) for each in content]
    return WORDS if isinstance(content, str) and content and _matches(path, TEXTS) else content


def _matches(path: str, patterns: tuple[str, ...]) -> bool:
    return any(fnmatchcase(path, pattern) for pattern in patterns)


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
    replayed: str

    def words(self) -> str:
        """Describe the difference for a human."""
        return f"step {self.step} ({self.event}):\n  recorded {self.recorded}\n  now      {self.replayed}"


class OtherStatement(OpenRALError):
    """Recording whose requests are stated in another version, which another core must replay."""

    def __init__(self, version: int) -> None:
        super().__init__(
            f"this recording states requests in version {version}, this program in version {VERSION}: replay "
            "it with the program that recorded it; 'openral explain' and 'openral compare' read both"
        )


def require_replayable(life: Life) -> None:
    """Refuse a recording whose requests are stated in another version.

    Raises:
        OtherStatement: With both versions.
    """
    if life.version != VERSION:
        raise OtherStatement(life.version)


def replay(
    settings: MissionSettings,
    steps: Sequence[RecordedEvent],
    *,
    ignore_text: bool = False,
    idle: IdleState | None = None,
) -> Difference | None:
    """Replay recorded events and return the first differing command, None if all are equal.

    Args:
        settings: Settings of the recorded core.
        steps: Recorded events and commands.
        ignore_text: Ignore texts for readers, see `without_texts`.
        idle: State in which the core began; None for a new one.
    """
    core = Core.restored(settings, idle or IdleState())
    for number, step in enumerate(steps, start=1):
        commands = handle_safely(core, step.event, step.now, lambda message: None)
        for recorded, command in zip_longest(step.commands, commands):
            if recorded == command:
                continue
            before, now = _words(recorded, ignore_text), _words(command, ignore_text)
            if before != now:  # NaN is not itself
                return Difference(number, step.event.kind, *first_difference(before, now))
    return None


def _words(command: Command | None, ignore_text: bool) -> str:
    if command is None:
        return "nothing"
    content: object = COMMAND.dump_python(command, mode="json")
    if ignore_text:
        content = without_texts(command.kind, content)
    return json.dumps(content, separators=(",", ":"))


def first_difference(recorded: str, replayed: str) -> tuple[str, str]:
    """Return both texts, starting shortly before they differ."""
    pairs = enumerate(zip(recorded, replayed, strict=False))
    same = next((index for index, (one, other) in pairs if one != other), 0)
    begin = same - BEFORE if same > SHOWN // 2 else 0
    dots = "..." if begin else ""
    return dots + recorded[begin : begin + SHOWN], dots + replayed[begin : begin + SHOWN]


_Describe = Callable[..., str]


def stories(lives: Iterable[Life]) -> Iterator[str]:
    """Explain every life of the reasoner, and the missions that were cut off."""
    before: Life | None = None
    starts, begun = 1, None
    for life in lives:
        if before is not None and life.interrupted:
            yield from cut_off_lines(before, "its recording was interrupted")
            yield "--- recording goes on after an interruption"
        elif before is not None:
            starts += 1
            yield from cut_off_lines(before, f"the reasoner stopped during this mission {_sequel(life)}")
            yield f"--- the reasoner restarts (start {starts} of this recording)"
        begun = begun if life.restored or life.interrupted else None
        if begun is None:  # the life's first prompt
            begun = next((s.now for s in life.steps if isinstance(s.event, e.PromptReceived)), None)
        yield from render_story(life.steps, life.restored, begun)
        if life.damaged:
            yield f"--- {damaged_words(life)}"
        before = life
    if before is not None:
        yield from cut_off_lines(before, "the recording ends during this mission")


def damaged_words(life: Life) -> str:
    """Return which lines of a life were left out."""
    shown = ", ".join(map(str, life.damaged[:5])) + (", ..." if len(life.damaged) > 5 else "")
    return f"{len(life.damaged)} damaged lines of the recording are left out (line {shown})"


def _sequel(life: Life) -> str:
    """Return what became of the mission that a life began with."""
    events = [type(step.event) for step in life.steps[life.restored :]]
    if e.Resumed in events:
        return "and the mission was resumed"
    return "and the mission was not resumed" if e.ResumptionFailed in events else "and was restarted"


def cut_off_lines(life: Life, why: str) -> Iterator[str]:
    """Yield the lines about a mission that was running when a life ended."""
    goal, state = "", None
    for command in (command for step in life.steps for command in step.commands):
        if isinstance(command, c.PublishStatus):
            goal, state = command.report.goal, command.report.state
    if state is not None and state is not MissionState.IDLE and not state.ended:
        yield f"mission {goal!r} was {plain_status(state.name)}: {why}"
    if life.torn:
        yield "the last line of the recording is truncated and was skipped"


def render_story(
    steps: Sequence[RecordedEvent], restored: int = 0, begun: float | None = None
) -> Iterator[str]:
    """Yield one line per notable event, with the time since the first goal [s].

    Args:
        steps: Events and commands of one process.
        restored: Number of first steps that the story of the process before contains.
        begun: Time of the first goal [s]; None is that of these steps.
    """
    records: dict[int, CallRecord] = {}
    running = False
    for number, step in enumerate(steps):
        if isinstance(step.event, e.PromptReceived):
            begun, running = (step.now if begun is None else begun), True
        clock = f"{step.now - (begun if begun is not None else step.now):7.1f} s  "
        describe = _EVENTS.get(type(step.event))
        lines = [describe(step.event)] if describe is not None and running else []
        for command in step.commands:
            lines += command_lines(command, records)
            running = running and not isinstance(command, c.EndMission)
        if number >= restored:
            yield from (clock + line for line in lines)


def command_lines(command: c.Command, records: dict[int, CallRecord]) -> Iterator[str]:
    """Yield the lines about one command; ``records`` are the calls described so far."""
    if isinstance(command, c.PublishStatus):
        for record in command.report.calls:
            if record.status != "pending" and records.get(record.index) != record:
                records[record.index] = record
                yield "  " + describe_call(record)
        if command.report.state.ended:
            yield from (f"evidence: {fact}" for fact in command.report.evidence)
            yield describe_use(command.report)
    elif isinstance(command, c.EndMission):
        records.clear()
    describe = _COMMANDS.get(type(command))
    if describe is not None:
        yield describe(command)


def describe_call(record: CallRecord) -> str:
    """Describe an ended call."""
    message = f" ({record.message})" if record.message else ""
    return f"{describe_request(record)}: {plain_status(record.status)}{message}"


def describe_request(record: CallRecord) -> str:
    """Describe what a call asks for."""
    arguments = _object(record.arguments)
    pattern = _CALLS.get(record.tool)
    return pattern.format_map(_Blank(arguments)) if pattern else f"{record.tool} {_named(arguments)}"


def describe_use(report: MissionReport) -> str:
    """Describe what a mission used of its budget."""
    used = {line.name: line.used for line in report.budget}
    counted = ", ".join(f"{used[name]:g} {words}" for name, words in _COUNTED.items() if used.get(name))
    return f"used: {counted or 'nothing'}; decisions cost {cost_words(used)}"


def describe_decision(event: e.ModelAnswered) -> str:
    """Describe a decision of the model."""
    decisions = [f"{call.tool} {_named(_object(call.arguments))}" for call in event.calls]
    return "decides: " + (" and ".join(decisions) or "nothing")


def _named(arguments: Mapping[str, object]) -> str:
    return ", ".join(
        f"{key} {_value(value)}" for key, value in arguments.items() if value not in ("", None, {})
    )


def _value(value: object) -> str:
    return " > ".join(str(each) for each in value) if isinstance(value, list) else repr(value)


def _object(words: str) -> Mapping[str, object]:
    """Parse a model's arguments as far as possible."""
    try:
        content = parse_json(words or "{}")
    except InvalidText:
        return {"unreadable": words[:200]}
    return content if isinstance(content, dict) else {"unreadable": words[:200]}


def plain_status(status: str) -> str:
    """Return a status as words."""
    return status.lower().replace("_", " ")


class _Blank(dict[str, object]):
    """Arguments of a call; a missing one reads as an empty text."""

    def __missing__(self, key: str) -> str:
        return ""


_CALLS: Mapping[str, str] = {
    "recall_object": "asked memory for {query!r}",
    "list_objects": "listed the objects of {within}",
    "plan_deliveries": "ordered {count} deliveries by the way",
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
    e.Resumed: lambda event: (
        f"the reasoner is back after {event.down:.0f} s; "
        + (f"the operator was asked and says {event.answer!r}; " if event.answer else "")
        + "the mission goes on"
    ),
    e.SettingsChanged: lambda event: "the reasoner's parameters differ from those before its restart",
    e.ResumptionFailed: lambda event: event.reason,
    e.ModelAnswered: describe_decision,
    e.ModelFailed: lambda event: f"the model failed: {event.condition}: {event.message}",
}


_COMMANDS: Mapping[type, _Describe] = {
    c.PublishPrompt: lambda command: f"the {command.source} says: {command.text!r}",
    c.PublishHandoff: lambda command: f"the operator is asked: {command.question.question!r}",
    c.CancelSkill: lambda command: "the running skill is cancelled",
    c.EndMission: lambda command: f"the mission ends, {plain_status(command.state.name)}: {command.reason}",
}
