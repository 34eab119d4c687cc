"""State of the active world_state node: memory, its input streams and the topics it publishes."""

import gc
import math
import time
from collections.abc import Sequence
from pathlib import Path

from rclpy.node import Node
from vision_msgs.msg import Detection2DArray

from openral_core.detectors import Detection
from openral_core.errors import OpenRALError
from openral_core.geometry import InvalidGeometry, Pose, StaleTransform, UnknownFrame
from openral_core.home_map import load_map
from openral_core.spatial_memory import ObserveResult, ObserveStatus, RecallQuery, RecallResult, RecallStatus
from openral_core.text import Thesaurus, UnreadableText
from openral_msgs.msg import DetectorInfo, FailureTrigger, KeyValue, PromptStamped, SkillCatalogue
from openral_ros.conversions.stamps import seconds
from openral_ros.failure_reporter import FailureReporter
from openral_ros.qos import LATCHED, RELIABLE
from openral_ros.resources import ResourceScope
from openral_ros.stream_watchdog import StreamWatchdog, SuspensionPolicy
from openral_ros.tf_buffer import TransformBuffer
from openral_world_state.depth_camera import DepthView, InvalidIntrinsics
from openral_world_state.ros.depth_subscription import (
    DepthSubscription,
    NoDepthFrame,
    UnalignedDepth,
    UnknownCamera,
    find_camera,
)
from openral_world_state.ros.embedding_client import make_embedding_client
from openral_world_state.ros.parameters import WorldStateParameters
from openral_world_state.ros.publishers import WorldStatePublishers
from openral_world_state.ros.subscriptions import DetectionBuffer, DetectorSubscriptions, parse_detections
from openral_world_state.spatial_memory.errors import MemoryNotWritten
from openral_world_state.static_map import is_on_map
from openral_world_state.world import IntegrationResult, open_world

MAX_TRANSFORM_AGE = 10.0
"""Time without a newer transform after which a frame's pose is unknown [s]; localisation may pause."""
MAX_FRAME_AGE = 3.0
"""Time for which a detector's last frame is part of the current view [s]; slow detectors run at 1 Hz."""
MAX_NAME = 200
"""Length of a detector's id and of its labels [characters]; the bound that documents put on ids."""
MAX_LABELS = 5_000
"""Labels of one detector [1]: above the largest vocabularies in use (LVIS has 1,203)."""
BYTES_PER_DETECTION = 16_384
"""Bound on the size of a message per detection [bytes]; one has about 500, more with several hypotheses."""
INTAKE_PERIOD = 0.05
"""Time between two attempts to process the detections that wait for depth or transforms [s]."""
CLOCK_RESTART = 5.0
"""Jump back of an image's stamp from which it is of a restarted clock [s]."""
OPERATOR_FRAME = "operator"
"""``header.frame_id`` of an operator's prompts."""


class FramePoses:
    """Current poses in map of frames; unknown if transforms are missing or older than `MAX_TRANSFORM_AGE`."""

    def __init__(self, transforms: TransformBuffer, map_frame: str) -> None:
        self._transforms, self._map = transforms, map_frame
        self._newest: dict[str, tuple[float, float]] = {}

    def pose(self, frame: str) -> Pose | None:
        """Return the pose of a frame, None if it is unknown."""
        try:
            stamp = self._transforms.newest(self._map, frame)
            pose = Pose.from_matrix(self._transforms.lookup(self._map, frame, stamp))
        except (UnknownFrame, StaleTransform, InvalidGeometry):
            return None
        if not is_on_map(pose.position):
            return None
        now = time.monotonic()
        last, since = self._newest.get(frame, (stamp, now))
        if stamp != last:
            since = now
        self._newest[frame] = stamp, since
        return pose if math.isinf(stamp) or now - since <= MAX_TRANSFORM_AGE else None


class RecentFrames:
    """Last integrated frame of each detector, dropped after `MAX_FRAME_AGE`."""

    def __init__(self) -> None:
        self._frames: dict[str, tuple[float, IntegrationResult]] = {}

    def put(self, source: str, result: IntegrationResult) -> None:
        """Replace the last frame of a detector."""
        self._frames[source] = time.monotonic(), result

    def recent(self) -> list[IntegrationResult]:
        """Return the frames that are not too old."""
        oldest = time.monotonic() - MAX_FRAME_AGE
        self._frames = {source: frame for source, frame in self._frames.items() if frame[0] >= oldest}
        return [result for _, result in self._frames.values()]


_STATUSES: dict[type[OpenRALError], ObserveStatus] = {
    UnknownCamera: ObserveStatus.UNKNOWN_CAMERA,
    NoDepthFrame: ObserveStatus.NO_FRAME,
    StaleTransform: ObserveStatus.STALE_TRANSFORM,
    UnknownFrame: ObserveStatus.STALE_TRANSFORM,
    UnalignedDepth: ObserveStatus.NO_FRAME,
    InvalidIntrinsics: ObserveStatus.NO_FRAME,
}
_MISSES = (RecallStatus.NOT_IN_MEMORY, RecallStatus.ONLY_STALE)


class ActiveWorld:
    """World model with its subscriptions and publishers; closed with its scope.

    Detections wait in a `DetectionBuffer` for depth and transforms, then are integrated; the node's services
    call `recall`, `observe` and ``world``.

    Raises:
        OpenRALError: If the map or the memory file cannot be used.
    """

    def __init__(
        self, scope: ResourceScope, node: Node, parameters: WorldStateParameters, failures: FailureReporter
    ) -> None:
        self._parameters, self._node, self._failures = parameters, node, failures
        thesaurus = Thesaurus.load()
        home = load_map(Path(parameters.map)) if parameters.map else None
        self.world = open_world(home, parameters.spatial_memory_path, parameters.settings(), thesaurus)
        scope.callback(self._close_memory)
        self._embeddings = make_embedding_client(scope, node, parameters, thesaurus)
        # Loaded data lives as long as the node: exclude it from every sweep of the garbage collector.
        gc.freeze()
        self._transforms = TransformBuffer(scope)
        self._poses = FramePoses(self._transforms, parameters.map_frame)
        watchdog = StreamWatchdog(scope, node, SuspensionPolicy())
        self._cameras = [
            DepthSubscription(
                scope,
                name,
                parameters.depth_history,
                parameters.depth_tolerance,
                parameters.still_tolerance,
                parameters.rectified_cameras,
            )
            for name in parameters.cameras
        ]
        for camera in self._cameras:
            watchdog.watch(camera.stream)
        self._detections = DetectionBuffer(
            self._view, self._integrate, parameters.patience, parameters.most_detections
        )
        self._publishers = WorldStatePublishers(
            scope, node.get_clock(), node.get_fully_qualified_name(), parameters.map_frame
        )
        self._frames = RecentFrames()
        self._stamp, self._slowest = 0.0, 0.0
        self._detector_ids: dict[str, str] = {}
        self._grasped = ""
        self._is_write_failing = False
        self._subscriptions = DetectorSubscriptions(
            scope,
            node,
            watchdog,
            parameters.detectors,
            parameters.most_detections * BYTES_PER_DETECTION,
            self._on_objects,
            self._on_info,
            self._count_refused,
        )
        scope.subscription(SkillCatalogue, "openral/skills", self._on_skills, LATCHED)
        scope.subscription(KeyValue, "openral/openings", self._on_opening, RELIABLE)
        scope.subscription(PromptStamped, "openral/prompt", self._on_prompt, RELIABLE)
        scope.timer(INTAKE_PERIOD, self._detections.process)
        scope.timer(1.0 / parameters.publish_rate, self._publish)

    @property
    def robot(self) -> Pose | None:
        """Pose of the robot's base in map, None if unknown."""
        return self._poses.pose(self._parameters.base_frame)

    async def recall(self, query: RecallQuery, now: float) -> RecallResult:
        """Recall from memory; retry a miss with labels near in meaning if there is an embedding model."""
        result = self.world.recall(query, now)
        if self._embeddings is None or result.status not in _MISSES:
            return result
        return self.world.recall(query, now, await self._embeddings.near(query.query))

    def observe(self, camera: str, detector: str, message: Detection2DArray) -> ObserveResult:
        """Store the detections that a query found in one image."""
        detections, problems = parse_detections(message, self._parameters.most_detections)
        refused = tuple(map(str, problems))
        if not detections or len(detector) > MAX_NAME:
            reason = (
                refused[0]
                if refused
                else f"invalid request: no detections, or a detector name above {MAX_NAME} characters"
            )
            return ObserveResult(
                ObserveStatus.BAD_REQUEST, reason, refused=refused, revision=self.world.memory.revision
            )
        try:
            view = self._view(camera or message.header.frame_id, seconds(message.header.stamp))
        except OpenRALError as error:
            status = next(
                (status for kind, status in _STATUSES.items() if isinstance(error, kind)),
                ObserveStatus.BAD_REQUEST,
            )
            return ObserveResult(status, str(error), refused=refused, revision=self.world.memory.revision)
        return self.world.observe(view, detections, detector or "unknown detector")

    def _view(self, camera: str, stamp: float) -> DepthView:
        view = find_camera(self._cameras, camera).view(stamp, self._transforms, self._parameters.map_frame)
        self._stamp = max(stamp, self._stamp) if stamp > self._stamp - CLOCK_RESTART else stamp
        return view

    def _on_objects(self, slug: str, message: Detection2DArray) -> None:
        self._detections.add(self._detector_ids.get(slug, slug), message)

    def _on_info(self, slug: str, info: DetectorInfo) -> None:
        if len(info.id) > MAX_NAME:
            self._count_refused("InvalidName")
            return
        self._detector_ids[slug] = info.id
        labels = (label for label in info.labels[:MAX_LABELS] if len(label) <= MAX_NAME)
        self.world.vocabularies.set(info.id, tuple(labels))

    def _count_refused(self, reason: str) -> None:
        self._detections.refused[reason] += 1

    def _integrate(self, view: DepthView, detections: Sequence[Detection], source: str) -> None:
        started = time.monotonic()
        self._move_held_object()
        result = self.world.integrate(view, detections, source)
        self._frames.put(source, result)
        self._detections.refused.update(type(refusal).__name__ for refusal in result.refusals)
        self._publishers.publish_objects(result)
        self._slowest = max(self._slowest, time.monotonic() - started)

    def _on_skills(self, message: SkillCatalogue) -> None:
        self._grasped = message.holding
        if not message.holding:
            self.world.update_held_object("", self._gripper, self._stamp)
        self._grasp()

    @property
    def _gripper(self) -> Pose | None:
        return self._poses.pose(self._parameters.gripper_frame)

    def _grasp(self) -> None:
        """Hold the grasped object as soon as the gripper's pose is known."""
        gripper = self._gripper if self._grasped else None
        if gripper is None:
            return
        label, self._grasped = self._grasped, ""
        try:
            self.world.update_held_object(label, gripper, self._stamp)
        except UnreadableText as error:
            self._count_refused(type(error).__name__)

    def _on_opening(self, message: KeyValue) -> None:
        if not self.world.container_states.on_skill_result(message.key, message.float_value):
            self._count_refused("NoContainer")

    def _on_prompt(self, message: PromptStamped) -> None:
        """Remember where the operator spoke; a reply to the robot's question is not a new request."""
        if message.header.frame_id == OPERATOR_FRAME and not message.in_reply_to:
            agent = message.requester or self.world.default_agent
            self.world.agent_poses.record_message(agent, self.robot)
            self.world.memory.commit()

    def _move_held_object(self) -> None:
        self._grasp()
        gripper = self._gripper if self.world.held_object.held else None
        if gripper is not None:
            self.world.held_object.move(gripper)

    def _close_memory(self) -> None:
        try:
            self.world.memory.close()
        except MemoryNotWritten as error:
            self._node.get_logger().error(f"the last changes are lost: {error}")

    def _write(self) -> None:
        """Commit; retry a failed write every time, but report it once."""
        self.world.memory.commit(again=True)
        error = self.world.memory.unwritten
        if error is not None and not self._is_write_failing:
            self._node.get_logger().error(str(error))
            self._failures.report("memory_not_written", FailureTrigger.SEVERITY_ERROR, str(error))
        if error is None and self._is_write_failing:
            self._node.get_logger().info("the memory file is writable again; all changes are written")
        self._is_write_failing = error is not None

    def _publish(self) -> None:
        self._move_held_object()
        self._write()
        if self._embeddings is not None:
            self._embeddings.update(self.world.memory.labels.labels)
        self._publishers.publish_graph(self.world)
        self._publishers.publish_state(self.world, self.robot, self._frames.recent())
        facts = {
            "objects": len(self.world.memory),
            "revision": self.world.memory.revision,
            "slowest snapshot [ms]": round(self._slowest * 1e3, 1),
        }
        self._publishers.publish_diagnostics(
            {**facts, **{f"refused {k}": v for k, v in self._detections.refused.items()}},
            str(self.world.memory.unwritten or ""),
        )
