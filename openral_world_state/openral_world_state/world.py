"""The world as remembered: takes looks in, answers questions."""
# MERGED How a world is kept.
# MERGED A world from its files.

import json
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from pydantic import TypeAdapter

from openral_core.detections import Detection
from openral_core.errors import OpenRALError
from openral_core.geometry import Pose
from openral_core.home_map import HomeMap
from openral_core.memory_queries import (
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
from openral_world_state.agents import AgentPoseMemory
from openral_world_state.container_state import ContainerStates, estimate_opening
from openral_world_state.data_association import AssociationGates, DataAssociator
from openral_world_state.held_object import HeldObjectTracker
from openral_world_state.home.loaders import static_map_from_graph, static_map_from_home
from openral_world_state.home.model import StaticMap
from openral_world_state.lifting.camera import DepthView
from openral_world_state.lifting.lift import DepthModel
from openral_world_state.navigation.grid import FloorGrid
from openral_world_state.navigation.routes import Routes
from openral_world_state.negative_evidence import DetectorVocabularies, ExistenceDecay, NegativeEvidence
from openral_world_state.observation import ImageTime, ObservationFrame
from openral_world_state.queries.edit import edit
from openral_world_state.queries.observe import build_observe_result, lift_detections
from openral_world_state.queries.recall import MatchBuilder, RecallRequestHandler
from openral_world_state.queries.resolve import ReferenceNames, ResolveRequestHandler
from openral_world_state.scene_graph.build import home_edges, locate_in_home, object_edges, route_edges
from openral_world_state.scene_graph.json_io import GraphDocument, document_of, graph_of, read_graph
from openral_world_state.spatial_memory.errors import reading
from openral_world_state.spatial_memory.memory import SpatialMemory
from openral_world_state.spatial_memory.record import ObjectRecord, record_of
from openral_world_state.track_update import CapacityError, MemoryLimits


@dataclass(frozen=True, slots=True)
class WorldModelSettings:
    """Limits of depth and memory, gates of association, decay; ``standoff`` and ``robot_radius`` in [m].

    ``map_epoch``: what was remembered in another has no usable pose; ``lateness``: see `ImageTime` [s].
    """

    optics: DepthModel = field(default_factory=DepthModel)
    gates: AssociationGates = field(default_factory=AssociationGates)
    decay: ExistenceDecay = field(default_factory=ExistenceDecay)
    limits: MemoryLimits = field(default_factory=MemoryLimits)
    standoff: float = 0.7
    robot_radius: float = 0.33
    map_epoch: int = 0
    lateness: float = 10.0
    default_agent: str = ""


@dataclass(frozen=True, slots=True)
class IntegrationResult:
    """What came of one look: the records it touched, and why boxes were refused."""

    records: tuple[ObjectRecord, ...]
    snapshot: ObservationFrame
    refusals: tuple[OpenRALError, ...] = ()


class WorldModel:
    """A home, what is remembered in it, and the questions about it.

    Args:
        memory: The records and their file.
        home: What does not move.
        settings: Limits and gates.
        thesaurus: Decides which label answers which words.
    """

    def __init__(
        self, memory: SpatialMemory, home: StaticMap, settings: WorldModelSettings, thesaurus: Thesaurus
    ) -> None:
        self.memory, self.home, self.settings = memory, home, settings
        self.vocabularies = DetectorVocabularies(thesaurus)
        self.carrying = HeldObjectTracker(memory, settings.map_epoch)
        self.standing = AgentPoseMemory(memory, home, settings.map_epoch)
        self.openings = ContainerStates(memory, home)
        self._thesaurus = thesaurus
        self._time = ImageTime(memory, settings.lateness)
        self._floor = FloorGrid(home, settings.robot_radius) if home.areas else None
        self._routes = Routes(self._floor, _stands(home)) if self._floor else None
        self._describer = MatchBuilder(home, self._floor, settings.standoff, self.openings.known)
        self._names = ReferenceNames(home, thesaurus)
        self._associator = DataAssociator(
            memory, thesaurus, settings.gates, settings.map_epoch, settings.limits
        )
        self._fading = NegativeEvidence(
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

    def take_in(self, view: DepthView, detections: Sequence[Detection], source: str) -> IntegrationResult:
        """What a continuous detector saw: known objects are updated, missing ones fade."""
        snapshot, refusals = lift_detections(
            view, detections, source, self.settings.optics, self._thesaurus, asked=False
        )
        return self._remember(view, snapshot, refusals, fade=True)

    def observe(self, view: DepthView, detections: Sequence[Detection], source: str) -> ObserveResult:
        """Remember what was asked for and found; what the detector was not asked about does not fade."""
        snapshot, refusals = lift_detections(
            view, detections, source, self.settings.optics, self._thesaurus, asked=True
        )
        seen = self._remember(view, snapshot, refusals, fade=False)
        return build_observe_result(
            seen.records, seen.snapshot, seen.refusals, self._describer, self.memory.revision
        )

    def recall(self, query: RecallQuery, now: float, alike: Sequence[tuple[str, float]] = ()) -> RecallResult:
        """What memory knows of some words at time ``now`` [s]; ``alike`` are labels near in meaning."""
        return RecallRequestHandler(
            memory=self.memory,
            map_epoch=self.settings.map_epoch,
            describe=self._describer.match,
            room_of=self._room_of,
            rooms=self._room_named,
            alike=alike,
        ).ask(query, now)

    def resolve(self, query: ResolveQuery) -> ResolveResult:
        """Where a room, place, person or object is and how to get there."""
        return ResolveRequestHandler(
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
        self, view: DepthView, snapshot: ObservationFrame, refusals: tuple[OpenRALError, ...], *, fade: bool
    ) -> IntegrationResult:
        self._time.advance(view.stamp)
        self._look_at_doors(view)
        x, y, z = view.eye.tolist()
        taken = self._associator.take_in(snapshot.observations, (x, y, z), self.carrying.held)
        seen = _seen(snapshot, refusals, taken)
        if fade:
            self._fading.fade(view, snapshot.source, {record.id for record in seen.records})
        self.memory.commit()
        return seen

    def _look_at_doors(self, view: DepthView) -> None:
        for site in self.home.containers:
            seen = estimate_opening(view, site, self.settings.optics.farthest)
            self.openings.put(site.node.id, seen)

    def _room_of(self, record: ObjectRecord) -> str:
        return locate_in_home(record, self.home).room

    def _room_named(self, name: str) -> str:
        ids = [name] if name in self.home.nodes else self._names.answering(name)
        return next((each for each in ids if self.home.nodes[each].kind is NodeKind.ROOM), "")


def _seen(
    snapshot: ObservationFrame,
    refusals: tuple[OpenRALError, ...],
    taken: Sequence[ObjectRecord | CapacityError],
) -> IntegrationResult:
    """What was remembered of a snapshot, and what was not for want of room."""
    kept = [(o, r) for o, r in zip(snapshot.observations, taken, strict=True) if isinstance(r, ObjectRecord)]
    crowded = tuple(each for each in taken if isinstance(each, CapacityError))
    told = replace(
        snapshot,
        observations=tuple(observation for observation, _ in kept),
        refused=(*snapshot.refused, *map(str, crowded)),
    )
    return IntegrationResult(tuple(record for _, record in kept), told, (*refusals, *crowded))


def _stands(home: StaticMap) -> dict[str, Pose]:
    return {site.node.id: site.standing for site in home.sites if site.standing is not None}


_HOME = "home"
_GRAPH: TypeAdapter[GraphDocument | None] = TypeAdapter(GraphDocument | None)


def open_world(
    home_map: HomeMap | None,
    memory_path: str,
    settings: WorldModelSettings,
    thesaurus: Thesaurus,
    *,
    newest_map: bool = False,
) -> WorldModel:
    """The world that a map and a memory file describe.

    Args:
        home_map: Rooms and furniture; None takes those of the memory file.
        memory_path: "" for a memory that dies with the process; ``*.json`` is read once and stays as
            it is; anything else is the SQLite file that memory lives in, made when missing.
        settings: Limits and gates.
        thesaurus: Decides which label answers which words.
        newest_map: Take the newest map epoch that memory holds, whatever the settings say.

    Raises:
        InvalidDocument: If the JSON is not a graph.
        MemoryRefused: If the file cannot be used as memory; it is left untouched.
    """
    if memory_path.endswith(".json"):
        graph = read_graph(Path(memory_path))
        memory = SpatialMemory(None, thesaurus)
        import_graph(memory, graph)
    else:
        memory = SpatialMemory(Path(memory_path) if memory_path else None, thesaurus)
    try:
        if newest_map:
            settings = replace(settings, map_epoch=_newest_map(memory))
        epoch = settings.map_epoch
        _unanchor(memory, epoch)
        home = static_map_from_home(home_map, epoch) if home_map else _remembered_home(memory, epoch)
        return WorldModel(memory, home, settings, thesaurus)
    except OpenRALError:
        memory.abandon()
        raise


def import_graph(memory: SpatialMemory, graph: SceneGraph) -> None:
    """Take the objects of a graph in, over those of the same ids, and its fixed part as the home."""
    for node in graph.of_kind(NodeKind.OBJECT):
        if node.source != "map":
            memory.touch(record_of(node))
    fixed = [n for n in graph.nodes if n.kind is not NodeKind.OBJECT or n.source == "map"]
    ids = {node.id for node in fixed}
    edges = tuple(e for e in graph.edges if e.source in ids and e.target in ids)
    memory.put_fact(_HOME, json.dumps(document_of(SceneGraph(tuple(fixed), edges))))
    memory.commit()


def _unanchor(memory: SpatialMemory, map_epoch: int) -> None:
    """Objects of an older map are not where their pose says: the next one seen of their name is theirs."""
    for record in memory:
        if record.map_epoch < map_epoch and not record.misses:
            record.misses = 1
            memory.touch(record)
    memory.commit()


def _newest_map(memory: SpatialMemory) -> int:
    graph = _remembered_graph(memory)
    return max((each.map_epoch for each in (*memory, *graph.nodes)), default=0)


def _remembered_graph(memory: SpatialMemory) -> SceneGraph:
    document = memory.fact(_HOME, _GRAPH, None)
    with reading(memory.name):
        return SceneGraph() if document is None else graph_of(document)


def _remembered_home(memory: SpatialMemory, map_epoch: int) -> StaticMap:
    """The fixed part that was imported into memory, as far as it is of this map."""
    graph = _remembered_graph(memory)
    nodes = tuple(node for node in graph.nodes if node.map_epoch == map_epoch)
    ids = {node.id for node in nodes}
    return static_map_from_graph(
        SceneGraph(nodes, tuple(e for e in graph.edges if {e.source, e.target} <= ids))
    )
