"""What is kept of a mission while it runs: its recording, and a still after every step."""

import json
from contextlib import ExitStack
from pathlib import Path

from openral_bringup.households.contact_sheets import Still
from openral_bringup.households.robots import Robot
from openral_reasoner.exchanges.commands import Command, PublishStatus
from openral_reasoner.exchanges.events import Event
from openral_reasoner.exchanges.statuses import CallRecord
from openral_reasoner.procedures.settings import MissionSettings
from openral_reasoner.recordings import LineWriter

RECORDING = "reasoner.jsonl"
_SHOWN = ("execute_rskill", "locate_in_view")
_TELLING = ("pulling the door", "closing", "lowering", "pouring", "pushing the door", "offering")
_GLANCE = "look-at"
"""A look follows it, which shows the same."""
_LETTERS = 38


class Chronicle:
    """Witnesses a mission; `openral replay` and `openral explain` read what it writes."""

    def __init__(self, stack: ExitStack, robot: Robot, settings: MissionSettings, folder: Path) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self._file = stack.enter_context((folder / RECORDING).open("w", encoding="utf-8"))
        self._lines = LineWriter()
        self._file.write(self._lines.settings(settings) + "\n")
        self._robot = robot
        self._told: set[int] = set()
        self._stage = ""
        self.stills: list[Still] = []

    def witness(self, now: float, event: Event, commands: tuple[Command, ...]) -> None:
        """One event with the commands it led to."""
        self._file.write(self._lines.step(now, event, commands) + "\n")
        for command in commands:
            if isinstance(command, PublishStatus):
                self._note(now, command.report.calls)

    def watch(self) -> None:
        """Keep what is seen when a skill comes to what it is about."""
        stage, before = self._robot.simulation.feedback.stage, self._stage
        self._stage = stage
        if stage != before and stage in _TELLING:
            time = self._robot.simulation.time
            self.stills.append(Still(self._robot.look().rgb, f"{time:.0f} s ({stage})"))

    def _note(self, now: float, calls: tuple[CallRecord, ...]) -> None:
        for call in calls:
            if call.tool in _SHOWN and call.status != "pending" and call.index not in self._told:
                self._told.add(call.index)
                if _rskill(call) == _GLANCE:
                    continue
                self.stills.append(Still(self._robot.sight.rgb, f"{now:.0f} s {_words(call)}"[:_LETTERS]))


def _rskill(call: CallRecord) -> str:
    return str(json.loads(call.arguments).get("rskill", ""))


def _words(call: CallRecord) -> str:
    arguments = json.loads(call.arguments)
    what = arguments.get("step") or f"look: {arguments.get('query', '')}"
    return f"{what}: {call.status}"
