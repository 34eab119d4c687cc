"""The core on recorded events: do they give the recorded commands?"""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import zip_longest

from openral_reasoner.exchanges.commands import COMMAND, Command
from openral_reasoner.missions import Core, handled
from openral_reasoner.procedures.settings import MissionSettings
from openral_reasoner.recordings.lines import Step
from openral_reasoner.recordings.texts import without_texts

SHOWN = 2000
"""Of a command that differs [characters]."""
BEFORE = 200
"""Of these, at most so many that do not differ [characters]."""


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


def replay(
    settings: MissionSettings, steps: Sequence[Step], *, ignore_text: bool = False
) -> Difference | None:
    """The first difference, None when there is none.

    Args:
        settings: What the core ran with.
        steps: What it was told, and what it commanded.
        ignore_text: Whether texts for readers may differ, see `texts`.
    """
    core = Core(settings)
    for number, step in enumerate(steps, start=1):
        given = handled(core, step.event, step.now, _silent)
        for recorded, command in zip_longest(step.commands, given):
            if recorded == command:
                continue
            before, now = _words(recorded, ignore_text), _words(command, ignore_text)
            if before != now:  # NaN is not itself
                return Difference(number, step.event.kind, *_parting(before, now))
    return None


def _silent(words: str) -> None:
    """The difference tells what matters."""


def _words(command: Command | None, ignore_text: bool) -> str:
    if command is None:
        return "nothing"
    content: object = COMMAND.dump_python(command, mode="json")
    if ignore_text:
        content = without_texts(command.kind, content)
    return json.dumps(content, separators=(",", ":"))


def _parting(recorded: str, given: str) -> tuple[str, str]:
    """Both, from their kind or shortly before they part."""
    pairs = enumerate(zip(recorded, given, strict=False))
    same = next((index for index, (one, other) in pairs if one != other), 0)
    begin = same - BEFORE if same > SHOWN // 2 else 0
    dots = "..." if begin else ""
    return dots + recorded[begin : begin + SHOWN], dots + given[begin : begin + SHOWN]
