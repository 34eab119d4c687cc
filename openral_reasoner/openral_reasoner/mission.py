"""Working state of one mission, with the objects it knows; changed only by its own behaviors."""

import json
from collections.abc import Generator
from dataclasses import dataclass, replace
from typing import TypeVar

from openral_core.geometry import Pose
from openral_core.missions import MissionState
from openral_core.object_states import ObjectState
from openral_core.spatial_memory import Presence, RecallMatch, ResolveResult, SceneNode
from openral_core.text.terms import normalize_term
from openral_reasoner.blocked_ways import BlockedWays
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
from openral_reasoner.context import ObjectSummary, Turn
from openral_reasoner.events import Event, PromptReceived
from openral_reasoner.evidence import Evidence, Fact, Gone, Node
from openral_reasoner.floor_knowledge import FloorKnowledge
from openral_reasoner.palette.entries import ToolPalette
from openral_reasoner.policies import AdvicePolicy, PrematureEndPolicy
from openral_reasoner.request.goals import NotUnderstood, Request, is_understood
from openral_reasoner.request.saying import in_words
from openral_reasoner.residency import ResidencyState
from openral_reasoner.search import SearchProgress
from openral_reasoner.settings import MissionSettings


@dataclass(frozen=True, slots=True)
class KnownObject:
    """Node reported by a peer in this mission; ``words`` is the query that found it.

    A ``hint`` is a near miss of memory: a place to look, never a target to act on. ``disproved`` marks an
    object that a detector did not see at its remembered place. Poses are in map.
    """

    id: str
    label: str
    kind: str
    pose: Pose | None
    words: str = ""
    standing: Pose | None = None
    size: tuple[float, float, float] = (0.0, 0.0, 0.0)
    room: str = ""
    place: str = ""
    containers: tuple[str, ...] = ()
    must_open: str = ""
    stale: bool = False
    hint: bool = False
    disproved: bool = False
    why: str = ""
    states: tuple[ObjectState, ...] = ()

    @classmethod
    def remembered(cls, match: RecallMatch, words: str, *, hint: bool = False) -> "KnownObject":
        """Build from a match of memory or of a detection."""
        return cls(
            id=match.node_id,
            label=match.label,
            kind="object",
            pose=match.pose,
            words=words,
            standing=match.viewpoint,
            size=match.size,
            room=match.room,
            place=match.place,
            containers=match.containers,
            must_open=match.must_open,
            stale=match.presence is not Presence.PRESENT,
            hint=hint,
            why=match.why,
            states=match.states,
        )

    @classmethod
    def of(cls, node: SceneNode) -> "KnownObject":
        """Build from a node of the scene graph."""
        return cls(id=node.id, label=node.label, kind=node.kind.value, pose=node.pose, size=node.size)

    @classmethod
    def resolved(
        cls, result: ResolveResult, label: str, size: tuple[float, float, float] = (0.0, 0.0, 0.0)
    ) -> "KnownObject":
        """Build from a resolved place, room, agent or object; ``size`` of furniture in [m]."""
        return cls(
            id=result.node_id,
            label=label,
            kind=result.kind,
            pose=result.target_pose,
            standing=result.goal_pose,
            size=size,
        )

    def node(self) -> Node:
        """Return the node as evidence records it."""
        within = tuple(item for item in (self.place, *self.containers) if item)
        return Node(self.id, self.label, self.kind, self.room, within)

    def gone(self) -> "KnownObject":
        """Return the object marked as not at its place."""
        return replace(self, disproved=True)

    def opened(self) -> "KnownObject":
        """Return the object after its container was opened."""
        return replace(self, must_open="")

    def found(self) -> ObjectSummary:
        """Return the summary that the model reads."""
        return ObjectSummary(
            id=self.id,
            label=self.label,
            kind=self.kind,
            room=self.room,
            place=self.place,
            containers=self.containers,
            must_open=self.must_open,
            stale=self.stale,
            why=self.why,
            states=tuple(f"{state.value} ({state.source.value})" for state in self.states),
        )


HOME = KnownObject(id="home", label="home", kind="", pose=None)
"""Target of an exploration of everything."""
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


class Mission:
    """State of one mission: goal, budget, knowledge, calls, and the commands not yet sent.

    Attributes:
        goal: Text of the prompt, in which the ids of ``referents`` stand for "this".
        referents: Objects that the operator points at, by normalised id; no other one will do for them.
        others: Ids of the objects in memory that the operator does not point at, if there are referents.
        request: What the goal was understood as, once; `NotUnderstood` until a reader has read it.
        takes_goal: The open question is also answered by another goal.
        stated: A language model has said what the goal means, or that it cannot say it.
    """

    def __init__(
        self, mission_id: str, prompt: PromptReceived, settings: MissionSettings, palette: ToolPalette
    ) -> None:
        self.id = mission_id
        self.prompt, self.goal = prompt, prompt.text
        self.referents: dict[str, KnownObject] = {}
        self.request: Request = NotUnderstood("")
        self.settings = settings
        self.palette = palette
        self.requester = prompt.requester or settings.default_requester
        self.ledger = BudgetLedger(settings.budget)
        self.now, self.state = 0.0, MissionState.ACTIVE
        self.step, self.reason = "starting", ""
        self.objects: dict[str, KnownObject] = {}
        self.episodes: dict[str, SearchProgress] = {}
        self.searched: list[str] = []
        self.turns: list[Turn] = []
        self.news: list[str] = []
        self.records: dict[str, CallRecord] = {}
        self.opened, self.left_open = set[str](), set[str]()
        self.at = self.facing = self.holding = self.exploring = self.operator_words = ""
        self.cancelled, self.let_go, self.stated, self.takes_goal = "", False, False, False
        self.unconfirmed: set[str] = set()
        self.residency = ResidencyState()
        self.early_endings, self.advice = PrematureEndPolicy(), AdvicePolicy(settings.advisor_decisions)
        self.in_vain, self.obeyed = set[str](), set[str]()
        self.not_back, self.others = set[str](), frozenset[str]()
        self.not_named: dict[tuple[str, str], str] = {}
        self.evidence, self.floor, self.blocked = Evidence(), FloorKnowledge(), BlockedWays()
        self.scene_time: float | None = None
        self._outbox: list[Command] = []
        self._spans: list[str] = []
        self._count = 0

    def next_id(self, what: str) -> str:
        """Return an id that is unique among the calls of this core."""
        self._count += 1
        return f"{self.id}/{self._count}-{what}"

    def emit(self, command: Command) -> None:
        """Queue a command for the next batch."""
        self._outbox.append(command)

    def drain(self) -> tuple[Command, ...]:
        """Return and clear the queued commands."""
        batch, self._outbox = tuple(self._outbox), []
        return batch

    def referent(self, words: str) -> KnownObject | None:
        """Return the object that the operator points at if the words are its id."""
        return self.referents.get(normalize_term(words))

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

    def charge_decision(self, tokens: int, cost: float | None) -> None:
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
    def asked(self) -> bool:
        """True once the model was asked for a decision; before that nothing is news to it."""
        return self.ledger.used.get("model_calls", 0.0) > 0.0

    def remaining(self) -> str:
        """Describe the remaining budget, for the end of a reply."""
        return self.ledger.words(self.now)

    @property
    def unread(self) -> bool:
        """True until a reader or the language model has said what the goal means."""
        return not (self.stated or is_understood(self.request))

    def say(self, step: str) -> None:
        """Publish the current step of the mission."""
        self.step = step
        self.publish()

    def progress(self, stage: str, fraction: float) -> None:
        """Record the progress of a running skill; published with the next status."""
        if self.exploring:
            stage = f"{stage}, reachable floor seen"
        if self.exploring == HOME.id:
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
            calls=tuple(self.records.values()),
            searched=tuple(self.searched),
            evidence=self.evidence.conclusion,
            traceparent=self.prompt.traceparent,
        )

    def begin(self, call_id: str, tool: str, **arguments: str | float) -> None:
        """Record, trace and publish the start of a call."""
        words = json.dumps(arguments, sort_keys=True)
        self.records[call_id] = CallRecord(
            index=len(self.records), tool=tool, arguments=words, started=self.now
        )
        self.open_span(call_id, f"execute_tool {tool}", **arguments)
        self.publish()

    def finish(self, call_id: str, status: str, message: str = "") -> None:
        """Record, trace and publish the end of a call."""
        record = self.records[call_id]
        self.records[call_id] = record.model_copy(
            update={"status": status, "message": message, "duration": max(0.0, self.now - record.started)}
        )
        self.close_span(call_id, status)
        self.publish()

    def pending(self, tool: str) -> tuple[str, ...]:
        """Return the ids of this tool's calls that have not ended."""
        return tuple(i for i, r in self.records.items() if r.tool == tool and r.status == "pending")

    def finish_all(self, status: str) -> None:
        """Set the status of every pending call."""
        for call_id, record in self.records.items():
            if record.status == "pending":
                self.records[call_id] = record.model_copy(update={"status": status})

    def open_span(self, span: str, name: str, **attributes: str | float) -> None:
        """Start a span below the innermost open one."""
        parent = self._spans[-1] if self._spans else ""
        self._spans.append(span)
        self.emit(SpanStarted(span=span, parent=parent, name=name, attributes=dict(attributes)))

    def close_span(self, span: str, status: str, **attributes: str | float) -> None:
        """End a span and every span left open inside it."""
        while span in self._spans:
            inner = self._spans.pop()
            if inner == span:
                self.emit(SpanEnded(span=span, status=status, attributes=dict(attributes)))
            else:
                self.emit(SpanEnded(span=inner, status="INTERRUPTED"))

    def close_every_span(self, status: str) -> None:
        """End every open span."""
        if self._spans:
            self.close_span(self._spans[0], status)

    def episode(self, words: str) -> SearchProgress:
        """Return the search progress for a query, empty if there is none."""
        return self.episodes.get(normalize_term(words), SearchProgress(words))

    def keep(self, episode: SearchProgress) -> None:
        """Store the progress of a search."""
        self.episodes[normalize_term(episode.term)] = episode

    def forget(self, episode: SearchProgress) -> None:
        """Drop a search that cannot continue."""
        self.episodes.pop(normalize_term(episode.term), None)

    def disprove(self, known_object: KnownObject) -> None:
        """Mark an object as not at its remembered place, and that place as searched."""
        self.learn(known_object.gone())
        self.note(Gone(known_object.id))
        episode = self.episode(known_object.words or known_object.label).reopened()
        if known_object.place and known_object.place not in episode.visited:
            self.searched.append(f"{known_object.place}: NOT_IN_VIEW")
            episode = episode.after_visit(known_object.place, "NOT_IN_VIEW")
        self.keep(episode)

    def told(self, text: str) -> str:
        """Return a text for a human with what was left out as told, what blocks the way, and unseen floor."""
        left_out = f" As you told me, I did not {' or '.join(sorted(self.obeyed))}." if self.obeyed else ""
        return self.floor.told(self.blocked.told(f"{text}{left_out}"))

    def note(self, fact: Fact) -> None:
        """Add a peer's answer to the evidence."""
        self.evidence = self.evidence.after(fact)

    def learn(self, known_object: KnownObject) -> KnownObject:
        """Store an object; one marked as not at its place stays so until it is seen again."""
        self.objects[known_object.id] = known_object
        return known_object
