"""Working state of one mission in named parts; changed only by its own behaviors, tools and core."""

import json
from collections.abc import Generator, Mapping
from dataclasses import dataclass, field, replace
from typing import TypeVar

from openral_core.detectors import UnplacedDetection
from openral_core.missions import MissionState
from openral_core.text.terms import normalize_term
from openral_reasoner.budget import BudgetExhausted, BudgetLedger
from openral_reasoner.commands import (
    CallRecord,
    Command,
    MissionReport,
    PublishPrompt,
    PublishStatus,
    SetDeadline,
    SpanEnded,
    SpanStarted,
)
from openral_reasoner.context import Turn
from openral_reasoner.events import Event, PromptReceived
from openral_reasoner.evidence import Evidence, Fact, Gone
from openral_reasoner.floor_knowledge import BlockedWays, FloorKnowledge
from openral_reasoner.mission_objects import HOME, MissionObject
from openral_reasoner.palette.entries import ToolPalette
from openral_reasoner.policies import AdvicePolicy, PrematureEndPolicy
from openral_reasoner.request.goals import NotUnderstood, Request, is_understood
from openral_reasoner.request.saying import in_words
from openral_reasoner.residency import ResidencyState
from openral_reasoner.search import SearchEpisode
from openral_reasoner.settings import MissionSettings

T = TypeVar("T")
Procedure = Generator["Wait", Event, T]


def at_once(value: T) -> Procedure[T]:
    """Return a value as a procedure that waits for nothing."""
    yield from ()
    return value


@dataclass(frozen=True, slots=True)
class Wait:
    """Condition a procedure waits for: an event of this call, or optionally any new palette.

    If the detector that it ``needs`` leaves the graph, the call fails.
    """

    call_id: str
    palette: bool = False
    needs: str = ""


@dataclass(frozen=True, slots=True)
class Ending:
    """Final state of a mission, its reason and the evidence."""

    state: MissionState
    reason: str
    evidence: tuple[str, ...] = ()


@dataclass(slots=True)
class OperatorInput:
    """Input of the operator beside the goal.

    `behaviors.referents` writes ``referents``, the objects pointed at, by normalised id, in whose place no
    other will do, and ``other_ids``, all else that memory has. The loop and `behaviors.skill_execution` write
    the ``answer`` for the next decision, the loop and `tools.dialogue` that another goal may answer the open
    question, `behaviors.preconditions` the ``obeyed_rules``.
    """

    referents: dict[str, MissionObject] = field(default_factory=dict)
    other_ids: frozenset[str] = frozenset()
    answer: str = ""
    answer_may_be_goal: bool = False
    obeyed_rules: set[str] = field(default_factory=set)


@dataclass(slots=True)
class DecisionLog:
    """Decisions of the model, written by the decision loop.

    Any behavior adds ``news`` for the next one. `behaviors.ending` writes ``early_endings``, `tools.stating`
    that the model has said what the goal means, or that it cannot say it.
    ``first_request`` is the first meaning of the goal that was understood. ``listed`` is the palette in lines
    by section and id before the first decision, ``reported`` those lines as the model knows them by now.
    """

    advice: AdvicePolicy
    turns: list[Turn] = field(default_factory=list)
    news: list[str] = field(default_factory=list)
    early_endings: PrematureEndPolicy = field(default_factory=PrematureEndPolicy)
    goal_is_stated: bool = False
    first_request: Request = field(default_factory=lambda: NotUnderstood(""))
    listed: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    reported: Mapping[str, Mapping[str, str]] = field(default_factory=dict)


@dataclass(slots=True)
class SearchLog:
    """Searches by normalised term, and places with their outcome, for the report.

    `behaviors.recall_or_locate` and `behaviors.search` write both, `Mission.disprove` and
    `tools.exploration` outcomes.
    """

    episodes: dict[str, SearchEpisode] = field(default_factory=dict)
    outcomes: list[str] = field(default_factory=list)
    in_sight: tuple[str, frozenset[str]] = ("", frozenset())

    def episode(self, words: str) -> SearchEpisode:
        """Return the search progress for a query, empty if there is none."""
        return self.episodes.get(normalize_term(words), SearchEpisode(words))

    def store(self, episode: SearchEpisode) -> None:
        """Store the progress of a search."""
        self.episodes[normalize_term(episode.term)] = episode

    def drop(self, episode: SearchEpisode) -> None:
        """Drop a search that cannot continue."""
        self.episodes.pop(normalize_term(episode.term), None)


@dataclass(slots=True)
class HandState:
    """Id of the object in the hand and containers opened for it, written by `behaviors.skill_execution`.

    `behaviors.approach` opens and closes containers. ``has_released``: the skill server's report of the held
    object may be older.
    """

    object_id: str = ""
    has_released: bool = False
    open_containers: set[str] = field(default_factory=set)
    containers_to_close: set[str] = field(default_factory=set)


@dataclass(slots=True)
class BaseState:
    """Ids of what the base stands at and the camera faces, "" after any skill that may have moved them.

    `behaviors.approach`, `meeting`, `skill_execution` and `skill_goal` write them, `exploring` the area that
    it explores now.
    """

    at_target: str = ""
    faced_target: str = ""
    explored_area: str = ""


@dataclass(slots=True)
class PeerProblems:
    """Peers not to wait for or ask again, written by `behaviors.requests` and `behaviors.locate`.

    ``exhausted_waits`` are absences whose wait ran out; ``refused_queries`` the reason by locator and query.
    """

    exhausted_waits: set[str] = field(default_factory=set)
    unrecovered_locators: set[str] = field(default_factory=set)
    refused_queries: dict[tuple[str, str], str] = field(default_factory=dict)

    def note_wait(self, absence: str, *, ended: bool) -> None:
        """Note an absence whose wait ran out; forget it if it has ended."""
        (self.exhausted_waits.discard if ended else self.exhausted_waits.add)(absence)


@dataclass(slots=True)
class CallLog:
    """Calls to peers, their open spans and number, written by the mission's own methods.

    `behaviors.skill_goal` adds ``unconfirmed_stops``: cancelled skill goals that no server has ended.
    """

    records: dict[str, CallRecord] = field(default_factory=dict)
    open_spans: list[str] = field(default_factory=list)
    count: int = 0
    unconfirmed_stops: set[str] = field(default_factory=set)

    def pending(self, tool: str) -> tuple[str, ...]:
        """Return the ids of this tool's calls that have not ended."""
        return tuple(i for i, r in self.records.items() if r.tool == tool and r.status == "pending")

    def finish_all(self, status: str) -> None:
        """Set the status of every pending call."""
        for call_id, record in self.records.items():
            if record.status == "pending":
                self.records[call_id] = record.model_copy(update={"status": status})


class Mission:
    """State of one mission: goal, budget, knowledge, calls, and the commands not yet sent.

    Attributes:
        goal: Text of the prompt, in which the ids of the operator's referents stand for "this".
        request: Meaning of the goal, once it is read; `NotUnderstood` until then.
        palette: Written by the core; behaviors note in it what they changed themselves.
        evidence: Every fact of a peer, by `note`; what is judged at the end.
        floor: Written by `behaviors.exploring` and by progress; handed from mission to mission.
        residency: Written by `behaviors.residency`, `behaviors.skill_goal` and the core.
    """

    def __init__(
        self, mission_id: str, prompt: PromptReceived, settings: MissionSettings, palette: ToolPalette
    ) -> None:
        self.id, self.prompt, self.goal = mission_id, prompt, prompt.text
        self.request: Request = NotUnderstood("")
        self.settings, self.palette = settings, palette
        self.requester = prompt.requester or settings.default_requester
        self.ledger = BudgetLedger(settings.budget)
        self.now, self.state = 0.0, MissionState.ACTIVE
        self.step, self.reason, self.late_cancellation = "starting", "", ""
        self.objects: dict[str, MissionObject] = {}
        self.scene_time: float | None = None
        self.in_view: tuple[UnplacedDetection, ...] = ()
        self.evidence, self.floor, self.blocked_ways = Evidence(), FloorKnowledge(), BlockedWays()
        self.residency = ResidencyState()
        self.operator, self.decisions = OperatorInput(), DecisionLog(AdvicePolicy(settings.advisor_decisions))
        self.search, self.hand, self.base = SearchLog(), HandState(), BaseState()
        self.peers, self.calls = PeerProblems(), CallLog()
        self._outbox: list[Command] = []

    def next_id(self, what: str) -> str:
        """Return an id that is unique among the calls of this core."""
        self.calls.count += 1
        return f"{self.id}/{self.calls.count}-{what}"

    def emit(self, command: Command) -> None:
        """Queue a command for the next batch."""
        self._outbox.append(command)

    def drain(self) -> tuple[Command, ...]:
        """Return and clear the queued commands."""
        batch, self._outbox = tuple(self._outbox), []
        return batch

    def referent(self, words: str) -> MissionObject | None:
        """Return the object that the operator points at if the words are its id."""
        return self.operator.referents.get(normalize_term(words))

    def spend(self, line: str) -> None:
        """Spend one unit of a budget line.

        Raises:
            BudgetExhausted: If none is left.
        """
        self.ledger = self.ledger.spend(line)

    def apply(self, settings: MissionSettings) -> None:
        """Go on with other settings; what was used of the budget stays used."""
        self.settings, self.ledger = settings, replace(self.ledger, limits=settings.budget)
        seconds = max(self.ledger.left("seconds", self.now), 0.05)
        self.emit(SetDeadline(call_id=self.id, seconds=seconds))

    def charge_decision(self, tokens: float, cost: float | None) -> None:
        """Charge a decision to the budget; ``cost`` [US$] is None if unknown.

        Raises:
            BudgetExhausted: If a line is overdrawn.
        """
        self.ledger = self.ledger.charge("tokens", tokens).charge("dollars", cost or 0.0)
        self.ledger = self.ledger.charge("unpriced_calls", 1 if cost is None else 0)
        for line in ("tokens", "dollars", "unpriced_calls"):
            if self.ledger.overdrawn(line):
                raise BudgetExhausted(line, self.ledger.limit(line))

    @property
    def has_decided(self) -> bool:
        """True once the model was asked for a decision; before that nothing is news to it."""
        return self.ledger.used.get("model_calls", 0.0) > 0.0

    def remaining(self) -> str:
        """Describe what runs low of the budget, for the end of a reply."""
        return self.ledger.words(self.now)

    @property
    def unread(self) -> bool:
        """True until a reader or the language model has said what the goal means."""
        return not (self.decisions.goal_is_stated or is_understood(self.request))

    def say(self, step: str) -> None:
        """Publish the current step of the mission."""
        self.step = step
        self.publish()

    def progress(self, stage: str, fraction: float) -> None:
        """Record the progress of a running skill; published with the next status."""
        if self.base.explored_area:
            stage = f"{stage}, reachable floor seen"
        if self.base.explored_area == HOME.id:
            self.floor = replace(self.floor, seen=min(1.0, max(0.0, fraction)), complete=False)
        self.step = f"{self.step.split(' [')[0]} [{stage} {100.0 * min(1.0, max(0.0, fraction)):.0f} %]"

    def understand(self, request: Request) -> None:
        """State what was asked for, and tell the sender of the goal if all of it is understood."""
        self.request = request
        if is_understood(request):
            self.tell(f"Understood: {in_words(request)}.")

    def tell(self, text: str) -> None:
        """Send a message to the sender of the goal."""
        self.emit(PublishPrompt(source="reasoner", text=text, in_reply_to=self.prompt.id, mission_id=self.id))

    def publish(self) -> None:
        """Publish the state of the mission."""
        self.emit(PublishStatus(report=self.report()))

    def report(self) -> MissionReport:
        """Build the report of the mission."""
        return MissionReport(
            mission_id=self.id,
            prompt_id=self.prompt.id,
            goal=self.prompt.text,
            understood=in_words(self.request) if is_understood(self.request) else "",
            request=self.request,
            requester=self.requester,
            state=self.state,
            step=self.step,
            reason=self.reason,
            budget=self.ledger.lines(self.now),
            calls=tuple(self.calls.records.values()),
            searched=tuple(self.search.outcomes),
            evidence=self.evidence.conclusion,
            traceparent=self.prompt.traceparent,
        )

    def begin(self, call_id: str, tool: str, **arguments: str | float) -> None:
        """Record, trace and publish the start of a call."""
        words = json.dumps(arguments, sort_keys=True)
        self.calls.records[call_id] = CallRecord(
            index=len(self.calls.records), tool=tool, arguments=words, started=self.now
        )
        self.open_span(call_id, f"execute_tool {tool}", **arguments)
        self.publish()

    def finish(self, call_id: str, status: str, message: str = "") -> None:
        """Record, trace and publish the end of a call."""
        record = self.calls.records[call_id]
        self.calls.records[call_id] = record.model_copy(
            update={"status": status, "message": message, "duration": max(0.0, self.now - record.started)}
        )
        self.close_span(call_id, status)
        self.publish()

    def open_span(self, span: str, name: str, **attributes: str | float) -> None:
        """Start a span below the innermost open one."""
        parent = self.calls.open_spans[-1] if self.calls.open_spans else ""
        self.calls.open_spans.append(span)
        self.emit(SpanStarted(span=span, parent=parent, name=name, attributes=dict(attributes)))

    def close_span(self, span: str, status: str, **attributes: str | float) -> None:
        """End a span and every span left open inside it."""
        while span in self.calls.open_spans:
            inner = self.calls.open_spans.pop()
            if inner == span:
                self.emit(SpanEnded(span=span, status=status, attributes=dict(attributes)))
            else:
                self.emit(SpanEnded(span=inner, status="INTERRUPTED"))

    def close_every_span(self, status: str) -> None:
        """End every open span."""
        if self.calls.open_spans:
            self.close_span(self.calls.open_spans[0], status)

    def disprove(self, known_object: MissionObject) -> None:
        """Mark an object as not at its remembered place, and that place as searched."""
        self.learn(replace(known_object, disproved=True))
        self.note(Gone(known_object.id))
        episode = self.search.episode(known_object.words or known_object.label).reopened()
        if known_object.place and known_object.place not in episode.visited:
            self.search.outcomes.append(f"{known_object.place}: NOT_IN_VIEW")
            episode = episode.after_visit(known_object.place, "NOT_IN_VIEW")
        self.search.store(episode)

    def with_caveats(self, text: str) -> str:
        """Return a text for a human with what was left out as told, what blocks the way, and unseen floor."""
        left_out = (
            f" As you told me, I did not {' or '.join(sorted(self.operator.obeyed_rules))}."
            if self.operator.obeyed_rules
            else ""
        )
        return self.floor.with_unseen_share(self.blocked_ways.with_obstacles(f"{text}{left_out}"))

    def note(self, fact: Fact) -> None:
        """Add a peer's answer to the evidence."""
        self.evidence = self.evidence.after(fact)

    def learn(self, known_object: MissionObject) -> MissionObject:
        """Store an object; one marked as not at its place stays so until it is seen again."""
        self.objects[known_object.id] = known_object
        return known_object
