"""In-process memory, locator and skill server of a mission: a command in, an event out.

`InProcessPeers` dispatches commands for every back end; `HomePeers` answers from a symbolic home.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from typing import NoReturn

from openral_core.detectors import Box, Detection, LocateResult, LocateStatus
from openral_core.errors import OpenRALError
from openral_core.geometry import Pose
from openral_core.object_states import StateSource
from openral_core.skills import SkillResult, SkillStatus
from openral_core.spatial_memory import (
    EditOperation,
    EditResult,
    EditStatus,
    MemoryEdit,
    NodeKind,
    ObserveResult,
    ObserveStatus,
    RecallMatch,
    RecallQuery,
    RecallResult,
    RecallStatus,
    ResolveQuery,
    ResolveResult,
    ResolveStatus,
    SceneGraph,
)
from openral_core.text.terms import normalize_term
from openral_reasoner.commands import (
    CallEdit,
    CallLocate,
    CallObserve,
    CallRecall,
    CallResolve,
    CancelSkill,
    ChangeState,
    Command,
    ReadScene,
    SendSkill,
)
from openral_reasoner.context import CallEvent
from openral_reasoner.events import (
    CallFailed,
    Edited,
    Event,
    Located,
    Observed,
    Recalled,
    Resolved,
    SceneRead,
    SkillEnded,
)
from openral_testing.reasoner.symbolic_home import SKILLS, STANDOFF, HomeObject, HomePlace, SymbolicHome


class PeerUnavailable(OpenRALError):
    """A peer that does not answer."""

    def __init__(self, peer: str) -> None:
        super().__init__(f"the {peer} is unavailable")


class InProcessPeers(ABC):
    """Peers of a mission core without ROS: dispatches commands to a back end, returns results as events.

    A back end returns results or raises `PeerUnavailable`, which becomes `CallFailed`.
    """

    def __init__(self) -> None:
        self._handlers: Mapping[type, Callable[..., Event | None]] = {
            CallRecall: lambda c: Recalled(call_id=c.call_id, result=self.recall(c.query)),
            CallResolve: lambda c: Resolved(call_id=c.call_id, result=self.resolve(c.query)),
            CallLocate: lambda c: Located(call_id=c.call_id, result=self.locate(c)),
            CallObserve: lambda c: Observed(call_id=c.call_id, result=self.observe(c)),
            CallEdit: lambda c: Edited(call_id=c.call_id, result=self.edit(c.edit)),
            ReadScene: self._read_scene,
            SendSkill: self._send_skill,
            CancelSkill: self._cancel_skill,
            ChangeState: self._change_state,
        }

    def answer(self, command: Command) -> Event | None:
        """Return the event that answers a command; None if no peer answers it, or not yet."""
        handler = self._handlers.get(type(command))
        if handler is None or not isinstance(command, CallEvent):
            return None
        try:
            return handler(command)
        except PeerUnavailable as error:
            return CallFailed(call_id=command.call_id, condition="UNAVAILABLE", message=str(error))

    @abstractmethod
    def recall(self, query: RecallQuery) -> RecallResult:
        """Answer from memory."""

    @abstractmethod
    def resolve(self, query: ResolveQuery) -> ResolveResult:
        """Resolve a reference to a place, a room or a person."""

    @abstractmethod
    def locate(self, call: CallLocate) -> LocateResult:
        """Detect in the current image; keep the result under the call's id for `observe`."""

    @abstractmethod
    def observe(self, call: CallObserve) -> ObserveResult:
        """Record an earlier locate result in memory."""

    def edit(self, edit: MemoryEdit) -> EditResult:
        """Note what is known of an object; by default no object is known."""
        return EditResult(EditStatus.UNKNOWN_OBJECT, f"no {edit.node_id!r} here")

    @abstractmethod
    def read_scene(self) -> tuple[SceneGraph, Pose]:
        """Return the scene graph and the robot's pose."""

    @abstractmethod
    def send_skill(self, call: SendSkill) -> SkillResult | None:
        """Start a skill; None if its result comes later."""

    @abstractmethod
    def cancel_skill(self, call: CancelSkill) -> SkillResult | None:
        """Cancel a skill; None if its result comes later."""

    def _read_scene(self, call: ReadScene) -> Event:
        graph, robot = self.read_scene()
        return SceneRead(call_id=call.call_id, graph=graph, robot=robot)

    def _send_skill(self, call: SendSkill) -> Event | None:
        result = self.send_skill(call)
        return SkillEnded(call_id=call.call_id, result=result) if result is not None else None

    def _cancel_skill(self, call: CancelSkill) -> Event | None:
        result = self.cancel_skill(call)
        return SkillEnded(call_id=call.call_id, result=result) if result is not None else None

    def _change_state(self, call: ChangeState) -> NoReturn:
        raise PeerUnavailable("lifecycle manager")


class HomePeers(InProcessPeers):
    """Peers that answer from a symbolic home; ``locator_alive`` may be cleared at any time."""

    def __init__(self, home: SymbolicHome) -> None:
        super().__init__()
        self.home = home
        self.locator_alive = True
        self.looks: dict[str, tuple[HomeObject, ...]] = {}

    def recall(self, query: RecallQuery) -> RecallResult:
        term = normalize_term(query.query)
        records = [o for o in self.home.objects.values() if o.remembered and o.id != self.home.holding]
        hits = [self._match(o, "same label") for o in records if term in _names(o.remembered, o.synonyms)]
        near = [self._match(o, "broader label") for o in records if term in o.broader]
        if query.node_id:
            hits, near = [self._match(o, "this record") for o in records if o.id == query.node_id], []
        if hits:
            return RecallResult(RecallStatus.FOUND, f"{len(hits)} remembered", tuple(hits))
        return RecallResult(RecallStatus.NOT_IN_MEMORY, f"{term} is not in memory", (), tuple(near))

    def _match(self, item: HomeObject, why: str, *, in_view: bool = False) -> RecallMatch:
        place = self.home.places.get(item.place if in_view else item.remembered_at or item.place)
        pose = self.home.pose_of(item) if in_view else self.home.remembered_pose(item)
        return RecallMatch(
            node_id=item.id,
            label=item.label if in_view else item.remembered,
            score=0.9,
            pose=pose,
            size=(0.1, 0.1, 0.1),
            why=why,
            viewpoint=place.standing if place else None,
            room=place.room if place else "",
            place=place.id if place else "",
            containers=(place.id,) if place and place.occludes else (),
            must_open=place.id if place and place.hides else "",
        )

    def resolve(self, query: ResolveQuery) -> ResolveResult:
        reference = query.reference.lower()
        node = query.requester if reference == "me" else reference
        every = [*self.home.places.values(), *self.home.agents.values()]
        fits = [p for p in every if node in (p.id, p.label.lower(), *p.aliases)]
        if len(fits) == 1:
            return self._resolved(fits[0])
        lamp = next((each for each in self.home.lamps.values() if each.switch == query.reference), None)
        if lamp is not None:
            standing = Pose.planar(lamp.x - STANDOFF, lamp.y, 0.0)
            return ResolveResult(
                ResolveStatus.FOUND, "known", standing, lamp.pose, NodeKind.OBJECT.value, lamp.switch
            )
        item = self.home.objects.get(query.reference)
        if item is not None and item.remembered:
            return self._resolved_object(item)
        room = next((i for i, label in self.home.rooms.items() if node in (i, label)), "")
        if room:
            return self._resolved_room(room)
        return ResolveResult(ResolveStatus.NOT_FOUND, f"{reference} is not known")

    def _resolved(self, place: HomePlace) -> ResolveResult:
        kind = "agent" if place.id in self.home.agents else "place"
        return ResolveResult(ResolveStatus.FOUND, "known", place.standing, place.pose, kind, place.id)

    def _resolved_object(self, item: HomeObject) -> ResolveResult:
        place = self.home.places[item.remembered_at or item.place]
        pose = self.home.remembered_pose(item)
        return ResolveResult(ResolveStatus.FOUND, "known", place.standing, pose, "object", item.id)

    def _resolved_room(self, room: str) -> ResolveResult:
        node = self.home.graph().by_id[room]
        return ResolveResult(ResolveStatus.FOUND, "known", node.pose, node.pose, "room", room)

    def locate(self, call: CallLocate) -> LocateResult:
        if not self.locator_alive:
            raise PeerUnavailable("locator")
        term = normalize_term(call.query)
        hits = tuple(o for o in self.home.visible() if term in _names(o.label, (*o.synonyms, o.remembered)))
        self.looks[call.call_id] = hits
        status = LocateStatus.FOUND if hits else LocateStatus.NOT_IN_VIEW
        boxes = tuple(Detection(Box(0.0, 0.0, 10.0, 10.0), o.label, 0.9) for o in hits)
        return LocateResult(status, status.name.lower(), call.query, "head", call.detector, boxes)

    def observe(self, call: CallObserve) -> ObserveResult:
        items = self.looks.get(call.located, ())
        for item in items:
            item.remembered = item.remembered or item.label
            item.remembered_at = item.place
        matches = tuple(self._match(o, "seen now", in_view=True) for o in items)
        return ObserveResult(ObserveStatus.REMEMBERED, "", matches)

    def edit(self, edit: MemoryEdit) -> EditResult:
        if edit.operation != EditOperation.STATE or edit.node_id not in self.home.graph().by_id:
            return super().edit(edit)
        self.home.note(edit.node_id, edit.label, StateSource.REPORTED if edit.other else StateSource.TOLD)
        return EditResult(EditStatus.EDITED, "noted")

    def read_scene(self) -> tuple[SceneGraph, Pose]:
        return self.home.graph(), Pose.planar(self.home.x, self.home.y, 0.0)

    def send_skill(self, call: SendSkill) -> SkillResult:
        skill = SKILLS.get(call.goal.rskill_id)
        if skill is None:
            return SkillResult(SkillStatus.UNSUPPORTED, "no such skill")
        return skill(self.home, call.goal.params)

    def cancel_skill(self, call: CancelSkill) -> SkillResult:
        return SkillResult(SkillStatus.CANCELLED, "stopped")


def _names(label: str, synonyms: tuple[str, ...]) -> set[str]:
    plain = normalize_term(label)
    return {plain, plain.split()[-1] if plain else "", *synonyms} - {""}
