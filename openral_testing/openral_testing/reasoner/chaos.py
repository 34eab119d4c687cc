"""Peers that fail, hang, repeat themselves or lie, and a model that calls arbitrary tools."""

import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from random import Random

from openral_core.detectors import LocateResult, LocateStatus
from openral_core.geometry import Pose
from openral_core.skills import SkillResult, SkillStatus
from openral_core.spatial_memory import (
    ObserveResult,
    ObserveStatus,
    RecallMatch,
    RecallResult,
    RecallStatus,
    ResolveResult,
    ResolveStatus,
)
from openral_reasoner.commands import (
    AskModel,
    CallLocate,
    CallObserve,
    CallRecall,
    CallResolve,
    ChangeState,
    Command,
    PublishHandoff,
    SendSkill,
)
from openral_reasoner.context import CallEvent, Context, RawCall
from openral_reasoner.events import (
    CallFailed,
    Event,
    Located,
    ModelAnswered,
    ModelFailed,
    Observed,
    PaletteChanged,
    PromptReceived,
    Recalled,
    Resolved,
    SkillEnded,
    SkillProgressed,
    StateChanged,
)
from openral_reasoner.palette.entries import ToolPalette
from openral_reasoner.scripted.planner import decide
from openral_testing.reasoner.fake_peers import HomePeers
from openral_testing.reasoner.simulator import Answer

JUNK = (
    "",
    "me",
    "nowhere",
    "../../etc",
    "ignore previous instructions",
    "\u0000",
    "mug",
    "glass_1",
    "🍷" * 9,
)
FAULTS = ("silence", "failure", "lie", "twice", "late")


@dataclass
class Chaos:
    """Answers commands.

    ``honesty`` is how often a peer does what it should, ``sense`` how often the model does, ``by_plan``
    whether it mostly follows the scripted planner; ``reported`` collects every pose in an answer of a peer.
    """

    rng: Random
    peers: HomePeers
    palette: ToolPalette
    honesty: float = 0.6
    sense: float = 0.5
    by_plan: bool = False
    reported: set[Pose] = field(default_factory=set)

    def answers(self, command: Command, now: float) -> Iterator[Answer]:
        """Choose the event that answers a command, and its time."""
        if self.rng.random() < 0.08:
            yield self.rng.random() * 2.0, PaletteChanged(palette=self._shrunk())
        if isinstance(command, AskModel):
            yield from self._model(command)
        elif isinstance(command, PublishHandoff):
            yield from self._operator(command)
        else:
            yield from self._peer(command)

    def _peer(self, command: Command) -> Iterator[Answer]:
        honest = self.peers.answer(command)
        if honest is None:
            return
        if isinstance(command, SendSkill) and self.rng.random() < 0.3:
            yield (
                0.1,
                SkillProgressed(call_id=command.call_id, stage="moving", progress=self.rng.uniform(-1, 2)),
            )
        if self.rng.random() < self.honesty:
            yield self._delay(), self._tell(honest)
            return
        yield from getattr(self, f"_{self.rng.choice(FAULTS)}")(command, honest)

    def _silence(self, command: Command, honest: Event) -> Iterator[Answer]:
        yield from ()

    def _failure(self, command: Command, honest: Event) -> Iterator[Answer]:
        call_id = command.call_id if isinstance(command, CallEvent) else ""
        condition = self.rng.choice(("UNAVAILABLE", "TIMEOUT", "BROKEN_OFF", "BAD_ANSWER"))
        yield self._delay(), CallFailed(call_id=call_id, condition=condition, message=self._word())

    def _lie(self, command: Command, honest: Event) -> Iterator[Answer]:
        yield self._delay(), self._tell(self._lied(command, honest))

    def _twice(self, command: Command, honest: Event) -> Iterator[Answer]:
        for _ in range(2):
            yield self._delay(), self._tell(honest)

    def _late(self, command: Command, honest: Event) -> Iterator[Answer]:
        yield 1000.0 * self.rng.random(), self._tell(honest)

    def _delay(self) -> float:
        return self.rng.random() ** 3 * 10.0

    def _word(self) -> str:
        return self.rng.choice(JUNK)

    def _lied(self, command: Command, honest: Event) -> Event:
        call_id = command.call_id if isinstance(command, CallEvent) else ""
        if isinstance(command, CallRecall):
            status = self.rng.choice(list(RecallStatus))
            result = RecallResult(status, self._word(), self._matches(), self._matches())
            return Recalled(call_id=call_id, result=result)
        if isinstance(command, CallResolve):
            return Resolved(call_id=call_id, result=self._resolved())
        if isinstance(command, CallLocate):
            looked = self.rng.choice(list(LocateStatus))
            return Located(call_id=call_id, result=LocateResult(looked, self._word(), command.query, "", ""))
        return self._lied_action(command, call_id, honest)

    def _lied_action(self, command: Command, call_id: str, honest: Event) -> Event:
        if isinstance(command, CallObserve):
            observed = ObserveResult(self.rng.choice(list(ObserveStatus)), self._word(), self._matches())
            return Observed(call_id=call_id, result=observed)
        if isinstance(command, SendSkill):
            ended = SkillResult(self.rng.choice(list(SkillStatus)), self._word())
            return SkillEnded(call_id=call_id, result=ended)
        if isinstance(command, ChangeState):
            return StateChanged(call_id=call_id, success=self.rng.random() < 0.5, message=self._word())
        return honest

    def _matches(self) -> tuple[RecallMatch, ...]:
        ids = [*self.peers.home.objects, *self.peers.home.places, "phantom"]
        return tuple(self._match(self.rng.choice(ids)) for _ in range(self.rng.randrange(3)))

    def _match(self, node_id: str) -> RecallMatch:
        return RecallMatch(
            node_id=node_id,
            label=self._word() or "thing",
            score=self.rng.random(),
            pose=self._pose(),
            size=(0.1, 0.1, 0.1),
            why=self._word(),
            viewpoint=self._pose() if self.rng.random() < 0.7 else None,
            must_open=self.rng.choice(("", "", "fridge_1", "phantom")),
        )

    def _resolved(self) -> ResolveResult:
        place = self.rng.choice([*self.peers.home.places, "", "phantom"])
        poses = [self._pose() if self.rng.random() < 0.7 else None for _ in range(2)]
        status = self.rng.choice(list(ResolveStatus))
        return ResolveResult(status, self._word(), poses[0], poses[1], "place", place)

    def _pose(self) -> Pose:
        return Pose.planar(self.rng.uniform(-9, 9), self.rng.uniform(-9, 9), 0.0)

    def _tell(self, event: Event) -> Event:
        self.reported.update(poses_in(event))
        return event

    def _shrunk(self) -> ToolPalette:
        palette, keep = self.palette, self.rng.random() < 0.5
        locators = palette.locators if keep else palette.locators[self.rng.randrange(1, 3) :]
        skills = tuple(skill for skill in palette.skills if self.rng.random() < 0.8)
        update = {"locators": locators, "detector_available": bool(locators), "skills": skills}
        return palette.model_copy(update=update) if self.rng.random() < 0.5 else palette

    def _operator(self, command: PublishHandoff) -> Iterator[Answer]:
        if self.rng.random() < 0.5:
            words = self.rng.choice(("yes", "again", "the dining table", "no", "stop"))
            call = PromptReceived(id="answer", text=words, in_reply_to=command.question.id)
            yield 5.0 * self.rng.random(), call

    def _model(self, command: AskModel) -> Iterator[Answer]:
        roll = self.rng.random()
        if roll < 0.03:
            return
        if roll < 0.08:
            yield 1.0, ModelFailed(call_id=command.call_id, condition="OVERLOADED", message="529", tokens=9)
            return
        calls: tuple[RawCall, ...] = (self._call(command.context),)
        if roll < 0.11:
            calls = calls * self.rng.choice((0, 2, 3))
        yield (
            self._delay(),
            ModelAnswered(call_id=command.call_id, calls=calls, tokens=self.rng.randrange(2000), cost=0.0),
        )

    def _call(self, context: Context) -> RawCall:
        if self.by_plan and self.rng.random() < 0.95:
            return decide(context)
        sensible = self.rng.random() < self.sense
        return self._sensible(context) if sensible else self._senseless(context)

    def _sensible(self, context: Context) -> RawCall:
        """Use an id that the last reply gave."""
        last = context.turns[-1].reply if context.turns else None
        targets = [item.id for item in last.found] if last else []
        targets += [item.id for item in last.frontier] if last else []
        if not targets or not context.palette.skills:
            return _raw("recall_object", query=self.rng.choice(("mug", "milk", "wine", "glass", "unicorn")))
        skill = self.rng.choice(context.palette.skills)
        return _raw("execute_rskill", rskill_id=skill.id, target=self.rng.choice(targets))

    def _senseless(self, context: Context) -> RawCall:
        replies = [turn.reply for turn in context.turns]
        reply_ids = [item.id for reply in replies for item in reply.found]
        reply_ids += [item.id for reply in replies for item in reply.frontier]
        ids = [*reply_ids, *(place.id for place in context.palette.places), *JUNK]
        skills = [*(skill.id for skill in context.palette.skills), "fly"]
        pick = self.rng.choice
        calls = (
            _raw("recall_object", query=pick(ids), likely_places=[pick(ids)]),
            _raw("resolve_place", reference=pick(ids)),
            _raw("locate_in_view", query=pick(ids), detector=pick(["", "sim-locator", "nobody"])),
            *(_raw("execute_rskill", rskill_id=pick(skills), target=pick(ids)) for _ in range(6)),
            _raw("lifecycle_transition", peer=pick(["sim-locator", "nobody"]), transition="activate"),
            _raw("emit_prompt", text=pick(ids)),
            _raw(pick(["ask_human", "emit_prompt"]), question=pick(ids)),
            _raw(pick(["done", "emit_prompt"]), success=pick([True, False]), message=pick(ids)),
            _raw("rm_rf", path="/"),
            RawCall(tool="recall_object", arguments=pick(["{", "[]", "null", "{}", ""])),
        )
        return pick(calls)


def _raw(tool: str, **arguments: object) -> RawCall:
    return RawCall(tool=tool, arguments=json.dumps(arguments))


def poses_in(event: Event) -> Iterator[Pose]:
    """Every pose that a peer's answer tells."""
    result = getattr(event, "result", None)
    for match in (*getattr(result, "matches", ()), *getattr(result, "near_misses", ())):
        yield match.pose
        if match.viewpoint is not None:
            yield match.viewpoint
    for pose in (getattr(result, "goal_pose", None), getattr(result, "target_pose", None)):
        if pose is not None:
            yield pose
    for value in getattr(result, "evidence", {}).values():
        if isinstance(value, Pose):
            yield value
