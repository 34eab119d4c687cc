"""What the node keeps while it is active."""
# MERGED Where frames of the robot are now.
# MERGED What each detector saw last, as long as that is the present.

import gc
import math
import time
from collections.abc import Sequence
from pathlib import Path

from rclpy.node import Node
from vision_msgs.msg import Detection2DArray

from openral_core.detections import Detection
from openral_core.errors import OpenRALError
from openral_core.geometry import InvalidGeometry, Pose
from openral_core.geometry.tf_tree import StaleTransform, UnknownFrame
from openral_core.home_map import load_map
from openral_core.memory_queries import ObserveResult, ObserveStatus, RecallQuery, RecallResult, RecallStatus
from openral_core.text import Thesaurus, UnreadableText
from openral_msgs.msg import DetectorInfo, FailureTrigger, KeyValue, PromptStamped, SkillCatalogue
from openral_ros.conversions.geometry import seconds
from openral_ros.failure_reporter import FailureReporter
from openral_ros.qos import LATCHED, RELIABLE
from openral_ros.resources import ResourceScope
from openral_ros.stream_watchdog import StreamWatchdog, SuspensionPolicy
from openral_ros.tf_buffer import TransformBuffer
from openral_world_state.home.model import is_on_map
from openral_world_state.lifting.camera import DepthView, InvalidIntrinsics
from openral_world_state.ros.depth_subscription import (
    DepthSubscription,
    NoDepthFrame,
    UnalignedDepth,
    UnknownCamera,
    camera_named,
)
from openral_world_state.ros.detection_input import DetectionBuffer, DetectorSubscriptions, parse_detections
from openral_world_state.ros.embedding_client import meanings_of
from openral_world_state.ros.parameters import WorldStateParameters
from openral_world_state.ros.publishers import WorldStatePublishers
from openral_world_state.spatial_memory.errors import MemoryNotWritten
from openral_world_state.world import IntegrationResult, open_world

SILENCE = 10.0
"""For how long the last transform says where a frame is now, when no newer one comes [s]."""


class FramePoses:
    """Poses in map at the newest transforms; unknown once these stopped coming, or never came."""

    def __init__(self, transforms: TransformBuffer, map_frame: str) -> None:
        self._transforms, self._map = transforms, map_frame
        self._newest: dict[str, tuple[float, float]] = {}

    def pose(self, frame: str) -> Pose | None:
        """Where a frame is, None when that is not known."""
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
        return pose if math.isinf(stamp) or now - since <= SILENCE else None


RECENT = 3.0
"""How long a look says what is seen now, from its taking-in [s]; slow detectors look once a second."""


class RecentLooks:
    """The last look of each detector, dropped when it has become old."""

    def __init__(self) -> None:
        self._looks: dict[str, tuple[float, IntegrationResult]] = {}

    def put(self, source: str, seen: IntegrationResult) -> None:
        """A detector has just looked."""
        self._looks[source] = time.monotonic(), seen

    def recent(self) -> list[IntegrationResult]:
        """Looks of the last seconds."""
        since = time.monotonic() - RECENT
        self._looks = {source: look for source, look in self._looks.items() if look[0] >= since}
        return [seen for _, seen in self._looks.values()]


_STATUSES: dict[type[OpenRALError], ObserveStatus] = {
    UnknownCamera: ObserveStatus.UNKNOWN_CAMERA,
    NoDepthFrame: ObserveStatus.NO_FRAME,
    StaleTransform: ObserveStatus.STALE_TRANSFORM,
    UnknownFrame: ObserveStatus.STALE_TRANSFORM,
    UnalignedDepth: ObserveStatus.NO_FRAME,
    InvalidIntrinsics: ObserveStatus.NO_FRAME,
}
_BAD = ObserveStatus.BAD_REQUEST
_OPERATOR = ("operator",)
_LONGEST_NAME, _MOST_LABELS = 200, 5_000
_BYTES_PER_DETECTION = 16_384
"""A detection has some 500 bytes, and more with several hypotheses."""
_MISSES = (RecallStatus.NOT_IN_MEMORY, RecallStatus.ONLY_STALE)


class ActiveWorld:
    """Memory, the streams that fill it and the topics that tell it; closed with its scope.

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
        self._meanings = meanings_of(scope, node, parameters, thesaurus)
        # What was loaded stays: the collector need not walk over it again at every sweep.
        gc.freeze()
        self._transforms = TransformBuffer(scope)
        self._poses = FramePoses(self._transforms, parameters.map_frame)
        ears = StreamWatchdog(scope, node, SuspensionPolicy())
        self._cameras = [
            DepthSubscription(
                scope, name, parameters.depth_history, parameters.depth_tolerance, parameters.still_tolerance
            )
            for name in parameters.cameras
        ]
        for camera in self._cameras:
            ears.watch(camera.stream)
        self._intake = DetectionBuffer(
            self._view, self._take_in, parameters.patience, parameters.most_detections
        )
        self._topics = WorldStatePublishers(
            scope, node.get_clock(), node.get_fully_qualified_name(), parameters.map_frame
        )
        self._looks = RecentLooks()
        self._stamp, self._slowest = 0.0, 0.0
        self._names: dict[str, str] = {}
        self._grasped = ""
        self._is_unwritten = False
        self._feeds = DetectorSubscriptions(
            scope,
            node,
            ears,
            parameters.detectors,
            parameters.most_detections * _BYTES_PER_DETECTION,
            self._on_objects,
            self._on_info,
            self._refused,
        )
        scope.subscription(SkillCatalogue, "openral/skills", self._on_skills, LATCHED)
        scope.subscription(KeyValue, "openral/openings", self._on_opening, RELIABLE)
        scope.subscription(PromptStamped, "openral/prompt", self._on_prompt, RELIABLE)
        scope.timer(0.05, self._intake.work)
        scope.timer(1.0 / parameters.publish_rate, self._tell)

    @property
    def robot(self) -> Pose | None:
        """Where the robot stands in map, None when unknown."""
        return self._poses.pose(self._parameters.base_frame)

    async def recall(self, query: RecallQuery, now: float) -> RecallResult:
        """What memory knows; of a miss also what is near in meaning, when there is a model to ask."""
        result = self.world.recall(query, now)
        if self._meanings is None or result.status not in _MISSES:
            return result
        return self.world.recall(query, now, await self._meanings.near(query.query))

    def observe(self, camera: str, detector: str, message: Detection2DArray) -> ObserveResult:
        """Remember what was asked for and found in one image."""
        detections, problems = parse_detections(message, self._parameters.most_detections)
        refused = tuple(map(str, problems))
        if not detections or len(detector) > _LONGEST_NAME:
            words = (
                refused[0] if refused else "there is no detection to remember, or its detector has no name"
            )
            return ObserveResult(
                ObserveStatus.BAD_REQUEST, words, refused=refused, revision=self.world.memory.revision
            )
        try:
            view = self._view(camera or message.header.frame_id, seconds(message.header.stamp))
        except OpenRALError as error:
            status = next((s for kind, s in _STATUSES.items() if isinstance(error, kind)), _BAD)
            return ObserveResult(status, str(error), refused=refused, revision=self.world.memory.revision)
        return self.world.observe(view, detections, detector or "unknown detector")

    def _view(self, camera: str, stamp: float) -> DepthView:
        view = camera_named(self._cameras, camera).view(stamp, self._transforms, self._parameters.map_frame)
        self._stamp = max(stamp, self._stamp) if stamp > self._stamp - 5.0 else stamp
        return view

    def _on_objects(self, slug: str, message: Detection2DArray) -> None:
        self._intake.put(self._names.get(slug, slug), message)

    def _on_info(self, slug: str, info: DetectorInfo) -> None:
        if len(info.id) > _LONGEST_NAME:
            self._refused("InvalidName")
            return
        self._names[slug] = info.id
        labels = (label for label in info.labels[:_MOST_LABELS] if len(label) <= _LONGEST_NAME)
        self.world.vocabularies.learn(info.id, tuple(labels))

    def _refused(self, reason: str) -> None:
        self._intake.refused[reason] += 1

    def _take_in(self, view: DepthView, detections: Sequence[Detection], source: str) -> None:
        began = time.monotonic()
        self._carry()
        seen = self.world.take_in(view, detections, source)
        self._looks.put(source, seen)
        self._intake.refused.update(type(refusal).__name__ for refusal in seen.refusals)
        self._topics.publish_objects(seen)
        self._slowest = max(self._slowest, time.monotonic() - began)

    def _on_skills(self, message: SkillCatalogue) -> None:
        """The gripper closed on something, or let go."""
        self._grasped = message.holding
        if not message.holding:
            self.world.hold("", self._gripper, self._stamp)
        self._take()

    @property
    def _gripper(self) -> Pose | None:
        return self._poses.pose(self._parameters.gripper_frame)

    def _take(self) -> None:
        """What was grasped is carried from the moment that it is known where the gripper is."""
        gripper = self._gripper if self._grasped else None
        if gripper is None:
            return
        label, self._grasped = self._grasped, ""
        try:
            self.world.hold(label, gripper, self._stamp)
        except UnreadableText as error:
            self._refused(type(error).__name__)

    def _on_opening(self, message: KeyValue) -> None:
        """A skill opened or closed a container."""
        if not self.world.openings.done(message.key, message.float_value):
            self._refused("NoContainer")

    def _on_prompt(self, message: PromptStamped) -> None:
        """The operator spoke; an answer to a question of ours does not begin anything."""
        if message.header.frame_id in _OPERATOR and not message.in_reply_to:
            self.world.standing.heard(message.requester or self.world.default_agent, self.robot)
            self.world.memory.commit()

    def _carry(self) -> None:
        self._take()
        gripper = self._gripper if self.world.carrying.held else None
        if gripper is not None:
            self.world.carrying.move(gripper)

    def _close_memory(self) -> None:
        try:
            self.world.memory.close()
        except MemoryNotWritten as error:
            self._node.get_logger().error(f"what changed last is lost: {error}")

    def _write(self) -> None:
        """Commit; a file that cannot be written is tried again every time and told once."""
        self.world.memory.commit(again=True)
        trouble = self.world.memory.unwritten
        if trouble is not None and not self._is_unwritten:
            self._node.get_logger().error(str(trouble))
            self._failures.report("memory_not_written", FailureTrigger.SEVERITY_ERROR, str(trouble))
        if trouble is None and self._is_unwritten:
            self._node.get_logger().info("memory is written again")
        self._is_unwritten = trouble is not None

    def _tell(self) -> None:
        self._carry()
        self._write()
        if self._meanings is not None:
            self._meanings.learn(self.world.memory.labels.labels)
        self._topics.publish_graph(self.world)
        self._topics.publish_state(self.world, self.robot, self._looks.recent())
        facts = {
            "objects": len(self.world.memory),
            "revision": self.world.memory.revision,
            "slowest snapshot [ms]": round(self._slowest * 1e3, 1),
        }
        self._topics.publish_diagnostics(
            {**facts, **{f"refused {k}": v for k, v in self._intake.refused.items()}},
            str(self.world.memory.unwritten or ""),
        )
