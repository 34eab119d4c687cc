"""World model: integrates detections into spatial memory and answers queries about the home.

It composes lifting, data association, negative evidence, container states and queries.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from openral_core.detectors import Detection
from openral_core.errors import OpenRALError
from openral_core.geometry import Pose
from openral_core.object_states import NAME_OF, OPENING, StateReport, StateSource
from openral_core.spatial_memory import (
    EditOperation,
    EditResult,
    MemoryEdit,
    NodeKind,
    ObserveResult,
    Opening,
    Presence,
    RecallQuery,
    RecallResult,
    ResolveQuery,
    ResolveResult,
    SceneGraph,
    SceneNode,
)
from openral_core.text import Thesaurus
from openral_world_state.data_association import AssociationGates, DataAssociator
from openral_world_state.depth_camera import DepthView
from openral_world_state.existence import is_confirmed
from openral_world_state.lifting import AmbiguousDepth, DepthModel
from openral_world_state.map_association import MapAssociator
from openral_world_state.navigation import FloorGrid, Routes
from openral_world_state.negative_evidence import DetectorVocabularies, ExistenceDecay, NegativeEvidence
from openral_world_state.observation import ObservationFrame, lift_detections
from openral_world_state.people import PERSON, is_person
from openral_world_state.queries.edit import EditHistory, edit
from openral_world_state.queries.observe import build_observe_result
from openral_world_state.queries.recall import MatchBuilder, RecallRequestHandler
from openral_world_state.queries.resolve import ReferenceNames, ResolveRequestHandler
from openral_world_state.scene_graph import home_edges, locate_in_home, object_edges, route_edges
from openral_world_state.spatial_memory.memory import CapacityError, MemoryLimits, SpatialMemory
from openral_world_state.spatial_memory.record import ObjectRecord, record_from_node
from openral_world_state.static_map import StaticMap
from openral_world_state.tracking import HeldObjectTracker, ImageClock
from openral_world_state.world.agents import AgentPoseMemory
from openral_world_state.world.container_state import ContainerStates, estimate_opening
from openral_world_state.world.object_states import ObjectStates


@dataclass(frozen=True, slots=True)
class WorldModelSettings:
    """Settings of the world model.

    Args:
        optics: Range and noise of the depth cameras.
        gates: Gates of data association.
        decay: Counts of misses that make an object stale and gone.
        limits: Largest number of objects.
        standoff: Distance from the robot's base to an object it looks at or reaches for [m].
        robot_radius: Radius of the robot's base [m].
        map_epoch: Number of the current map; objects of another one have no usable pose.
        lateness: Age up to which an image is late and not of a restarted clock [s]; see `ImageClock`.
        default_agent: Speaker of a request that names none, "" for the first agent of the map.
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
    """Records that one frame touched, its observations, and the reasons why boxes were refused."""

    records: tuple[ObjectRecord, ...]
    frame: ObservationFrame
    refusals: tuple[OpenRALError, ...] = ()


class WorldModel:
    """Static map, spatial memory, and the queries about both.

    Args:
        memory: Records and their file.
        home: Static map.
        settings: Limits and gates.
        thesaurus: Relates labels to the words of a query.
    """

    def __init__(
        self, memory: SpatialMemory, home: StaticMap, settings: WorldModelSettings, thesaurus: Thesaurus
    ) -> None:
        self.memory, self.settings = memory, settings
        self.vocabularies = DetectorVocabularies(thesaurus)
        self._thesaurus, self._edits, self._speaker = thesaurus, EditHistory(), ""
        self._image_clock = ImageClock(memory, settings.lateness)
        self.object_states = ObjectStates(memory)
        self._associator = DataAssociator(
            memory, thesaurus, settings.gates, settings.map_epoch, settings.limits
        )
        self.change_home(home)

    def change_home(self, home: StaticMap) -> None:
        """Replace the static map, as when more of the home was seen; what else is known stays."""
        memory, settings, thesaurus = self.memory, self.settings, self._thesaurus
        self.home = home
        memory.reserve(home.nodes)
        self.held_object = HeldObjectTracker(memory, settings.map_epoch)
        self.agent_poses = AgentPoseMemory(memory, home, settings.map_epoch)
        self.container_states = ContainerStates(memory, home)
        self._floor = FloorGrid(home, settings.robot_radius) if home.areas else None
        self._routes = Routes(self._floor, home.base_poses) if self._floor else None
        self._match_builder = MatchBuilder(
            home, self._floor, settings.standoff, self.container_states.openings, self.object_states.of
        )
        self._names = ReferenceNames(home, thesaurus)
        self._map_associator = MapAssociator(home, thesaurus)
        self._map_associator.take_over(memory)
        self._negative_evidence = NegativeEvidence(
            memory=memory,
            home=home,
            thesaurus=thesaurus,
            vocabularies=self.vocabularies,
            decay=settings.decay,
            optics=settings.optics,
            openings=self.container_states.openings,
            map_epoch=settings.map_epoch,
        )

    @property
    def default_agent(self) -> str:
        """Id of the speaker of a request that names none; "" if no person is known.

        Without people in the map it is the person who was seen most often when this was first needed, for as
        long as they are known: a visitor who is seen more often later is not taken for the speaker.
        """
        if self.settings.default_agent or self.home.agents:
            return self.settings.default_agent or self.home.agents[0].id
        people = [node.id for node in self.seen_people]
        speaker = self.memory.current_id(self._speaker)
        self._speaker = speaker if speaker in people else next(iter(people), "")
        return self._speaker

    @property
    def seen_people(self) -> list[SceneNode]:
        """People in memory as nodes of kind agent, the most often seen first; none if the map has people."""
        if self.home.agents:
            return []
        usable = [
            replace(record.node(), kind=NodeKind.AGENT)
            for record, _ in self.memory.hits(PERSON)
            if is_person(record.label, self._thesaurus)
            and record.presence is not Presence.GONE
            and record.map_epoch == self.settings.map_epoch
            and is_confirmed(record)
        ]
        return sorted(usable, key=lambda node: (-node.observations, node.id))

    def integrate(self, view: DepthView, detections: Sequence[Detection], source: str) -> IntegrationResult:
        """Integrate a frame of a continuous detector: update seen objects, count misses of absent ones."""
        frame, refusals = lift_detections(
            view, detections, source, self.settings.optics, self._thesaurus, from_query=False
        )
        return self._integrate(view, frame, refusals, negative_evidence=True)

    def observe(self, view: DepthView, detections: Sequence[Detection], source: str) -> ObserveResult:
        """Integrate the answer to a query, and describe what became of it."""
        return self.describe_answer(self.integrate_answer(view, detections, source))

    def integrate_answer(
        self, view: DepthView, detections: Sequence[Detection], source: str
    ) -> IntegrationResult:
        """Integrate the answer to a query; it is no evidence about objects that were not asked for."""
        frame, refusals = lift_detections(
            view, detections, source, self.settings.optics, self._thesaurus, from_query=True
        )
        return self._integrate(view, frame, refusals, negative_evidence=False)

    def describe_answer(self, result: IntegrationResult) -> ObserveResult:
        """Describe what became of the answer to a query."""
        return build_observe_result(
            result.records, result.frame, result.refusals, self._match_builder, self.memory.revision
        )

    def recall(
        self, query: RecallQuery, now: float, similar_labels: Sequence[tuple[str, float]] = ()
    ) -> RecallResult:
        """Search memory at time ``now`` [s]; ``similar_labels`` are near in meaning, by embeddings."""
        return RecallRequestHandler(
            memory=self.memory,
            map_epoch=self.settings.map_epoch,
            describe=self._match_builder.match,
            room_of=lambda record: locate_in_home(record, self.home).room,
            find_room=self._find_room,
            similar_labels=similar_labels,
        ).handle(query, now)

    def resolve(self, query: ResolveQuery) -> ResolveResult:
        """Resolve a reference to a room, place, person or object to a pose and a route."""
        return ResolveRequestHandler(
            home=self.home,
            memory=self.memory,
            names=self._names,
            floor=self._floor,
            routes=self._routes,
            viewpoint=self._match_builder.viewpoint,
            last_pose_of=self.agent_poses.last_pose_of,
            map_epoch=self.settings.map_epoch,
            default_agent=self.default_agent,
            people={node.id: node for node in self.seen_people},
            standoff=self.settings.standoff,
        ).handle(query)

    def edit(self, request: MemoryEdit) -> EditResult:
        """Apply an operator's correction."""
        if request.operation == EditOperation.STATE:
            if NAME_OF.get(request.label) == OPENING:
                self.container_states.set(request.node_id, Opening(request.label))
            return self.object_states.edit(request, self.home.nodes)
        return edit(self.memory, request, self._thesaurus, self._edits, self.settings.map_epoch)

    def report_state(self, report: StateReport) -> bool:
        """Note a reported state; return False if nothing is known of what it is about."""
        what, value = report.what, report.value
        if not isinstance(what, str):
            return self.object_states.set_at(what, str(value), report.source, report.stamp)
        if what in self.container_states and NAME_OF.get(str(value), OPENING) == OPENING:
            fraction = value if isinstance(value, float) else float(value == "open")
            if self.container_states.on_skill_result(what, fraction):
                opening = self.container_states.openings[what].value
                self.object_states.set(what, opening, report.source, report.stamp)
            return True
        node = self.memory.current_id(what) if what in self.memory else what
        if isinstance(value, float) or (what not in self.memory and what not in self.home.nodes):
            return False
        self.object_states.set(node, value, report.source, report.stamp)
        return True

    def graph(self) -> SceneGraph:
        """Build the scene graph of the home and all records."""
        records = sorted(self.memory, key=lambda record: record.id)
        edges = [*home_edges(self.home), *route_edges(self._routes.edges if self._routes else ())]
        for record in records:
            edges.extend(object_edges(record, self.home, self.memory, self.settings.map_epoch))
        fixed = (
            replace(node, opening=self.container_states.openings.get(node.id, node.opening))
            for node in self.home.nodes.values()
        )
        people = {node.id: node for node in self.seen_people}
        stateless = (*fixed, *(people.get(record.id) or record.node() for record in records))
        nodes = tuple(replace(node, states=self.object_states.of(node.id)) for node in stateless)
        return SceneGraph(nodes, tuple(edges), self.settings.map_epoch, self.memory.revision)

    def update_held_object(self, label: str, gripper: Pose | None, stamp: float) -> None:
        """Update what the gripper holds.

        Args:
            label: Label of the held object as the skill server reports it, "" if the gripper is empty.
            gripper: Pose of the gripper in map, None if unknown.
            stamp: Now [s].

        Raises:
            UnreadableText: If the label names nothing.
        """
        if label and not self.held_object.held and gripper is not None:
            self.held_object.grasp(label, gripper)
        if not label:
            self.held_object.release(gripper, stamp)
        self.memory.commit()

    def _integrate(
        self,
        view: DepthView,
        frame: ObservationFrame,
        refusals: tuple[OpenRALError, ...],
        *,
        negative_evidence: bool,
    ) -> IntegrationResult:
        self._image_clock.advance(view.stamp)
        self.object_states.advance(view.stamp)
        for site in self.home.containers:
            opening = estimate_opening(view, site, self.settings.optics.farthest)
            if self.container_states.set(site.node.id, opening):
                self.object_states.set(site.node.id, opening.value, StateSource.SEEN)
        x, y, z = view.camera_position.tolist()
        nodes = [self._map_associator.node_shown(view, each) for each in frame.observations]
        free = tuple(each for each, node in zip(frame.observations, nodes, strict=True) if node is None)
        stored = iter(self._associator.associate(free, (x, y, z), self.held_object.held))
        outcomes = [next(stored) if node is None else record_from_node(node) for node in nodes]
        result = split_outcomes(frame, refusals, outcomes)
        if negative_evidence:
            self._negative_evidence.apply(view, frame.source, {record.id for record in result.records})
            self._negative_evidence.drop_tentative(view.stamp)
        self.memory.commit()
        return result

    def _find_room(self, name: str) -> str:
        ids = [name] if name in self.home.nodes else self._names.matching(name)
        return next((node_id for node_id in ids if self.home.nodes[node_id].kind is NodeKind.ROOM), "")


def split_outcomes(
    frame: ObservationFrame,
    refusals: tuple[OpenRALError, ...],
    outcomes: Sequence[ObjectRecord | CapacityError | AmbiguousDepth],
) -> IntegrationResult:
    """Split the outcomes of association into records and the errors of the others."""
    pairs = [(o, r) for o, r in zip(frame.observations, outcomes, strict=True) if isinstance(r, ObjectRecord)]
    errors = tuple(outcome for outcome in outcomes if not isinstance(outcome, ObjectRecord))
    kept_frame = replace(
        frame,
        observations=tuple(observation for observation, _ in pairs),
        refused=(*frame.refused, *map(str, errors)),
    )
    return IntegrationResult(tuple(record for _, record in pairs), kept_frame, (*refusals, *errors))
