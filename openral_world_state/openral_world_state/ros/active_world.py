"""State of the active world_state node: memory, its input streams and the topics it publishes."""

import gc
import time
from pathlib import Path

from pydantic import ValidationError
from rclpy.node import Node
from std_msgs.msg import String
from vision_msgs.msg import Detection2DArray

from openral_core.home_map import HomeMap, load_map
from openral_core.spatial_memory import ObserveResult, RecallQuery, RecallResult, RecallStatus
from openral_core.text import Thesaurus
from openral_msgs.msg import DetectorInfo, FailureTrigger
from openral_ros.failure_reporter import FailureReporter
from openral_ros.qos import LATCHED
from openral_ros.resources import ResourceScope
from openral_ros.stream_watchdog import StreamWatchdog, SuspensionPolicy
from openral_ros.tf_buffer import PolledTransformBuffer
from openral_world_state.pictures import ObjectPictures, pictures_path
from openral_world_state.ros.depth_subscription import DepthStreams
from openral_world_state.ros.embedding_client import make_embedding_client
from openral_world_state.ros.inputs import WorldInputs
from openral_world_state.ros.parameters import WorldStateParameters
from openral_world_state.ros.picture_taker import PicturePublisher, PictureTaker
from openral_world_state.ros.publishers import WorldStatePublishers
from openral_world_state.ros.subscriptions import HOME_MAP, DetectorSubscriptions
from openral_world_state.spatial_memory.errors import MemoryNotWritten
from openral_world_state.static_map import static_map_from_home
from openral_world_state.world.open_world import keep_home, open_world
from openral_world_state.world.world_model import IntegrationResult

MAX_FRAME_AGE = 3.0
"""Time for which a detector's last frame is part of the current view [s]; slow detectors run at 1 Hz."""
BYTES_PER_DETECTION = 16_384
"""Bound on the size of a message per detection [bytes]; one has about 500, more with several hypotheses."""
INTAKE_PERIOD = 0.05
"""Time between two attempts to process the detections that wait for depth or transforms [s]."""


class RecentFrames:
    """Last integrated frame of each detector, dropped after `MAX_FRAME_AGE`."""

    def __init__(self) -> None:
        self._frames: dict[str, tuple[float, IntegrationResult]] = {}

    def put(self, result: IntegrationResult) -> None:
        """Replace the last frame of a detector."""
        self._frames[result.frame.source] = time.monotonic(), result

    def recent(self) -> list[IntegrationResult]:
        """Return the frames that are not too old."""
        oldest = time.monotonic() - MAX_FRAME_AGE
        self._frames = {source: frame for source, frame in self._frames.items() if frame[0] >= oldest}
        return [result for _, result in self._frames.values()]


_MISSES = (RecallStatus.NOT_IN_MEMORY, RecallStatus.ONLY_STALE)


class ActiveWorld:
    """World model with its subscriptions and publishers; closed with its scope.

    The node's services call `recall`, ``inputs`` and ``world``.

    Raises:
        OpenRALError: If the map or the memory file cannot be used.
    """

    def __init__(
        self, scope: ResourceScope, node: Node, parameters: WorldStateParameters, failures: FailureReporter
    ) -> None:
        self._node, self._failures = node, failures
        thesaurus = Thesaurus.load()
        home = load_map(Path(parameters.map)) if parameters.map else None
        self.world = open_world(home, parameters.spatial_memory_path, parameters.settings(), thesaurus)
        scope.callback(self._close_memory)
        self._embeddings = make_embedding_client(scope, node, parameters, thesaurus)
        # Loaded data lives as long as the node: exclude it from every sweep of the garbage collector.
        gc.freeze()
        self._publishers = WorldStatePublishers(
            scope, node.get_clock(), node.get_fully_qualified_name(), parameters.map_frame
        )
        self._frames = RecentFrames()
        self._is_write_failing = self._are_pictures_failing = False
        self._pictures = ObjectPictures(pictures_path(self.world.memory.path), parameters.picture_limits())
        self._picture_publisher = PicturePublisher(scope, node.get_clock(), self._pictures)
        taker = PictureTaker(scope, self._pictures) if parameters.pictures else None
        watchdog = StreamWatchdog(scope, node, SuspensionPolicy())
        self._depth = DepthStreams(scope, watchdog)
        self.inputs = WorldInputs(
            scope,
            self.world,
            parameters,
            self._on_integrated,
            on_view=taker.on_view if taker else None,
            on_answer=taker.on_answer if taker else None,
            camera_scope=self._depth.part,
            transforms=PolledTransformBuffer(scope),
        )
        self._depth.add(self.inputs.cameras)
        self._subscriptions = DetectorSubscriptions(
            scope,
            node,
            watchdog,
            parameters.detectors,
            parameters.most_detections * BYTES_PER_DETECTION,
            self._on_objects,
            self._on_info,
            self.inputs.count_refused,
        )
        if parameters.perceived_home:
            scope.subscription(String, HOME_MAP, self._on_home, LATCHED)
        self._intake = scope.timer(INTAKE_PERIOD, self._process, autostart=False)
        scope.timer(1.0 / parameters.publish_rate, self._update)

    async def recall(self, query: RecallQuery, now: float) -> RecallResult:
        """Recall from memory; retry a miss with labels near in meaning if there is an embedding model."""
        result = self.world.recall(query, now)
        if self._embeddings is None or result.status not in _MISSES:
            return result
        return self.world.recall(query, now, await self._embeddings.near(query.query))

    def _on_home(self, message: String) -> None:
        """Take over the home that the mapper found; a message that is none is counted and left out."""
        try:
            home = HomeMap.model_validate_json(message.data)
        except ValidationError:
            self.inputs.count_refused("InvalidHomeMap")
            return
        self.world.change_home(static_map_from_home(home, self.world.settings.map_epoch))
        keep_home(self.world)

    def observe(self, camera: str, detector: str, detections: Detection2DArray) -> ObserveResult:
        """Store the detections that a query found in one image."""
        self._depth.used()
        return self.inputs.observe(camera, detector, detections)

    def _on_info(self, slug: str, info: DetectorInfo) -> None:
        """Keep the vocabulary of a detector, and receive depth unless every detector is inactive."""
        self.inputs.add_info(slug, info)
        self._depth.reported(slug, info.lifecycle_state)

    def _on_objects(self, slug: str, message: Detection2DArray) -> None:
        """Integrate detections, now or as soon as their depth and transforms have arrived."""
        self._depth.used()
        self.inputs.add_detections(slug, message)
        if self.inputs.has_pending and self._intake.is_canceled():
            self._intake.reset()

    def _process(self) -> None:
        self.inputs.process()
        if not self.inputs.has_pending:
            self._intake.cancel()

    def _on_integrated(self, result: IntegrationResult) -> None:
        self._frames.put(result)
        self._publishers.publish_objects(result)

    def _close_memory(self) -> None:
        try:
            self.world.memory.close()
        except MemoryNotWritten as error:
            self._node.get_logger().error(f"the last changes are lost: {error}")

    def _write_memory(self) -> None:
        """Commit; retry a failed write every time, but report it once."""
        self.world.memory.commit(again=True)
        error = self.world.memory.unwritten
        if error is not None and not self._is_write_failing:
            self._node.get_logger().error(str(error))
            self._failures.report("memory_not_written", FailureTrigger.SEVERITY_ERROR, str(error))
        if error is None and self._is_write_failing:
            self._node.get_logger().info("the memory file is writable again; all changes are written")
        self._is_write_failing = error is not None

    def _write_pictures(self) -> None:
        """Remove pictures of forgotten objects, write the others; report a failure once."""
        memory = self.world.memory
        self._pictures.keep_only(lambda name: name in memory and memory.current_id(name) == name)
        self._pictures.write()
        error, was_failing = self._pictures.error, self._are_pictures_failing
        self._are_pictures_failing = error is not None
        if error is not None and not was_failing:
            self._node.get_logger().warning(str(error))
            self._failures.report("pictures_not_written", FailureTrigger.SEVERITY_WARNING, str(error))

    def _update(self) -> None:
        """Follow the gripper, receive depth only if it is needed, write what changed, and publish it."""
        self.inputs.move_held_object()
        self._depth.update()
        self._write_memory()
        self._write_pictures()
        if self._embeddings is not None:
            self._embeddings.update(self.world.memory.labels.labels)
        self._publish()

    def _publish(self) -> None:
        self._picture_publisher.publish()
        self._publishers.publish_graph(self.world, self.inputs.fields_of_view)
        self._publishers.publish_state(self.world, self.inputs.robot, self._frames.recent())
        self._publishers.publish_unplaced(self.inputs.unplaced())
        facts: dict[str, object] = {
            "objects": len(self.world.memory),
            "revision": self.world.memory.revision,
            "pictures": len(self._pictures),
            "slowest snapshot [ms]": round(self.inputs.slowest * 1e3, 1),
            **{f"refused {reason}": count for reason, count in self.inputs.refused.items()},
        }
        self._publishers.publish_diagnostics(facts, str(self.world.memory.unwritten or ""))
