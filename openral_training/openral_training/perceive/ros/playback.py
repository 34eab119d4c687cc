"""Playback of a recording through the world model, with its own detections or those of other detectors."""

from collections import Counter, deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from math import inf

from sensor_msgs.msg import CompressedImage, Image
from std_msgs.msg import Header, String
from vision_msgs.msg import Detection2DArray

from openral_core.detectors import LocateResult, LocateStatus
from openral_core.home_map import HomeMap
from openral_core.spatial_memory import NodeKind, ObserveStatus, SceneGraph
from openral_core.text import Thesaurus
from openral_msgs.msg import SceneGraph as SceneGraphMessage
from openral_reasoner.events import Located, Observed
from openral_ros.conversions.detections import detections_message
from openral_ros.conversions.spatial_memory import scene_graph_from_message
from openral_ros.conversions.stamps import seconds, stamp_of
from openral_testing.recordings.lives import read_lives
from openral_training.perceive.bag import Bag
from openral_training.perceive.ros.recorded_images import RecordedImageDetector
from openral_training.perceive.ros.streams import (
    EVENTS,
    IMAGE,
    SCENE_GRAPH,
    PlaybackScope,
    StreamNames,
    played,
)
from openral_world_state.ros.inputs import WorldInputs
from openral_world_state.ros.parameters import WorldStateParameters
from openral_world_state.spatial_memory.memory import SpatialMemory
from openral_world_state.static_map import static_map_from_home
from openral_world_state.world.open_world import import_graph, stored_home
from openral_world_state.world.world_model import IntegrationResult, WorldModel

PATIENCE = 5.0
"""Time for which detections wait for depth [s of the recording]: above the period of recorded depth."""
NOT_YET = (ObserveStatus.NO_FRAME, ObserveStatus.STALE_TRANSFORM)
SEARCHED = (LocateStatus.FOUND, LocateStatus.NOT_IN_VIEW)
"""Answers of a locator that looked."""
DEPTHS = 30
"""Depth images of a camera that are kept for its images [count]."""
Searchable = tuple[Image | CompressedImage, Image | None]
"""An image, and its depth for detectors that read it."""
DETECTIONS, INFO = "/objects", "/info"
PERCEPTION = "openral/perception/"


@dataclass(frozen=True, slots=True)
class RecordedQuery:
    """A request to a locator: its result, when it was answered, and the stamp of its image, 0 unknown [s]."""

    result: LocateResult
    answered: float
    stamp: float


@dataclass(slots=True)
class PlaybackCounts:
    """Counts of one playback.

    ``frames`` of the ``offered`` detections were integrated, ``searched`` of the ``queries`` were answered
    and ``remembered`` of those that ``found`` something were stored; ``examples`` has a message of each
    reason in ``refused``.
    """

    images: int = 0
    offered: int = 0
    frames: int = 0
    queries: int = 0
    searched: int = 0
    hits: int = 0
    remembered: int = 0
    duration: float = 0.0
    refused: Counter[str] = field(default_factory=Counter)
    examples: dict[str, str] = field(default_factory=dict)

    @property
    def is_empty(self) -> bool:
        """True if nothing changed memory, and no search says that there was nothing to find."""
        return self.frames + self.remembered == 0 and (self.searched == 0 or self.hits > 0)


@dataclass(frozen=True, slots=True)
class RecordedMemory:
    """Objects remembered when a recording began and ended, with the queries of its missions.

    ``started`` is the stamp of the first image [s]; objects seen before it were remembered already.
    ``ended`` is the time of the last scene graph [s]; what came after it changed nothing that was recorded.
    """

    first: SceneGraph | None
    last: SceneGraph | None
    queries: Sequence[RecordedQuery]
    started: float
    ended: float = inf

    @classmethod
    def read(cls, bag: Bag, names: StreamNames) -> "RecordedMemory":
        """Read the parts of a recording that a playback needs beforehand."""
        streams = names.streams(bag)
        texts = {topic: name for topic, name in streams.items() if name in (SCENE_GRAPH, EVENTS)}
        images = {topic: name for topic, name in streams.items() if IMAGE.match(name)}
        graphs: list[SceneGraphMessage] = []
        lines: list[tuple[float, str]] = []
        ended = inf
        for name, message, time in played(bag, texts, Counter()):
            if name == SCENE_GRAPH:
                graphs, ended = ([graphs[0], message] if graphs else [message]), time
            else:
                lines.append((time, message.data))
        first = next((seconds(image.header.stamp) for _, image, _ in played(bag, images, Counter())), 0.0)
        ends = [scene_graph_from_message(message) for message in (graphs[:1] + graphs[-1:])]
        queries = tuple(recorded_queries(lines))
        return cls(ends[0] if ends else None, ends[-1] if ends else None, queries, first, ended)

    def begun(self) -> SceneGraph:
        """Return the home, and what was remembered of it before the recording began."""
        graph = self.first or SceneGraph()
        nodes = [
            node
            for node in graph.nodes
            if node.kind is not NodeKind.OBJECT or node.source == "map" or node.first_seen < self.started
        ]
        ids = {node.id for node in nodes}
        edges = tuple(edge for edge in graph.edges if edge.source in ids and edge.target in ids)
        return SceneGraph(tuple(nodes), edges, graph.map_epoch)


def recorded_queries(lines: Sequence[tuple[float, str]]) -> Iterator[RecordedQuery]:
    """Yield the requests to locators from the recorded events of the reasoner.

    Memory reports when it saw what it stored, which is the stamp of the image.
    """
    lives = list(read_lives(line for _, line in lines))
    damaged = {number for life in lives for number in life.damaged}
    numbered = enumerate(lines, start=1)
    times = [time for number, (time, line) in numbered if number not in damaged and '"event"' in line]
    steps = [step for life in lives for step in life.steps]
    observed_of: dict[str, str] = {}
    stamps: dict[str, float] = {}
    for step in steps:
        for command in step.commands:
            if command.kind == "call_observe":
                observed_of[command.located] = command.call_id
        if isinstance(step.event, Observed):
            sightings = [match.last_seen for match in step.event.result.matches]
            stamps[step.event.call_id] = max(sightings, default=0.0)
    for time, step in zip(times, steps, strict=False):
        if isinstance(step.event, Located):
            stamp = stamps.get(observed_of.get(step.event.call_id, ""), 0.0)
            yield RecordedQuery(step.event.result, time, stamp)


def open_memory(begun: SceneGraph, home_map: HomeMap | None, parameters: WorldStateParameters) -> WorldModel:
    """Open a world model that ends with this process, with the home and the objects of a graph."""
    thesaurus = Thesaurus.load()
    memory = SpatialMemory(None, thesaurus)
    import_graph(memory, begun)
    settings = parameters.settings()
    home = (
        static_map_from_home(home_map, settings.map_epoch)
        if home_map is not None
        else stored_home(memory, settings.map_epoch)
    )
    return WorldModel(memory, home, settings, thesaurus)


class MemoryPlayback:
    """A world model fed by a recording.

    Args:
        world: Changed by the recording.
        parameters: Of the node that it stands for.
        continuous: Detectors for every recorded image of the primary camera; None for recorded detections.
        locator: Detector for every query; None for recorded answers.
        queries: Requests to locators.
        asked: Queries for every recorded image, beside the recorded ones.
    """

    def __init__(
        self,
        world: WorldModel,
        parameters: WorldStateParameters,
        continuous: Sequence[RecordedImageDetector] | None,
        locator: RecordedImageDetector | None,
        queries: Sequence[RecordedQuery],
        searches: Sequence[str] = (),
    ) -> None:
        self.world, self.counts, self.scope = world, PlaybackCounts(), PlaybackScope()
        self._continuous, self._locator, self._searches = continuous, locator, searches
        self._cameras = parameters.cameras
        self._time, self._begun = 0.0, 0.0
        self._inputs = WorldInputs(
            self.scope, world, parameters, self._on_integrated, clock=lambda: self._time
        )
        self._queries = deque(sorted(queries, key=lambda query: query.answered))
        self._pending: deque[tuple[float, str, str, Detection2DArray]] = deque()
        self._images: dict[str, Searchable] = {}
        self._depths: dict[str, deque[Image]] = {}
        self._unsearched: deque[tuple[float, str, Image | CompressedImage]] = deque()
        self._detectors = (*(continuous or ()), *((locator,) if locator is not None else ()))
        self._needs_depth = any(detector.needs_depth for detector in self._detectors)
        self._tolerance = parameters.depth_tolerance
        for detector in self._detectors:
            world.vocabularies.set(detector.id, detector.detector.labels)

    def run(self, bag: Bag, names: StreamNames, until: float = inf) -> SceneGraph:
        """Play the recording up to a time [s] and return what is remembered then."""
        for name, message, time in played(bag, names.streams(bag), self.scope.failures):
            if time > until:
                break
            self._begun = self._begun or time
            self._time = time
            self._ask_recorded()
            self._dispatch(name, message)
            self._inputs.process()
            self._observe_waiting()
        self.counts.duration = self._time - self._begun
        self._time = float("inf")
        self._search_waiting()
        self._ask_recorded()
        self._inputs.process()
        self._observe_waiting()
        self.counts.refused.update(self._inputs.refused + self.scope.failures)
        for detector in self._detectors:
            self.counts.refused.update(detector.errors)
            self.counts.examples.update(detector.examples)
        self.counts.examples.update({**self.scope.examples, **self._inputs.refusal_examples})
        return self.world.graph()

    def _dispatch(self, name: str, message: object) -> None:
        image = IMAGE.match(name)
        if image is not None:
            self._on_image(image["camera"], message)
        elif name.startswith(PERCEPTION) and name.endswith(DETECTIONS):
            if self._continuous is None:
                self._add_detections(_slug(name), message)
        elif name.startswith(PERCEPTION) and name.endswith(INFO):
            if self._continuous is None:
                self._inputs.add_info(_slug(name), message)
        elif not isinstance(message, String):
            self.scope.publish(name, message)
            if self._needs_depth and isinstance(message, Image) and name.endswith("/depth"):
                self._depths.setdefault(name.removesuffix("/depth"), deque(maxlen=DEPTHS)).append(message)
                self._search_waiting()

    def _add_detections(self, detector: str, message: Detection2DArray) -> None:
        self.counts.offered += 1
        self._inputs.add_detections(detector, message)

    def _on_image(self, camera: str, image: Image | CompressedImage) -> None:
        self.counts.images += 1
        self._unsearched.append((self._time, camera, image))
        self._search_waiting()

    def _search_waiting(self) -> None:
        """Search the images that have what the detectors read, or have waited for it long enough."""
        for _ in range(len(self._unsearched)):
            since, camera, image = self._unsearched.popleft()
            depth = self._depth_of(camera, image)
            if self._needs_depth and depth is None and self._time - since < PATIENCE:
                self._unsearched.append((since, camera, image))
            else:
                self._search(camera, (image, depth))

    def _depth_of(self, camera: str, image: Image | CompressedImage) -> Image | None:
        stamp = seconds(image.header.stamp)
        apart = [(abs(seconds(depth.header.stamp) - stamp), depth) for depth in self._depths.get(camera, ())]
        nearest = min(apart, key=lambda each: each[0], default=None)
        return nearest[1] if nearest is not None and nearest[0] <= self._tolerance else None

    def _search(self, camera: str, image: Searchable) -> None:
        self._images[camera] = image
        if camera == self._cameras[0]:
            for detector in self._continuous or ():
                detections = detector.detect(camera, *image)
                if detections is not None:
                    self._add_detections(detector.id, detections)
        for query in self._searches if self._locator is not None else ():
            self._locate(query, camera, image)

    def _ask_recorded(self) -> None:
        """Repeat the recorded queries whose answers came by now."""
        while self._queries and self._queries[0].answered <= self._time:
            query = self._queries.popleft()
            image = self._images.get(query.result.camera)
            if self._locator is None:
                self.counts.queries += 1
                self.counts.searched += query.result.status in SEARCHED
                if query.result.status is LocateStatus.FOUND and query.stamp:
                    self._keep(query.result, Header(stamp=stamp_of(query.stamp)))
            elif image is not None:
                self._locate(query.result.query, query.result.camera, image)

    def _locate(self, query: str, camera: str, image: Searchable) -> None:
        if self._locator is not None:
            self.counts.queries += 1
            result = self._locator.locate(query, camera, *image)
            self.counts.searched += result.status in SEARCHED
            if result.status is LocateStatus.FOUND:
                self._keep(result, image[0].header)

    def _keep(self, result: LocateResult, header: Header) -> None:
        """Let the boxes of an answer wait for their depth."""
        self.counts.hits += 1
        message = detections_message(result.detections, header)
        self._pending.append((self._time, result.camera, result.detector, message))

    def _observe_waiting(self) -> None:
        for _ in range(len(self._pending)):
            since, camera, detector, message = self._pending.popleft()
            result = self._inputs.observe(camera, detector, message)
            if result.status in NOT_YET and self._time - since < PATIENCE:
                self._pending.append((since, camera, detector, message))
            elif result.status is ObserveStatus.REMEMBERED:
                self.counts.remembered += 1
            else:
                self.counts.refused[result.status.name] += 1
                self.counts.examples.setdefault(result.status.name, result.message)

    def _on_integrated(self, result: IntegrationResult) -> None:
        self.counts.frames += 1


def _slug(name: str) -> str:
    return name.removeprefix(PERCEPTION).split("/", 1)[0]
