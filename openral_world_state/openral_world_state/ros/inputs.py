"""Streams of a robot that change its world model: depth, transforms, detections, skills, states, prompts.

They come from the graph, or from a recording that is played back.
"""

import math
import time
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial

import numpy as np
from vision_msgs.msg import Detection2D, Detection2DArray

from openral_core.detectors import Detection
from openral_core.errors import OpenRALError
from openral_core.geometry import InvalidGeometry, Pose, StaleTransform, UnknownFrame
from openral_core.spatial_memory import ObserveResult, ObserveStatus
from openral_core.text import UnreadableText
from openral_msgs.msg import DetectorInfo, PromptStamped, SkillCatalogue, StateReport
from openral_ros.conversions.detections import unplaced_message
from openral_ros.conversions.object_states import state_report_from_message
from openral_ros.conversions.stamps import seconds
from openral_ros.qos import LATCHED, RELIABLE
from openral_ros.resources import StreamScope
from openral_ros.tf_buffer import TransformBuffer
from openral_world_state.depth_camera import DepthView, Intrinsics, InvalidIntrinsics
from openral_world_state.ros.depth_subscription import (
    STILL_TOLERANCE,
    DepthSubscription,
    NoDepthFrame,
    UnalignedDepth,
    UnknownCamera,
    find_camera,
)
from openral_world_state.ros.parameters import WorldStateParameters
from openral_world_state.ros.subscriptions import DetectionBuffer, parse_detections
from openral_world_state.static_map import is_on_map
from openral_world_state.world.world_model import IntegrationResult, WorldModel

MAX_TRANSFORM_AGE = 10.0
"""Time without a newer transform after which a frame's pose is unknown [s]; localisation may pause."""
MAX_NAME = 200
"""Length of a detector's id and of its labels [characters]; the bound that documents put on ids."""
MAX_LABELS = 5_000
"""Labels of one detector [1]: above the largest vocabularies in use (LVIS has 1,203)."""
MAX_IN_VIEW_AGE = 3.0
"""Time for which the last evaluated image shows what is in view [s]."""
CLOCK_RESTART = 5.0
"""Jump back of an image's stamp from which it is of a restarted clock [s]."""
OPERATOR_FRAME = "operator"
"""``header.frame_id`` of an operator's prompts."""
Clock = Callable[[], float]
OnView = Callable[[DepthView, Sequence[Detection], IntegrationResult], None]
OnAnswer = Callable[[DepthView, Sequence[Detection], IntegrationResult, Callable[[float], bool]], None]


class FramePoses:
    """Current poses in map of frames; unknown if transforms are missing or older than `MAX_TRANSFORM_AGE`."""

    def __init__(self, transforms: TransformBuffer, map_frame: str, clock: Clock = time.monotonic) -> None:
        self._transforms, self._map, self._clock = transforms, map_frame, clock
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
        now = self._clock()
        last, since = self._newest.get(frame, (stamp, now))
        if stamp != last:
            since = now
        self._newest[frame] = stamp, since
        return pose if math.isinf(stamp) or now - since <= MAX_TRANSFORM_AGE else None


_STATUSES: dict[type[OpenRALError], ObserveStatus] = {
    UnknownCamera: ObserveStatus.UNKNOWN_CAMERA,
    NoDepthFrame: ObserveStatus.NO_FRAME,
    StaleTransform: ObserveStatus.STALE_TRANSFORM,
    UnknownFrame: ObserveStatus.STALE_TRANSFORM,
    UnalignedDepth: ObserveStatus.NO_FRAME,
    InvalidIntrinsics: ObserveStatus.NO_FRAME,
}


class WorldInputs:
    """Input streams of a world model; detections wait for their depth and transforms, then are integrated.

    Args:
        scope: Subscribes to the streams.
        camera_scope: Subscribes to the cameras; it may be closed earlier.
        world: Changed by them.
        parameters: Of the node.
        on_integrated: Called with the result of each integrated frame.
        on_view: Called with its depth view and detections too.
        on_answer: Called likewise with the answer to a query, and with a function that returns whether the
            camera is known to stand where it stood then at a later stamp [s].
        clock: Steady time [s].
        transforms: A buffer of its own if None.

    ``slowest`` is the longest time that one frame took [s].
    """

    def __init__(
        self,
        scope: StreamScope,
        world: WorldModel,
        parameters: WorldStateParameters,
        on_integrated: Callable[[IntegrationResult], None],
        clock: Clock = time.monotonic,
        *,
        on_view: OnView | None = None,
        on_answer: OnAnswer | None = None,
        camera_scope: StreamScope | None = None,
        transforms: TransformBuffer | None = None,
    ) -> None:
        self.world, self._parameters, self._on_integrated = world, parameters, on_integrated
        self._on_view, self._on_answer = on_view, on_answer
        self._transforms = transforms or TransformBuffer(scope)
        self._poses = FramePoses(self._transforms, parameters.map_frame, clock)
        self.cameras = [
            DepthSubscription(
                camera_scope or scope,
                name,
                parameters.depth_history,
                parameters.depth_tolerance,
                parameters.still_tolerance,
                parameters.rectified_cameras,
            )
            for name in parameters.cameras
        ]
        self._detections = DetectionBuffer(
            self._view,
            self._integrate,
            parameters.patience,
            parameters.most_detections,
            clock,
            lambda each: self._put_unplaced(
                each.source, each.header.frame_id, seconds(each.header.stamp), each.detections
            ),
        )
        self._unplaced: dict[tuple[str, str], tuple[float, list[Detection2D]]] = {}
        self._clock = clock
        self._stamp, self.slowest = 0.0, 0.0
        self._detector_ids: dict[str, str] = {}
        self._grasped = ""
        scope.subscription(SkillCatalogue, "openral/skills", self._on_skills, LATCHED)
        scope.subscription(StateReport, "openral/state_reports", self._on_state_report, RELIABLE)
        scope.subscription(PromptStamped, "openral/prompt", self._on_prompt, RELIABLE)

    @property
    def robot(self) -> Pose | None:
        """Pose of the robot's base in map, None if unknown."""
        return self._poses.pose(self._parameters.base_frame)

    @property
    def fields_of_view(self) -> list[tuple[str, Intrinsics]]:
        """Optical frame and intrinsics of each camera whose intrinsics are known."""
        pairs = ((camera.frame, camera.intrinsics) for camera in self.cameras)
        return [(frame, intrinsics) for frame, intrinsics in pairs if intrinsics is not None]

    @property
    def refused(self) -> Counter[str]:
        """Number of refused messages and detections by reason."""
        return self._detections.refused

    @property
    def refusal_examples(self) -> Mapping[str, str]:
        """First message of each kind of refused detections."""
        return self._detections.examples

    @property
    def has_pending(self) -> bool:
        """True while detections wait for their depth or transforms."""
        return not self._detections.is_empty

    def unplaced(self) -> list[Detection2D]:
        """Return the detections of current images that have no place in the map, relative to their images."""
        oldest = self._clock() - MAX_IN_VIEW_AGE
        return [each for since, frame in self._unplaced.values() if since >= oldest for each in frame]

    def process(self) -> None:
        """Integrate the detections whose depth and transforms have arrived."""
        self._detections.process()

    def add_detections(self, slug: str, message: Detection2DArray) -> None:
        """Add detections of a continuous detector."""
        self._detections.add(self._detector_ids.get(slug, slug), message)

    def add_info(self, slug: str, info: DetectorInfo) -> None:
        """Set the id and the vocabulary of a detector."""
        if len(info.id) > MAX_NAME:
            self.count_refused("InvalidName")
            return
        self._detector_ids[slug] = info.id
        labels = (label for label in info.labels[:MAX_LABELS] if len(label) <= MAX_NAME)
        self.world.vocabularies.set(info.id, tuple(labels))

    def count_refused(self, reason: str) -> None:
        """Count a refused message."""
        self.refused[reason] += 1

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
        result = self.world.integrate_answer(view, detections, detector or "unknown detector")
        if self._on_answer is not None:
            self._on_answer(view, detections, result, partial(self._is_still, view))
        return self.world.describe_answer(result)

    def move_held_object(self) -> None:
        """Move what the gripper holds to where it is now."""
        self._grasp()
        gripper = self._gripper if self.world.held_object.held else None
        if gripper is not None:
            self.world.held_object.move(gripper)

    def _is_still(self, view: DepthView, stamp: float) -> bool:
        """Return whether a camera is known to stand at ``stamp`` [s] where it stood in a view."""
        frame = find_camera(self.cameras, view.camera).frame
        try:
            T_map_camera = self._transforms.lookup(self._parameters.map_frame, frame, stamp)
        except OpenRALError:
            return False
        return bool(np.abs(T_map_camera - view.T_map_camera).max() <= STILL_TOLERANCE)

    def _put_unplaced(self, source: str, frame: str, stamp: float, detections: Sequence[Detection]) -> None:
        try:
            camera, size = (each := find_camera(self.cameras, frame)).name, each.image_size
        except UnknownCamera:
            camera, size = frame, None
        messages = [unplaced_message(camera, stamp, each, size) for each in detections]
        self._unplaced[source, camera] = self._clock(), messages

    def _view(self, camera: str, stamp: float) -> DepthView:
        view = find_camera(self.cameras, camera).view(stamp, self._transforms, self._parameters.map_frame)
        self._stamp = max(stamp, self._stamp) if stamp > self._stamp - CLOCK_RESTART else stamp
        return view

    def _integrate(self, view: DepthView, detections: Sequence[Detection], source: str) -> None:
        started = time.monotonic()
        self.move_held_object()
        result = self.world.integrate(view, detections, source)
        self.refused.update(type(refusal).__name__ for refusal in result.refusals)
        self._put_unplaced(source, view.camera, view.stamp, result.frame.unplaced)
        self._on_integrated(result)
        if self._on_view is not None:
            self._on_view(view, detections, result)
        self.slowest = max(self.slowest, time.monotonic() - started)

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
            self.count_refused(type(error).__name__)

    def _on_state_report(self, message: StateReport) -> None:
        """Note a state that a skill, sensor or person reports; without a stamp, as of the newest image."""
        try:
            report = state_report_from_message(message)
        except OpenRALError as error:
            self.count_refused(type(error).__name__)
            return
        if not self.world.report_state(replace(report, stamp=report.stamp or self._stamp)):
            self.count_refused("UnknownObject")
        self.world.memory.commit()

    def _on_prompt(self, message: PromptStamped) -> None:
        """Remember where the operator spoke; a reply to the robot's question is not a new request."""
        if message.header.frame_id == OPERATOR_FRAME and not message.in_reply_to:
            agent = message.requester or self.world.default_agent
            self.world.agent_poses.record_message(agent, self.robot)
            self.world.memory.commit()
