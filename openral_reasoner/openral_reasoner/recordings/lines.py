"""One line per event with the commands it led to; the first line of a run holds the settings."""

import json
from collections.abc import Iterable
from dataclasses import dataclass

from pydantic import ValidationError

from openral_core.errors import OpenRALError
from openral_reasoner.exchanges.commands import COMMAND, Command
from openral_reasoner.exchanges.events import EVENT, Event
from openral_reasoner.procedures.settings import MissionSettings


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


def settings_line(settings: MissionSettings) -> str:
    """The first line of a run."""
    return json.dumps({"settings": settings.model_dump(mode="json")})


def step_line(now: float, event: Event, commands: tuple[Command, ...]) -> str:
    """One step."""
    parts = {"now": json.dumps(now), "event": EVENT.dump_json(event).decode()}
    batch = ",".join(COMMAND.dump_json(command).decode() for command in commands)
    return f'{{"now":{parts["now"]},"event":{parts["event"]},"commands":[{batch}]}}'


def read_lines(lines: Iterable[str]) -> tuple[MissionSettings, list[Step]]:
    """A run back from its lines.

    Raises:
        InvalidRecording: Naming the line.
    """
    settings, steps = MissionSettings(), list[Step]()
    for number, line in enumerate(lines, start=1):
        try:
            content = json.loads(line)
            if "settings" in content:
                settings = MissionSettings.model_validate(content["settings"])
                steps = []
            else:
                commands = tuple(COMMAND.validate_python(each) for each in content["commands"])
                steps.append(Step(content["now"], EVENT.validate_python(content["event"]), commands))
        except (ValueError, KeyError, TypeError, ValidationError) as error:
            raise InvalidRecording(number, error) from error
    return settings, steps
