"""A recording in plain words."""

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

from openral_core.missions import MissionState
from openral_reasoner.budgets import cost_words
from openral_reasoner.exchanges import commands as c
from openral_reasoner.exchanges import events as e
from openral_reasoner.exchanges.statuses import CallRecord, MissionReport
from openral_reasoner.exchanges.turns import RawCall
from openral_reasoner.recordings.lines import Life, Step

_Describe = Callable[..., str]


def stories(lives: Iterable[Life]) -> Iterator[str]:
    """The story of every life of the reasoner, and what became of missions that it did not end."""
    before: Life | None = None
    for number, life in enumerate(lives):
        if before is not None:
            yield from _cut_off(before, "the reasoner ended in the middle of it and was started again")
        if number:
            yield f"--- the reasoner starts again (start {number + 1} of this recording)"
        yield from story(life.steps)
        before = life
    if before is not None:
        yield from _cut_off(before, "the recording ends here, in the middle of it")


def _cut_off(life: Life, why: str) -> Iterator[str]:
    goal, state = "", None
    for command in (command for step in life.steps for command in step.commands):
        if isinstance(command, c.PublishStatus):
            goal, state = command.report.goal, command.report.state
    if state is not None and state is not MissionState.IDLE and not state.ended:
        yield f"mission {goal!r} was {_plain(state.name)}: {why}"
    if life.torn:
        yield "the last line of the recording is torn and left out"


def story(steps: Sequence[Step]) -> Iterator[str]:
    """One line per thing worth telling, with the time since the first goal [s]."""
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
            yield from (f"the end rests on: {fact}" for fact in command.report.evidence)
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
    return f"used: {counted or 'nothing'}; the decisions cost {cost_words(used)}"


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
    """What a model may have written as arguments, as far as it can be read."""
    try:
        content = json.loads(words or "{}")
    except (ValueError, RecursionError):
        return {"unreadable": words[:200]}
    return content if isinstance(content, dict) else {"unreadable": words[:200]}


def _plain(status: str) -> str:
    return status.lower().replace("_", " ")


class _Blank(dict[str, object]):
    """Arguments of a call; one that was not given reads as nothing."""

    def __missing__(self, key: str) -> str:
        return ""


_CALLS: Mapping[str, str] = {
    "recall_object": "asked memory for {query!r}",
    "resolve_place": "asked memory where {reference!r} is",
    "locate_in_view": "{detector} looked for {query!r}",
    "observe": "memory takes in what camera {camera} saw",
    "execute_rskill": "{step}",
    "lifecycle_transition": "{transition} {peer}",
    "ask_human": "asked a human",
}
_COUNTED: Mapping[str, str] = {
    "model_calls": "decisions",
    "recalls": "questions to memory",
    "locates": "looks",
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
    c.PublishHandoff: lambda command: f"a human is asked: {command.question.question!r}",
    c.CancelSkill: lambda command: "the running skill is cancelled",
    c.EndMission: lambda command: f"the mission ends, {_plain(command.state.name)}: {command.reason}",
}
