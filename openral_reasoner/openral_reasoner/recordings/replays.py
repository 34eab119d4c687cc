"""The core on recorded events: do they give the recorded commands?"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import zip_longest

from openral_reasoner.exchanges.commands import COMMAND, Command
from openral_reasoner.missions import Core, handled
from openral_reasoner.procedures.settings import MissionSettings
from openral_reasoner.recordings.lines import Step


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
            if recorded != command:
                return Difference(number, step.event.kind, _words(recorded), _words(command))
    return None


def _silent(words: str) -> None:
    """The difference tells what matters."""


def _words(command: Command | None) -> str:
    return COMMAND.dump_json(command).decode()[:2000] if command is not None else "nothing"
