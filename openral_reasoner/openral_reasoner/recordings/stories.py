"""A recording in plain words."""

import json
from collections.abc import Callable, Iterator, Mapping, Sequence

from openral_reasoner.exchanges import commands as c
from openral_reasoner.exchanges import events as e
from openral_reasoner.exchanges.statuses import CallRecord
from openral_reasoner.recordings.lines import Step

_Describe = Callable[..., str]


def story(steps: Sequence[Step]) -> Iterator[str]:
    """One line per thing worth telling, with the time since the first goal [s]."""
    begun: float | None = None
    told: dict[int, CallRecord] = {}
    for step in steps:
        if begun is None and isinstance(step.event, e.PromptReceived):
            begun = step.now
        clock = f"{step.now - (begun if begun is not None else step.now):7.1f} s  "
        describe = _EVENTS.get(type(step.event))
        if describe is not None:
            yield clock + describe(step.event)
        for command in step.commands:
            yield from (clock + line for line in _lines(command, told))


def _lines(command: c.Command, told: dict[int, CallRecord]) -> Iterator[str]:
    if isinstance(command, c.PublishStatus):
        for record in command.report.calls:
            if record.status != "pending" and told.get(record.index) != record:
                told[record.index] = record
                yield _call(record)
    elif isinstance(command, c.EndMission):
        told.clear()
    describe = _COMMANDS.get(type(command))
    if describe is not None:
        yield describe(command)


def _call(record: CallRecord) -> str:
    arguments = json.loads(record.arguments)
    words = ", ".join(f"{key} {value!r}" for key, value in arguments.items() if value not in ("", None))
    message = f" ({record.message})" if record.message else ""
    return f"{record.tool}: {words} -> {record.status}{message}"


def _decided(event: e.ModelAnswered) -> str:
    return "decision: " + (" and ".join(f"{call.tool} {call.arguments}" for call in event.calls) or "none")


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
    c.EndMission: lambda command: f"the mission ends {command.state.name}: {command.reason}",
}
