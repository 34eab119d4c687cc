"""Subscriptions to detectors; detections wait in a buffer until their depth and transforms have arrived."""

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

from openral_core.detectors import Detection, InvalidDetection
from openral_core.errors import OpenRALError
from openral_core.geometry import StaleTransform
from openral_msgs.msg import DetectorInfo
from openral_ros.conversions.detections import detection_from_message
from openral_ros.conversions.stamps import seconds
from openral_ros.qos import LATCHED, RELIABLE
from openral_ros.resources import ResourceScope
from openral_ros.stream_watchdog import StreamWatchdog
from openral_world_state.depth_camera import DepthView
from openral_world_state.ros.depth_subscription import NoDepthFrame

HOME_MAP = "home_map"
"""Topic of the home that the mapper found: JSON of `openral_core.home_map.HomeMap`, latched."""
MAX_PENDING = 64
"""Frames that wait for depth and transforms [1], over all detectors; the oldest are dropped."""
MAX_DETECTORS = 64
"""Detectors subscribed to [1]; later ones are refused, because any client can create topics."""
DISCOVERY_PERIOD = 1.0
"""Time between two searches for new detectors [s]."""
_OBJECTS_TYPE = "vision_msgs/msg/Detection2DArray"

ViewAt = Callable[[str, float], DepthView]
Integrate = Callable[[DepthView, Sequence[Detection], str], None]
OnObjects = Callable[[str, Detection2DArray], None]
OnInfo = Callable[[str, DetectorInfo], None]


@dataclass(frozen=True, slots=True)
class PendingDetections:
    """Detections of one image, received at steady time ``since`` [s]."""

    source: str
    header: Header
    detections: Sequence[Detection]
    since: float


class DetectionBuffer:
    """Integrate each frame of detections as soon as its depth view is available.

    Args:
        view_at: Returns the view of a camera (by optical frame) at a stamp [s].
        integrate: Called with the view, the detections and the detector.
        patience: Time a frame may wait [s].
        max_detections: Detections read of one message.
        clock: Steady time [s].
        on_refused: Called with each frame that cannot be integrated.
    """

    def __init__(
        self,
        view_at: ViewAt,
        integrate: Integrate,
        patience: float,
        max_detections: int,
        clock: Callable[[], float] = time.monotonic,
        on_refused: Callable[[PendingDetections], None] = lambda pending: None,
    ) -> None:
        self._on_refused = on_refused
        self._view_at, self._integrate, self._clock = view_at, integrate, clock
        self._patience, self._max_detections = patience, max_detections
        self._pending: deque[PendingDetections] = deque(maxlen=MAX_PENDING)
        self.refused: Counter[str] = Counter()
        self.examples: dict[str, str] = {}
        """First message of each kind of refusal."""

    def add(self, source: str, message: Detection2DArray) -> None:
        """Add a detector's message; only its valid detections are kept."""
        detections, errors = parse_detections(message, self._max_detections)
        for error in errors:
            self._refuse(error)
        self._pending.append(PendingDetections(source, message.header, detections, self._clock()))
        self.process()

    @property
    def is_empty(self) -> bool:
        """True if no frame waits."""
        return not self._pending

    def process(self) -> None:
        """Integrate the frames whose view is available by now."""
        for _ in range(len(self._pending)):
            pending = self._pending.popleft()
            try:
                view = self._view_at(pending.header.frame_id, seconds(pending.header.stamp))
                self._integrate(view, pending.detections, pending.source)
            except (NoDepthFrame, StaleTransform) as error:
                if self._clock() - pending.since < self._patience:
                    self._pending.append(pending)
                    continue
                self._refuse(error)
                self._on_refused(pending)
            except OpenRALError as error:
                self._refuse(error)
                self._on_refused(pending)

    def _refuse(self, error: OpenRALError) -> None:
        self.refused[type(error).__name__] += 1
        self.examples.setdefault(type(error).__name__, str(error))


def parse_detections(
    message: Detection2DArray, max_detections: int
) -> tuple[list[Detection], list[InvalidDetection]]:
    """Return the first ``max_detections`` valid detections of a message, and the errors of the others."""
    detections, errors = [], []
    for detection in message.detections[:max_detections]:
        try:
            detections.append(detection_from_message(detection))
        except InvalidDetection as error:
            errors.append(error)
    count = len(message.detections)
    if count > max_detections:
        errors.append(InvalidDetection("number of detections", count, f"at most {max_detections}"))
    return detections, errors


class DetectorSubscriptions:
    """Subscriptions to ``<namespace>/objects`` and ``<namespace>/info`` of each detector, found in the graph.

    Args:
        scope: Owns the subscriptions.
        node: Its namespace is searched for ``openral/perception/*/objects``.
        watchdog: Watches the ``info`` of each detector, which is repeated.
        namespaces: Further detectors.
        max_bytes: Size above which a message is refused before it is deserialised, because Python objects
            take many times its size [bytes].
        on_objects: Called with the detector's slug and its detections.
        on_info: Called with the detector's slug and its info.
        on_refused: Called with the reason why a message or detector was refused.
    """

    def __init__(
        self,
        scope: ResourceScope,
        node: Node,
        watchdog: StreamWatchdog,
        namespaces: tuple[str, ...],
        max_bytes: int,
        on_objects: OnObjects,
        on_info: OnInfo,
        on_refused: Callable[[str], None],
    ) -> None:
        self._scope, self._node, self._watchdog = scope, node, watchdog
        self._max_bytes, self._on_refused = max_bytes, on_refused
        self._on_objects, self._on_info = on_objects, on_info
        root = node.get_namespace().rstrip("/")
        self._pattern = re.compile(rf"^({re.escape(root)}/openral/perception/[^/]+)/objects$")
        self._subscribed: set[str] = set()
        for namespace in namespaces:
            if namespace:
                self._subscribe(namespace.rstrip("/"))
        self._discover()
        scope.timer(DISCOVERY_PERIOD, self._discover)

    def _discover(self) -> None:
        for topic, types in self._node.get_topic_names_and_types():
            match = self._pattern.match(topic)
            if match and _OBJECTS_TYPE in types:
                self._subscribe(match.group(1))

    def _subscribe(self, namespace: str) -> None:
        if namespace in self._subscribed:
            return
        if len(self._subscribed) >= MAX_DETECTORS:
            self._on_refused("TooManyDetectors")
            return
        self._subscribed.add(namespace)
        slug = namespace.rsplit("/", 1)[-1]
        self._scope.subscription(
            Detection2DArray, f"{namespace}/objects", partial(self._read, slug), RELIABLE, raw=True
        )
        info = self._scope.subscription(
            DetectorInfo, f"{namespace}/info", partial(self._on_info, slug), LATCHED
        )
        self._watchdog.watch(info)
        self._node.get_logger().info(f"subscribed to detector {namespace}")

    def _read(self, slug: str, data: bytes) -> None:
        if len(data) > self._max_bytes:
            self._on_refused("MessageTooLarge")
        else:
            self._on_objects(slug, deserialize_message(data, Detection2DArray))
