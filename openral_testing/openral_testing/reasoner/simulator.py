"""Simulated time for a mission core: events and deadlines in order, and one mission in a home."""

import heapq
import json
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from itertools import count
from typing import TypeVar

from openral_core.errors import OpenRALError
from openral_reasoner.commands import (
    AskModel,
    ClearDeadline,
    Command,
    EndMission,
    PublishHandoff,
    PublishPrompt,
    SendSkill,
    SetDeadline,
)
from openral_reasoner.context import CallEvent, Context, Decision, RawCall
from openral_reasoner.core.mission_core import Core
from openral_reasoner.events import DeadlinePassed, Event, ModelAnswered, PaletteChanged, PromptReceived
from openral_reasoner.llm.base import AdvisedModel, ModelUnavailable, answer_of
from openral_reasoner.llm.base import Model as DecisionModel
from openral_reasoner.mission import Mission, Procedure
from openral_reasoner.palette.entries import ToolPalette
from openral_reasoner.settings import MissionSettings

T = TypeVar("T")
Answer = tuple[float, Event]
"""After how long [s], and what."""
Answers = Callable[[Command, float], Iterable[Answer]]


class EndlessMission(OpenRALError):
    """A mission that goes on beyond any bound."""

    def __init__(self, steps: int) -> None:
        super().__init__(f"no end after {steps} events")


@dataclass(frozen=True, slots=True)
class RecordedStep:
    """One event at ``now`` [s] with the commands it led to."""

    now: float
    event: Event
    commands: tuple[Command, ...]


@dataclass
class SimulatedTimeline:
    """Plays events in the order of their times."""

    core: Core
    answers: Answers
    now: float = 0.0
    moments: list[RecordedStep] = field(default_factory=list)
    _due: list[tuple[float, int, Event, int]] = field(default_factory=list)
    _order: "count[int]" = field(default_factory=count)
    _deadlines: dict[str, int] = field(default_factory=dict)

    def put(self, after: float, event: Event) -> None:
        """Have an event happen in ``after`` [s]."""
        heapq.heappush(self._due, (self.now + after, next(self._order), event, -1))

    def run(self, limit: int = 20_000) -> list[EndMission]:
        """Until nothing is left to happen; the ends in order.

        Raises:
            EndlessMission: If more than ``limit`` events happen.
        """
        ends: list[EndMission] = []
        while self._due:
            if len(self.moments) >= limit:
                raise EndlessMission(limit)
            due, _, event, deadline = heapq.heappop(self._due)
            if deadline >= 0 and not self._still(event, deadline):
                continue
            self.now = max(self.now, due)
            ends += self._handle(event)
        return ends

    @property
    def commands(self) -> list[Command]:
        """Commands of the core so far, in order."""
        return [command for moment in self.moments for command in moment.commands]

    @property
    def texts(self) -> tuple[str, ...]:
        """Texts that the operator read: those of prompts, then questions."""
        prompts = [each.text for each in self.commands if isinstance(each, PublishPrompt)]
        questions = [each.question.question for each in self.commands if isinstance(each, PublishHandoff)]
        return (*prompts, *questions)

    def _handle(self, event: Event) -> list[EndMission]:
        commands = self.core.handle(event, self.now)
        self.moments.append(RecordedStep(self.now, event, commands))
        for command in commands:
            self._schedule(command)
        return [command for command in commands if isinstance(command, EndMission)]

    def _schedule(self, command: Command) -> None:
        if isinstance(command, SetDeadline):
            number = self._deadlines[command.call_id] = next(self._order)
            passed = DeadlinePassed(call_id=command.call_id)
            heapq.heappush(self._due, (self.now + command.seconds, number, passed, number))
        elif isinstance(command, ClearDeadline):
            self._deadlines.pop(command.call_id, None)
        else:
            for after, event in self.answers(command, self.now):
                self.put(after, event)

    def _still(self, event: Event, number: int) -> bool:
        if not isinstance(event, DeadlinePassed) or self._deadlines.get(event.call_id) != number:
            return False
        del self._deadlines[event.call_id]
        return True


def decision_of(model: DecisionModel, command: AskModel) -> Decision | ModelUnavailable:
    """Return the decision of a model, or of its advisor where that is asked; else why there is none."""
    decide = model.advise if command.advisor and isinstance(model, AdvisedModel) else model
    try:
        return decide(command.context)
    except ModelUnavailable as failure:
        return failure


Peers = Callable[[Command], Event | None]
Palette = Callable[[], ToolPalette]
Model = Callable[[Context], RawCall]
LOOK_TIME = 0.2  # Of anything but a skill [s].
SKILL_TIME = 5.0  # [s]


def home_timeline(
    core: Core, peers: Peers, model: DecisionModel, palette: Palette, goal: str, requester: str = ""
) -> SimulatedTimeline:
    """Return a mission that is about to begin: a decision model with the peers of its home.

    ``palette`` is asked again after each skill. A question to a human is not answered: it ends the mission.
    """

    def answers(command: Command, now: float) -> Iterator[Answer]:
        if isinstance(command, AskModel):
            yield LOOK_TIME, answer_of(command.call_id, decision_of(model, command))
        elif (event := peers(command)) is not None:
            after = SKILL_TIME if isinstance(command, SendSkill) else LOOK_TIME
            yield after, event
            if isinstance(command, SendSkill):
                yield after, PaletteChanged(palette=palette())

    line = SimulatedTimeline(core, answers)
    line.put(0.0, PaletteChanged(palette=palette()))
    line.put(0.0, PromptReceived(id="goal", text=goal, requester=requester))
    return line


@dataclass
class MissionRun:
    """Everything that happened."""

    moments: list[RecordedStep] = field(default_factory=list)
    end: EndMission | None = None

    @property
    def commands(self) -> list[Command]:
        """Every command in order."""
        return [command for moment in self.moments for command in moment.commands]

    @property
    def skills(self) -> list[str]:
        """Ids of the skills sent, in order."""
        return [c.goal.rskill_id for c in self.commands if isinstance(c, SendSkill)]


def run_mission_in_home(
    goal: str,
    palette: ToolPalette,
    peers: Peers,
    model: Model,
    settings: MissionSettings,
    requester: str = "",
    objects: tuple[str, ...] = (),
) -> MissionRun:
    """One mission from its prompt to its end; ``objects`` are what the operator points at."""

    def answers(command: Command, now: float) -> Iterator[Answer]:
        answer = _decided(command, model) if isinstance(command, AskModel) else peers(command)
        if answer is not None:
            yield SKILL_TIME if isinstance(command, SendSkill) else LOOK_TIME, answer

    line = SimulatedTimeline(Core(settings), answers)
    line.put(0.0, PaletteChanged(palette=palette))
    line.put(0.0, PromptReceived(id="prompt-1", text=goal, requester=requester, objects=objects))
    ends = line.run()
    return MissionRun(line.moments, ends[0] if ends else None)


def call(tool: str, **arguments: object) -> RawCall:
    """Return the call of a tool, as a model writes it."""
    return RawCall(tool=tool, arguments=json.dumps(arguments))


def act(skill: str, target: str) -> RawCall:
    """Return the call that executes a skill on a target."""
    return call("execute_rskill", rskill_id=skill, target=target)


def _decided(command: AskModel, model: Model) -> Event:
    return ModelAnswered(call_id=command.call_id, calls=(model(command.context),), cost=0.0)


def run_procedure(mission: Mission, procedure: Procedure[T], peers: Peers) -> tuple[T, list[Command]]:
    """Run one procedure to its end; return its value and its commands.

    A call that no peer answers ends at its deadline.
    """
    commands: list[Command] = []
    try:
        wait = next(procedure)
        while True:
            batch = mission.drain()
            commands += batch
            events = [event for command in batch if (event := peers(command)) is not None]
            answer = next((item for item in events if _answered_call(item) == wait.call_id), None)
            wait = procedure.send(answer or DeadlinePassed(call_id=wait.call_id))
    except StopIteration as end:
        value: T = end.value
        return value, [*commands, *mission.drain()]


def _answered_call(event: Event) -> str:
    """Return the id of the call that an event answers."""
    if isinstance(event, PromptReceived):
        return event.in_reply_to
    return event.call_id if isinstance(event, CallEvent) else ""
