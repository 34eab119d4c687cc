"""The core on recorded events: do they give the recorded commands?"""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import zip_longest

from openral_reasoner.exchanges.commands import COMMAND, Command
from openral_reasoner.missions import Core, handled
from openral_reasoner.procedures.settings import MissionSettings
from openral_reasoner.recordings.lines import Step

SHOWN = 2000
"""Of a command that differs [characters]."""


@dataclass(frozen=True, slots=True)
class Difference:
    """The first command that is not what was recorded."""

    step: int
    event: str
    recorded: str
    given: str

    def words(self) -> str:
        """For a human."""
        return f"step {self.step} ({self.event}):\n  recorded {self.recorded}\n  now      {self.given}"


def replay(settings: MissionSettings, steps: Sequence[Step]) -> Difference | None:
    """The first difference, None when there is none."""
    core = Core(settings)
    for number, step in enumerate(steps, start=1):
        given = handled(core, step.event, step.now, _silent)
        for recorded, command in zip_longest(step.commands, given):
            if recorded != command and _words(recorded) != _words(command):  # NaN is not itself
                return Difference(number, step.event.kind, _words(recorded)[:SHOWN], _words(command)[:SHOWN])
    return None


def _silent(words: str) -> None:
    """The difference tells what matters."""


def _words(command: Command | None) -> str:
    if command is None:
        return "nothing"
    return json.dumps(COMMAND.dump_python(command, mode="json"), separators=(",", ":"))
