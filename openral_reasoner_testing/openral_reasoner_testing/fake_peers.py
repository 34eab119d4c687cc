"""Memory, locator and skill server of a symbolic home: a command in, an event out."""

from collections.abc import Callable, Mapping

from openral_core.detectors import Box, Detection, LocateResult, LocateStatus
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
from openral_reasoner.events import (
    CallFailed,
    Event,
    Located,
    Observed,
    Recalled,
    Resolved,
    SceneRead,
    SkillEnded,
)
from openral_reasoner.search import normalize_term
from openral_reasoner_testing.symbolic_home import SKILLS, HomeObject, HomePlace, SymbolicHome


class HomePeers:
    """Answers every command that a peer would answer; ``locator_alive`` may be cleared at any time."""

    def __init__(self, home: SymbolicHome) -> None:
        self.home = home
        self.locator_alive = True
        self.looks: dict[str, tuple[HomeObject, ...]] = {}
        self._table: Mapping[type, Callable[..., Event]] = {
            CallRecall: self._recall,
            CallResolve: self._resolve,
            CallLocate: self._locate,
            CallObserve: self._observe,
            ReadScene: self._read,
            SendSkill: self._skill,
            CancelSkill: self._cancel,
            ChangeState: self._change,
        }

    def answer(self, command: Command) -> Event | None:
        """The event that a peer answers with, None where no peer is asked."""
        peer = self._table.get(type(command))
        return peer(command) if peer else None

    def _recall(self, command: CallRecall) -> Event:
        words = normalize_term(command.query.query)
        known = [o for o in self.home.objects.values() if o.remembered and o.id != self.home.holding]
        hits = [self._match(o, "same label") for o in known if words in _names(o.remembered, o.synonyms)]
        near = [self._match(o, "broader label") for o in known if words in o.broader]
        if hits:
            result = RecallResult(RecallStatus.FOUND, f"{len(hits)} remembered", tuple(hits))
        else:
            result = RecallResult(RecallStatus.NOT_IN_MEMORY, f"{words} is not in memory", (), tuple(near))
        return Recalled(call_id=command.call_id, result=result)

    def _match(self, thing: HomeObject, why: str, *, seen: bool = False) -> RecallMatch:
        place = self.home.places.get(thing.place if seen else thing.remembered_at or thing.place)
        pose = self.home.pose_of(thing) if seen else self.home.remembered_pose(thing)
        return RecallMatch(
            node_id=thing.id,
            label=thing.label if seen else thing.remembered,
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

    def _resolve(self, command: CallResolve) -> Event:
        reference = command.query.reference.lower()
        node = command.query.requester if reference == "me" else reference
        every = [*self.home.places.values(), *self.home.agents.values()]
        fits = [p for p in every if node in (p.id, p.label.lower(), *p.aliases)]
        if len(fits) == 1:
            return Resolved(call_id=command.call_id, result=self._resolved(fits[0]))
        room = next((i for i, label in self.home.rooms.items() if node in (i, label)), "")
        if room:
            return Resolved(call_id=command.call_id, result=self._resolved_room(room))
        result = ResolveResult(ResolveStatus.NOT_FOUND, f"{reference} is not known")
        return Resolved(call_id=command.call_id, result=result)

    def _resolved(self, place: HomePlace) -> ResolveResult:
        kind = "agent" if place.id in self.home.agents else "place"
        return ResolveResult(ResolveStatus.FOUND, "known", place.standing, place.pose, kind, place.id)

    def _resolved_room(self, room: str) -> ResolveResult:
        node = self.home.graph().by_id[room]
        return ResolveResult(ResolveStatus.FOUND, "known", node.pose, node.pose, "room", room)

    def _locate(self, command: CallLocate) -> Event:
        if not self.locator_alive:
            return CallFailed(call_id=command.call_id, condition="unavailable", message="the locator is gone")
        words = normalize_term(command.query)
        seen = tuple(o for o in self.home.visible() if words in _names(o.label, (*o.synonyms, o.remembered)))
        self.looks[command.call_id] = seen
        status = LocateStatus.FOUND if seen else LocateStatus.NOT_IN_VIEW
        boxes = tuple(Detection(Box(0.0, 0.0, 10.0, 10.0), o.label, 0.9) for o in seen)
        result = LocateResult(status, status.name.lower(), command.query, "head", command.detector, boxes)
        return Located(call_id=command.call_id, result=result)

    def _observe(self, command: CallObserve) -> Event:
        seen = self.looks.get(command.located, ())
        for thing in seen:
            thing.remembered = thing.remembered or thing.label
            thing.remembered_at = thing.place
        matches = tuple(self._match(o, "seen now", seen=True) for o in seen)
        return Observed(call_id=command.call_id, result=ObserveResult(ObserveStatus.REMEMBERED, "", matches))

    def _read(self, command: ReadScene) -> Event:
        robot = Pose.planar(self.home.x, self.home.y, 0.0)
        return SceneRead(call_id=command.call_id, graph=self.home.graph(), robot=robot)

    def _skill(self, command: SendSkill) -> Event:
        skill = SKILLS.get(command.goal.rskill_id)
        if skill is None:
            result = SkillResult(SkillStatus.UNSUPPORTED, "no such skill")
        else:
            result = skill(self.home, command.goal.params)
        return SkillEnded(call_id=command.call_id, result=result)

    def _cancel(self, command: CancelSkill) -> Event:
        return SkillEnded(call_id=command.call_id, result=SkillResult(SkillStatus.CANCELLED, "stopped"))

    def _change(self, command: ChangeState) -> Event:
        return CallFailed(call_id=command.call_id, condition="unavailable", message="no such peer")


def _names(label: str, synonyms: tuple[str, ...]) -> set[str]:
    plain = normalize_term(label)
    return {plain, plain.split()[-1] if plain else "", *synonyms} - {""}
