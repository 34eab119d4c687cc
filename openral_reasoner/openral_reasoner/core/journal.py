"""Journal of a running mission: each event is written before the core handles it, so a restart can resume it.

A journal begins with the state of the idle core. The mission core is deterministic: handling the same events
again restores its state exactly. What the robot did meanwhile is asked of the skill server.
"""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from pydantic import ValidationError

from openral_core.errors import OpenRALError
from openral_reasoner.commands import (
    AskModel,
    CallEdit,
    CallLocate,
    CallObserve,
    CallRecall,
    CallResolve,
    CancelSkill,
    ChangeState,
    ClearDeadline,
    Command,
    EndMission,
    PublishHandoff,
    ReadScene,
    SendSkill,
    SetDeadline,
)
from openral_reasoner.context import CallEvent, FrozenModel
from openral_reasoner.core.mission_core import Core, handle_safely
from openral_reasoner.events import (
    EVENT,
    CallFailed,
    DeadlinePassed,
    Event,
    FailureReported,
    PaletteChanged,
    PromptReceived,
    Resumed,
    SettingsChanged,
    SkillEnded,
    SkillProgressed,
)
from openral_reasoner.idle_state import IdleState
from openral_reasoner.recording import RecordedEvent
from openral_reasoner.settings import MissionSettings

FORMAT = 1
"""Version of the lines of a journal [1]; one of another version is not read."""
MAX_RESUMPTIONS = 10
"""Deaths of the reasoner in one mission after which it is handed over."""
OpenCall = (
    CallRecall
    | CallResolve
    | CallLocate
    | CallObserve
    | CallEdit
    | ReadScene
    | SendSkill
    | ChangeState
    | AskModel
)
"""Command that an event answers."""
ACTING = (SendSkill, CancelSkill, ChangeState)
"""Commands that change the world; the journal is on the disk before one is carried out."""


class InvalidJournal(OpenRALError):
    """A journal that cannot be read or replayed; ``goal`` is the mission's, if it is known."""

    def __init__(self, number: int, reason: object, goal: str = "") -> None:
        super().__init__(f"line {number} of the journal cannot be used: {reason}")
        self.goal = goal


class JournalHeader(FrozenModel):
    """First line: settings and state of the idle core, and what identifies this journal and machine run.

    ``id`` makes the ids of skill goals unique, ``boot`` changes when the machine restarts.
    """

    journal: int = FORMAT
    id: str
    boot: str
    settings: MissionSettings
    idle: IdleState


@dataclass(frozen=True, slots=True)
class JournaledEvent:
    """Event at steady time ``now`` and wall-clock time ``wall`` [s].

    ``acting`` are the calls that may have been carried out after it, ``server`` the skill server of then;
    None if the process ended before.
    """

    now: float
    wall: float
    event: Event
    acting: tuple[str, ...] | None = None
    server: str = ""


@dataclass(frozen=True, slots=True)
class Journal:
    """Content of a journal.

    ``attempts`` counts the restarts since the last event; ``server`` is the skill server of that event, ""
    if it was not known.
    """

    header: JournalHeader
    events: list[JournaledEvent] = field(default_factory=list)
    attempts: int = 0
    server: str = ""

    @property
    def resumptions(self) -> int:
        """Number of resumptions of the mission."""
        return sum(isinstance(each.event, Resumed) for each in self.events)

    @property
    def is_stuck(self) -> bool:
        """True if nothing moved since the last resumption, not even a skill: resuming would fail again."""
        if self.attempts > 1:
            return True
        since = _after_last_resumption(self.events)
        return since is not None and all(isinstance(each.event, _NO_PROGRESS) for each in since)

    @property
    def goal(self) -> str:
        """Text of the last prompt."""
        prompts = (e.event for e in reversed(self.events) if isinstance(e.event, PromptReceived))
        return next((prompt.text for prompt in prompts), "")


_NO_PROGRESS = (PaletteChanged, FailureReported, DeadlinePassed, CallFailed, SettingsChanged)


def header_line(header: JournalHeader) -> str:
    """Return the first line of a journal."""
    return header.model_dump_json()


def event_line(now: float, wall: float, event: Event) -> str:
    """Return the line of an event.

    Raises:
        ValueError: If the event cannot be written as JSON.
    """
    content = {"now": now, "wall": wall, "event": EVENT.dump_python(event, mode="json")}
    return json.dumps(content, separators=(",", ":"))


def acting_line(commands: Iterable[Command], server: str) -> str:
    """Return the line to write before commands that act are carried out, "" if none acts."""
    acting = [command.call_id for command in commands if isinstance(command, ACTING)]
    return json.dumps({"acting": acting, "server": server}) if acting else ""


def server_line(server: str) -> str:
    """Return the line to write before events that happen with another skill server than those before."""
    return json.dumps({"server": server})


def attempt_line(wall: float) -> str:
    """Return the line that a restart writes before it replays the journal."""
    return json.dumps({"attempt": wall})


def read_journal(lines: Iterable[str]) -> Journal | None:
    """Read a journal; None if it is empty.

    The last line may be incomplete: what it says was not yet acted upon.

    Raises:
        InvalidJournal: If another line cannot be read.
    """
    numbered = list(enumerate(lines, start=1))
    if not numbered:
        return None
    try:
        header = JournalHeader.model_validate_json(numbered[0][1])
    except ValidationError as error:
        raise InvalidJournal(1, f"{error.error_count()} invalid fields in its header") from error
    if header.journal != FORMAT:
        raise InvalidJournal(1, f"it has format {header.journal}, this reasoner writes {FORMAT}")
    journal = Journal(header)
    for number, line in numbered[1:]:
        try:
            journal = _with_line(journal, _content(line))
        except (ValueError, KeyError, TypeError, IndexError, RecursionError) as error:
            if number == numbered[-1][0]:
                break
            raise InvalidJournal(number, error, journal.goal) from error
    return journal


@dataclass(slots=True)
class RestoredMission:
    """A core in the state of the journal, with what was still open."""

    journal: Journal
    core: Core
    # Replayed events with their commands, for the recording.
    steps: list[RecordedEvent] = field(default_factory=list)
    # Commands without an answer, in order; a skill goal stays until its result is known.
    calls: dict[str, OpenCall] = field(default_factory=dict)
    cancelled: set[str] = field(default_factory=set)  # Skill goals that were cancelled.
    # Due times of the open deadlines, by call [s of the journal].
    deadlines: dict[str, float] = field(default_factory=dict)
    # Skill server that may have received a goal, by call; missing if none has.
    servers: dict[str, str] = field(default_factory=dict)
    question: PublishHandoff | None = None  # Open question to the operator.

    @property
    def is_running(self) -> bool:
        """True if a mission had not ended."""
        return self.core.mission is not None

    @property
    def last(self) -> tuple[float, float]:
        """Steady and wall-clock time of the last event [s]."""
        events = self.journal.events
        return (events[-1].now, events[-1].wall) if events else (0.0, 0.0)

    def open_calls(self) -> Iterator[OpenCall]:
        """Yield the commands that are to be repeated: the awaited one, transitions, and skill goals."""
        for call_id, command in self.calls.items():
            if isinstance(command, SendSkill | ChangeState) or call_id == self.core.waiting_for:
                yield command

    def where(self) -> str:
        """Describe where the mission stood."""
        mission = self.core.mission
        if mission is None:
            return "no mission was running"
        ended = [r for r in mission.calls.records.values() if r.status not in ("pending", "INTERRUPTED")]
        last = f"; last result: {ended[-1].tool} {ended[-1].in_words()}" if ended else ""
        return f"it stood at: {mission.step}{last}"


def replay_journal(journal: Journal) -> RestoredMission:
    """Handle the events of a journal with a new core.

    Raises:
        InvalidJournal: If the core now acts differently from what the journal says.
    """
    restored = RestoredMission(journal, Core.restored(journal.header.settings, journal.header.idle))
    for number, each in enumerate(journal.events, start=2):
        commands = handle_safely(restored.core, each.event, each.now, _silent)
        acting = tuple(c.call_id for c in commands if isinstance(c, ACTING))
        if each.acting is not None and each.acting != acting:
            reason = f"this version acts differently on {each.event.kind}: {acting}, then {each.acting}"
            raise InvalidJournal(number, reason, journal.goal)
        restored.steps.append(RecordedEvent(each.now, each.event, commands))
        _follow(restored, each, commands)
    return restored


def _follow(restored: RestoredMission, each: JournaledEvent, commands: Sequence[Command]) -> None:
    event = each.event
    if isinstance(event, SkillEnded | CallFailed) or (
        isinstance(event, CallEvent) and not isinstance(event, SkillProgressed)
    ):
        restored.deadlines.pop(event.call_id, None)
        late = isinstance(event, DeadlinePassed) and isinstance(restored.calls.get(event.call_id), SendSkill)
        if not late:
            restored.calls.pop(event.call_id, None)
    if isinstance(event, PromptReceived) and event.in_reply_to:
        restored.question = None
    for command in commands:
        _issue(restored, each, command)


def _issue(restored: RestoredMission, each: JournaledEvent, command: Command) -> None:
    if isinstance(command, SetDeadline):
        restored.deadlines[command.call_id] = each.now + command.seconds
    elif isinstance(command, ClearDeadline):
        restored.deadlines.pop(command.call_id, None)
    elif isinstance(command, OpenCall):
        restored.calls[command.call_id] = command
        if isinstance(command, SendSkill) and each.acting is not None:
            restored.servers[command.call_id] = each.server
    elif isinstance(command, CancelSkill):
        restored.cancelled.add(command.call_id)
    elif isinstance(command, PublishHandoff):
        restored.question = command
    elif isinstance(command, EndMission):
        restored.question = None


def _after_last_resumption(events: Sequence[JournaledEvent]) -> Sequence[JournaledEvent] | None:
    places = [index for index, each in enumerate(events) if isinstance(each.event, Resumed)]
    return events[places[-1] + 1 :] if places else None


def _with_line(journal: Journal, content: Mapping[str, Any]) -> Journal:
    if "attempt" in content:
        return replace(journal, attempts=journal.attempts + 1)
    if "acting" in content:
        last = journal.events.pop()
        journal.events.append(_acted(last, content))
        return journal
    if "server" in content:
        return replace(journal, server=str(content["server"]))
    event = EVENT.validate_python(content["event"])
    journal.events.append(JournaledEvent(float(content["now"]), float(content["wall"]), event))
    return replace(journal, attempts=0) if journal.attempts else journal


def _acted(event: JournaledEvent, content: Mapping[str, object]) -> JournaledEvent:
    acting = content["acting"]
    if not isinstance(acting, list):
        raise TypeError(f"'acting' is a list, found {type(acting).__name__}")
    return JournaledEvent(
        event.now, event.wall, event.event, tuple(map(str, acting)), str(content.get("server", ""))
    )


def _content(line: str) -> dict[str, Any]:
    content = json.loads(line)
    if not isinstance(content, dict):
        raise TypeError(f"a line is a mapping, found {type(content).__name__}")
    return content


def _silent(message: str) -> None:
    """Discard the log: the exception was logged when the event happened."""
