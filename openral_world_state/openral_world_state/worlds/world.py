"""The world as remembered: takes looks in, answers questions."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from openral_core.detections import Detection
from openral_core.errors import OpenRALError
from openral_core.geometry import Pose
from openral_core.queries import (
    EditResult,
    MemoryEdit,
    ObserveResult,
    RecallQuery,
    RecallResult,
    ResolveQuery,
    ResolveResult,
)
from openral_core.scene_graph import NodeKind, SceneGraph
from openral_core.text import Thesaurus
from openral_world_state.absences import Vocabularies, opening_of
from openral_world_state.associations import Associator, NoRoom
from openral_world_state.corrections import edit
from openral_world_state.floors import Floor, Routes
from openral_world_state.homes import Home
from openral_world_state.memories import Memory, Record
from openral_world_state.observations import Snapshot
from openral_world_state.recalls import Describer, Recall
from openral_world_state.resolves import Names, Resolve
from openral_world_state.structures import home_edges, object_edges, route_edges, situation_of
from openral_world_state.views import View
from openral_world_state.worlds.carrying import Carrying
from openral_world_state.worlds.fading import Fading
from openral_world_state.worlds.image_time import ImageTime
from openral_world_state.worlds.looks import look
from openral_world_state.worlds.observing import observe_result
from openral_world_state.worlds.openings import Openings
from openral_world_state.worlds.settings import Settings
from openral_world_state.worlds.standing import Standing


@dataclass(frozen=True, slots=True)
class Seen:
    """What came of one look: the records it touched, and why boxes were refused."""

    records: tuple[Record, ...]
    snapshot: Snapshot
    refusals: tuple[OpenRALError, ...] = ()


class World:
    """A home, what is remembered in it, and the questions about it.

    Args:
        memory: The records and their file.
        home: What does not move.
        settings: Limits and gates.
        thesaurus: Decides which label answers which words.
    """

    def __init__(self, memory: Memory, home: Home, settings: Settings, thesaurus: Thesaurus) -> None:
        self.memory, self.home, self.settings = memory, home, settings
        self.vocabularies = Vocabularies(thesaurus)
        self.carrying = Carrying(memory, settings.map_epoch)
        self.standing = Standing(memory, home, settings.map_epoch)
        self.openings = Openings(memory, home)
        self._thesaurus = thesaurus
        self._time = ImageTime(memory, settings.lateness)
        self._floor = Floor(home, settings.robot_radius) if home.areas else None
        self._routes = Routes(self._floor, _stands(home)) if self._floor else None
        self._describer = Describer(home, self._floor, settings.standoff, self.openings.known)
        self._names = Names(home, thesaurus)
        self._associator = Associator(memory, thesaurus, settings.gates, settings.map_epoch, settings.limits)
        self._fading = Fading(
            memory=memory,
            home=home,
            thesaurus=thesaurus,
            vocabularies=self.vocabularies,
            decay=settings.decay,
            optics=settings.optics,
            openings=self.openings.known,
            map_epoch=settings.map_epoch,
        )

    @property
    def default_agent(self) -> str:
        """Who speaks when nobody is named; "" when nobody is known."""
        return self.settings.default_agent or next((agent.id for agent in self.home.agents), "")

    def take_in(self, view: View, detections: Sequence[Detection], source: str) -> Seen:
        """What a continuous detector saw: known objects are updated, missing ones fade."""
        snapshot, refusals = look(
            view, detections, source, self.settings.optics, self._thesaurus, asked=False
        )
        return self._remember(view, snapshot, refusals, fade=True)

    def observe(self, view: View, detections: Sequence[Detection], source: str) -> ObserveResult:
        """Remember what was asked for and found; what the detector was not asked about does not fade."""
        snapshot, refusals = look(view, detections, source, self.settings.optics, self._thesaurus, asked=True)
        seen = self._remember(view, snapshot, refusals, fade=False)
        return observe_result(
            seen.records, seen.snapshot, seen.refusals, self._describer, self.memory.revision
        )

    def recall(self, query: RecallQuery, now: float, alike: Sequence[tuple[str, float]] = ()) -> RecallResult:
        """What memory knows of some words at time ``now`` [s]; ``alike`` are labels near in meaning."""
        return Recall(
            memory=self.memory,
            map_epoch=self.settings.map_epoch,
            describe=self._describer.match,
            room_of=self._room_of,
            rooms=self._room_named,
            alike=alike,
        ).ask(query, now)

    def resolve(self, query: ResolveQuery) -> ResolveResult:
        """Where a room, place, person or object is and how to get there."""
        return Resolve(
            home=self.home,
            memory=self.memory,
            names=self._names,
            floor=self._floor,
            routes=self._routes,
            viewpoint=self._describer.viewpoint,
            stood=self.standing.of,
            map_epoch=self.settings.map_epoch,
            default_agent=self.default_agent,
            standoff=self.settings.standoff,
        ).ask(query)

    def edit(self, asked: MemoryEdit) -> EditResult:
        """Put memory right, as the operator says."""
        return edit(self.memory, asked, self._thesaurus, self.settings.map_epoch)

    def graph(self) -> SceneGraph:
        """Everything known now."""
        records = sorted(self.memory, key=lambda record: record.id)
        edges = [*home_edges(self.home), *route_edges(self._routes.edges if self._routes else ())]
        for record in records:
            edges.extend(object_edges(record, self.home, self.memory, self.settings.map_epoch))
        fixed = (
            replace(node, opening=self.openings.known.get(node.id, node.opening))
            for node in self.home.nodes.values()
        )
        nodes = (*fixed, *(record.node() for record in records))
        return SceneGraph(nodes, tuple(edges), self.settings.map_epoch, self.memory.revision)

    def hold(self, label: str, gripper: Pose | None, stamp: float) -> None:
        """The gripper holds something called so, or nothing ("").

        Args:
            label: What the skill server says is held.
            gripper: Where the gripper is in map, None when unknown.
            stamp: Now [s].

        Raises:
            UnreadableText: If the label names nothing.
        """
        if label and not self.carrying.held and gripper is not None:
            self.carrying.take(label, gripper)
        if not label:
            self.carrying.release(gripper, stamp)
        self.memory.commit()

    def _remember(
        self, view: View, snapshot: Snapshot, refusals: tuple[OpenRALError, ...], *, fade: bool
    ) -> Seen:
        self._time.advance(view.stamp)
        self._look_at_doors(view)
        x, y, z = view.eye.tolist()
        taken = self._associator.take_in(snapshot.observations, (x, y, z), self.carrying.held)
        seen = _seen(snapshot, refusals, taken)
        if fade:
            self._fading.fade(view, snapshot.source, {record.id for record in seen.records})
        self.memory.commit()
        return seen

    def _look_at_doors(self, view: View) -> None:
        for site in self.home.containers:
            seen = opening_of(view, site, self.settings.optics.farthest)
            self.openings.put(site.node.id, seen)

    def _room_of(self, record: Record) -> str:
        return situation_of(record, self.home).room

    def _room_named(self, name: str) -> str:
        ids = [name] if name in self.home.nodes else self._names.answering(name)
        return next((each for each in ids if self.home.nodes[each].kind is NodeKind.ROOM), "")


def _seen(snapshot: Snapshot, refusals: tuple[OpenRALError, ...], taken: Sequence[Record | NoRoom]) -> Seen:
    """What was remembered of a snapshot, and what was not for want of room."""
    kept = [(o, r) for o, r in zip(snapshot.observations, taken, strict=True) if isinstance(r, Record)]
    crowded = tuple(each for each in taken if isinstance(each, NoRoom))
    told = replace(
        snapshot,
        observations=tuple(observation for observation, _ in kept),
        refused=(*snapshot.refused, *map(str, crowded)),
    )
    return Seen(tuple(record for _, record in kept), told, (*refusals, *crowded))


def _stands(home: Home) -> dict[str, Pose]:
    return {site.node.id: site.standing for site in home.sites if site.standing is not None}
