"""The working state of one mission; changed only by its own procedures."""

import json
from collections.abc import Generator
from dataclasses import dataclass
from typing import TypeVar

from openral_core.missions import MissionState
from openral_reasoner.behaviors.targets import KnownObject
from openral_reasoner.budget import BudgetExhausted, BudgetLedger
from openral_reasoner.commands import (
    CallRecord,
    Command,
    MissionReport,
    PublishPrompt,
    PublishStatus,
    SpanEnded,
    SpanStarted,
)
from openral_reasoner.context import Turn
from openral_reasoner.events import Event, PromptReceived
from openral_reasoner.palette.entries import ToolPalette
from openral_reasoner.policies import PrematureEndPolicy
from openral_reasoner.residency.state import ResidencyState
from openral_reasoner.search.progress import SearchProgress, normalize_term
from openral_reasoner.settings import MissionSettings
from openral_reasoner.success.evidence import Evidence, Fact, Gone

T = TypeVar("T")
Procedure = Generator["Wait", Event, T]


def at_once(value: T) -> Procedure[T]:
    """A procedure that waits for nothing."""
    yield from ()
    return value


@dataclass(frozen=True, slots=True)
class Wait:
    """What a procedure waits for: an event of this call, or any new palette.

    Without the detector that it ``needs`` there will be no event of the call.
    """

    call_id: str
    palette: bool = False
    needs: str = ""


@dataclass(frozen=True, slots=True)
class Ending:
    """How a mission ended."""

    state: MissionState
    reason: str
    evidence: tuple[str, ...] = ()


class Mission:
    """Goal, budget, what is known, what was done, and the commands not yet handed out."""

    def __init__(
        self, mission_id: str, prompt: PromptReceived, settings: MissionSettings, palette: ToolPalette
    ) -> None:
        self.id = mission_id
        self.prompt = prompt
        self.settings = settings
        self.palette = palette
        self.requester = prompt.requester or settings.default_requester
        self.ledger = BudgetLedger(settings.budget)
        self.now = 0.0
        self.state = MissionState.ACTIVE
        self.step, self.reason = "starting", ""
        self.things: dict[str, KnownObject] = {}
        self.episodes: dict[str, SearchProgress] = {}
        self.searched: list[str] = []
        self.turns: list[Turn] = []
        self.news: list[str] = []
        self.records: dict[str, CallRecord] = {}
        self.opened: set[str] = set()
        self.left_open: set[str] = set()
        self.at = self.facing = self.holding = ""
        self.cancelled, self.let_go = "", False
        self.unconfirmed: set[str] = set()
        self.chronicle = ResidencyState()
        self.early_endings = PrematureEndPolicy()
        self.operator_words = ""
        self.in_vain: set[str] = set()
        self.not_back: set[str] = set()
        self.evidence = Evidence()
        self._outbox: list[Command] = []
        self._spans: list[str] = []
        self._count = 0

    def next_id(self, what: str) -> str:
        """An id no other call of this core has."""
        self._count += 1
        return f"{self.id}/{self._count}-{what}"

    def emit(self, command: Command) -> None:
        """Hand a command out with the next batch."""
        self._outbox.append(command)

    def drain(self) -> tuple[Command, ...]:
        """The commands since the last time."""
        batch, self._outbox = tuple(self._outbox), []
        return batch

    def spend(self, line: str) -> None:
        """Take one from a budget line.

        Raises:
            BudgetExhausted: If nothing is left of it.
        """
        self.ledger = self.ledger.spend(line)

    def charge_decision(self, tokens: int, cost: float | None) -> None:
        """Book what a decision has cost; ``cost`` [US$] is None when it is not known.

        Raises:
            BudgetExhausted: If that is more than there was.
        """
        self.ledger = self.ledger.charge("tokens", tokens).charge("dollars", cost or 0.0)
        self.ledger = self.ledger.charge("unpriced_calls", 1 if cost is None else 0)
        for line in ("tokens", "dollars", "unpriced_calls"):
            if self.ledger.overdrawn(line):
                raise BudgetExhausted(line, self.ledger.limit(line))

    @property
    def asked(self) -> bool:
        """Whether the model was given a decision yet: before, nothing is news to it."""
        return self.ledger.used.get("model_calls", 0.0) > 0.0

    def remaining(self) -> str:
        """The budget's end-of-reply words."""
        return self.ledger.words(self.now)

    def say(self, step: str) -> None:
        """What the mission is doing now."""
        self.step = step
        self.publish()

    def progress(self, stage: str, fraction: float) -> None:
        """A running skill reports; shown with the next status."""
        self.step = f"{self.step.split(' [')[0]} [{stage} {100.0 * min(1.0, max(0.0, fraction)):.0f} %]"

    def tell(self, text: str) -> None:
        """Say something to whoever gave the goal."""
        self.emit(PublishPrompt(source="reasoner", text=text, in_reply_to=self.prompt.id, mission_id=self.id))

    def publish(self) -> None:
        """Show the mission as it stands."""
        self.emit(PublishStatus(report=self.report()))

    def report(self) -> MissionReport:
        """The mission as it stands."""
        return MissionReport(
            mission_id=self.id,
            prompt_id=self.prompt.id,
            goal=self.prompt.text,
            requester=self.requester,
            state=self.state,
            step=self.step,
            reason=self.reason,
            budget=self.ledger.lines(self.now),
            calls=tuple(self.records.values()),
            searched=tuple(self.searched),
            evidence=self.evidence.conclusion,
            traceparent=self.prompt.traceparent,
        )

    def begin(self, call_id: str, tool: str, **arguments: str | float) -> None:
        """A call goes out: recorded, traced and shown."""
        words = json.dumps(arguments, sort_keys=True)
        self.records[call_id] = CallRecord(
            index=len(self.records), tool=tool, arguments=words, started=self.now
        )
        self.open_span(call_id, f"execute_tool {tool}", **arguments)
        self.publish()

    def finish(self, call_id: str, status: str, message: str = "") -> None:
        """A call ended."""
        record = self.records[call_id]
        self.records[call_id] = record.model_copy(
            update={"status": status, "message": message, "duration": max(0.0, self.now - record.started)}
        )
        self.close_span(call_id, status)
        self.publish()

    def pending(self, tool: str) -> tuple[str, ...]:
        """Calls of this tool that have not ended."""
        return tuple(i for i, r in self.records.items() if r.tool == tool and r.status == "pending")

    def finish_all(self, status: str) -> None:
        """No call stays pending when the mission ends."""
        for call_id, record in self.records.items():
            if record.status == "pending":
                self.records[call_id] = record.model_copy(update={"status": status})

    def open_span(self, span: str, name: str, **attributes: str | float) -> None:
        """A step of the trace, below the innermost open one."""
        parent = self._spans[-1] if self._spans else ""
        self._spans.append(span)
        self.emit(SpanStarted(span=span, parent=parent, name=name, attributes=dict(attributes)))

    def close_span(self, span: str, status: str, **attributes: str | float) -> None:
        """End a step, and whatever was left open inside it."""
        while span in self._spans:
            inner = self._spans.pop()
            if inner == span:
                self.emit(SpanEnded(span=span, status=status, attributes=dict(attributes)))
            else:
                self.emit(SpanEnded(span=inner, status="INTERRUPTED"))

    def close_every_span(self, status: str) -> None:
        """End the trace."""
        if self._spans:
            self.close_span(self._spans[0], status)

    def episode(self, words: str) -> SearchProgress:
        """The search for these words as far as it has come."""
        return self.episodes.get(normalize_term(words), SearchProgress(words))

    def keep(self, episode: SearchProgress) -> None:
        """Remember how far a search has come."""
        self.episodes[normalize_term(episode.term)] = episode

    def forget(self, episode: SearchProgress) -> None:
        """A search that cannot go on."""
        self.episodes.pop(normalize_term(episode.term), None)

    def disprove(self, thing: KnownObject) -> None:
        """A look has shown that a thing is not where memory has it: that place is done with."""
        self.learn(thing.gone())
        self.note(Gone(thing.id))
        episode = self.episode(thing.words or thing.label).reopened()
        if thing.place and thing.place not in episode.visited:
            self.searched.append(f"{thing.place}: NOT_IN_VIEW")
            episode = episode.after_visit(thing.place, "NOT_IN_VIEW")
        self.keep(episode)

    def note(self, fact: Fact) -> None:
        """Keep what a peer answered as evidence."""
        self.evidence = self.evidence.after(fact)

    def learn(self, thing: KnownObject) -> KnownObject:
        """Know a thing from now on; what a look disproved stays so until it is seen again."""
        self.things[thing.id] = thing
        return thing
