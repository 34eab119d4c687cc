"""Detections on their way into memory: they wait for their depth image and transforms, or are refused."""
# MERGED Every detector of the graph, heard as soon as it appears.

import re
import time
from collections import Counter, deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial

from rclpy.node import Node
from rclpy.serialization import deserialize_message
from std_msgs.msg import Header
from vision_msgs.msg import Detection2DArray

from openral_core.detections import Detection, InvalidDetection
from openral_core.errors import OpenRALError
from openral_core.geometry.tf_tree import StaleTransform
from openral_msgs.msg import DetectorInfo
from openral_ros.conversions.detections import detection_from_message
from openral_ros.conversions.geometry import seconds
from openral_ros.qos import LATCHED, RELIABLE
from openral_ros.resources import ResourceScope
from openral_ros.stream_watchdog import StreamWatchdog
from openral_world_state.lifting.camera import DepthView
from openral_world_state.ros.depth_subscription import NoDepthFrame

_MOST_WAITING = 64

ViewAt = Callable[[str, float], DepthView]
TakeIn = Callable[[DepthView, Sequence[Detection], str], None]


@dataclass(frozen=True, slots=True)
class PendingDetections:
    """Detections of one image that came at steady time ``since`` [s]."""

    source: str
    header: Header
    detections: Sequence[Detection]
    since: float


class DetectionBuffer:
    """Gives each snapshot to memory as soon as its view is known.

    Args:
        view_at: The view of a camera (by optical frame) at a stamp [s].
        take_in: Receives the view and what was seen in it.
        patience: How long a snapshot may wait [s].
        most: Detections taken of one message.
    """

    def __init__(self, view_at: ViewAt, take_in: TakeIn, patience: float, most: int) -> None:
        self._view_at, self._take_in = view_at, take_in
        self._patience, self._most = patience, most
        self._waiting: deque[PendingDetections] = deque(maxlen=_MOST_WAITING)
        self.refused: Counter[str] = Counter()

    def put(self, source: str, message: Detection2DArray) -> None:
        """One snapshot of a detector; what waits is only what may be taken of it."""
        detections, problems = parse_detections(message, self._most)
        self.refused.update(type(problem).__name__ for problem in problems)
        self._waiting.append(PendingDetections(source, message.header, detections, time.monotonic()))
        self.work()

    def work(self) -> None:
        """Try again what waits."""
        for _ in range(len(self._waiting)):
            each = self._waiting.popleft()
            try:
                self._give(each)
            except (NoDepthFrame, StaleTransform) as error:
                if time.monotonic() - each.since < self._patience:
                    self._waiting.append(each)
                else:
                    self.refused[type(error).__name__] += 1
            except OpenRALError as error:
                self.refused[type(error).__name__] += 1

    def _give(self, each: PendingDetections) -> None:
        view = self._view_at(each.header.frame_id, seconds(each.header.stamp))
        self._take_in(view, each.detections, each.source)


def parse_detections(message: Detection2DArray, most: int) -> tuple[list[Detection], list[InvalidDetection]]:
    """Valid detections of a message, at most ``most`` of them, and what is wrong with others."""
    found, problems = [], []
    for each in message.detections[:most]:
        try:
            found.append(detection_from_message(each))
        except InvalidDetection as error:
            problems.append(error)
    if len(message.detections) > most:
        problems.append(InvalidDetection("number of detections", len(message.detections), f"at most {most}"))
    return found, problems


_OBJECTS = "vision_msgs/msg/Detection2DArray"
_EVERY = 1.0
MOST_DETECTORS = 64
"""Detectors heard; whoever appears after that is not."""

OnObjects = Callable[[str, Detection2DArray], None]
OnInfo = Callable[[str, DetectorInfo], None]


class DetectorSubscriptions:
    """Subscribes ``<namespace>/objects`` and ``<namespace>/info`` of each detector.

    Args:
        scope: Holds the subscriptions.
        node: Its namespace is searched for ``openral/perception/*/objects``.
        ears: Mind that each detector's heartbeat comes.
        namespaces: Detectors to hear besides.
        most_bytes: Larger messages are refused unread: as Python objects they are many times as large.
        on_objects: Called with the detector's slug and what it saw.
        on_info: Called with the detector's slug and what it says of itself.
        on_refused: Called with the reason why a message was not read.
    """

    def __init__(
        self,
        scope: ResourceScope,
        node: Node,
        ears: StreamWatchdog,
        namespaces: tuple[str, ...],
        most_bytes: int,
        on_objects: OnObjects,
        on_info: OnInfo,
        on_refused: Callable[[str], None],
    ) -> None:
        self._scope, self._node, self._ears = scope, node, ears
        self._most_bytes, self._on_refused = most_bytes, on_refused
        self._on_objects, self._on_info = on_objects, on_info
        root = node.get_namespace().rstrip("/")
        self._pattern = re.compile(rf"^({re.escape(root)}/openral/perception/[^/]+)/objects$")
        self._heard: set[str] = set()
        for namespace in namespaces:
            if namespace:
                self._hear(namespace.rstrip("/"))
        self._look()
        scope.timer(_EVERY, self._look)

    def _look(self) -> None:
        for topic, types in self._node.get_topic_names_and_types():
            found = self._pattern.match(topic)
            if found and _OBJECTS in types:
                self._hear(found.group(1))

    def _hear(self, namespace: str) -> None:
        if namespace in self._heard:
            return
        if len(self._heard) >= MOST_DETECTORS:
            self._on_refused("TooManyDetectors")
            return
        self._heard.add(namespace)
        slug = namespace.rsplit("/", 1)[-1]
        self._scope.subscription(
            Detection2DArray,
            f"{namespace}/objects",
            partial(self._read, slug),
            RELIABLE,
            raw=True,
        )
        info = self._scope.subscription(
            DetectorInfo, f"{namespace}/info", partial(self._on_info, slug), LATCHED
        )
        self._ears.watch(info)
        self._node.get_logger().info(f"hearing detector {namespace}")

    def _read(self, slug: str, data: bytes) -> None:
        if len(data) > self._most_bytes:
            self._on_refused("MessageTooLarge")
        else:
            self._on_objects(slug, deserialize_message(data, Detection2DArray))
