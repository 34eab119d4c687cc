"""Subscriptions to cameras and detectors.

Depth images are kept by stamp and decoded on request; detections wait in a buffer until their depth and
transforms have arrived.
"""

import re
import time
from collections import Counter, OrderedDict, deque
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np
from rclpy.node import Node
from rclpy.serialization import deserialize_message
from sensor_msgs.msg import CameraInfo, Image
from std_msgs.msg import Header
from vision_msgs.msg import Detection2DArray

from openral_core.detectors import Detection, InvalidDetection
from openral_core.errors import OpenRALError, format_choices
from openral_core.geometry import InvalidGeometry, StaleTransform
from openral_msgs.msg import DetectorInfo
from openral_ros.conversions.detections import detection_from_message
from openral_ros.conversions.images import depth_of
from openral_ros.conversions.stamps import nanoseconds, seconds
from openral_ros.qos import LATCHED, RELIABLE, SENSOR
from openral_ros.resources import ResourceScope
from openral_ros.stream_watchdog import StreamWatchdog
from openral_ros.tf_buffer import TransformBuffer
from openral_world_state.depth_camera import DepthView, Intrinsics
from openral_world_state.static_map import is_on_map

MAX_IMAGES = 128
"""Images kept of one camera [1]: 4 s at 30 Hz; they take 160 MB at 640x480 px."""
MAX_IMAGE_BYTES = 200_000_000
"""Size of all images kept of one camera [bytes]; larger images are kept for a shorter time."""
STILL_TOLERANCE = 0.005
"""Largest difference of two poses of a camera that stands still [m, rad]; the noise of joint encoders."""


class UnknownCamera(OpenRALError):
    """No configured camera has this id or frame."""

    def __init__(self, camera: str, known: Iterable[str]) -> None:
        problem = f"unknown camera {camera!r}" if camera else "no camera or frame given"
        super().__init__(f"{problem}; known cameras: {format_choices(known)}")


class NoDepthFrame(OpenRALError):
    """The depth image of that time, or the camera's intrinsics, are missing."""

    def __init__(self, camera: str, stamp: float, held: int, first: float, last: float) -> None:
        kept = f"{held} images kept, from {first:.3f} s to {last:.3f} s" if held else "none received yet"
        super().__init__(f"camera {camera!r} has no depth image with intrinsics at {stamp:.3f} s: {kept}")


class UnalignedDepth(OpenRALError):
    """The depth image and the intrinsics are of different frames."""

    def __init__(self, camera: str, depth: str, info: str) -> None:
        super().__init__(
            f"depth of camera {camera!r} is in frame {depth!r}, but its camera_info in frame {info!r}; "
            "configure the driver to align depth to colour"
        )


class DepthSubscription:
    """Subscription to one camera's depth images and intrinsics.

    Args:
        scope: Holds the subscriptions.
        name: Camera id, the prefix of its topics.
        history: Time for which images are kept, by their stamps [s].
        tolerance: Largest difference between the stamps of a request and an image [s].
        still_tolerance: The same if the image of that time was lost and the camera stood still meanwhile [s].
    """

    def __init__(
        self, scope: ResourceScope, name: str, history: float, tolerance: float, still_tolerance: float
    ) -> None:
        self.name, self._history = name, history
        self._tolerance, self._still_tolerance = tolerance, still_tolerance
        self._images: OrderedDict[int, Image] = OrderedDict()
        self._bytes = 0
        self._info: CameraInfo | None = None
        self.stream = scope.subscription(Image, f"{name}/depth", self._on_depth, SENSOR)
        scope.subscription(CameraInfo, f"{name}/camera_info", self._on_info, SENSOR)

    @property
    def frame(self) -> str:
        """Optical frame of the camera."""
        return self._info.header.frame_id if self._info else f"{self.name}_camera_optical_frame"

    def view(self, stamp: float, transforms: TransformBuffer, map_frame: str) -> DepthView:
        """Return the depth view at a stamp [s].

        Raises:
            NoDepthFrame: If the depth image of that time or the intrinsics are missing.
            InvalidIntrinsics: If the camera is not calibrated, or its distortion model is unknown.
            UnalignedDepth: If depth and intrinsics are of different frames.
            UnknownFrame: If the camera's frame is not connected to the map.
            StaleTransform: If the transforms do not cover that time.
            InvalidGeometry: If the camera's position is not on the map.
        """
        image = self._nearest(stamp)
        if image is None or self._info is None:
            raise self._no_frame(stamp)
        if image.header.frame_id != self.frame:
            raise UnalignedDepth(self.name, image.header.frame_id, self.frame)
        T_map_camera = transforms.lookup(map_frame, self.frame, seconds(image.header.stamp))
        if abs(seconds(image.header.stamp) - stamp) > self._tolerance:
            T_asked = transforms.lookup(map_frame, self.frame, stamp)
            is_lost = next(reversed(self._images)) * 1e-9 > stamp  # a later image was received
            if not is_lost or np.abs(T_asked - T_map_camera).max() > STILL_TOLERANCE:
                raise self._no_frame(stamp)
        if not is_on_map(T_map_camera[:3, 3]):
            raise InvalidGeometry(
                "position of the camera", T_map_camera[:3, 3].tolist(), "a position on the map"
            )
        return DepthView(self.name, stamp, depth_of(image), intrinsics_of(self._info), T_map_camera)

    def _nearest(self, stamp: float) -> Image | None:
        """Nearest image within the larger tolerance."""
        key = min(self._images, key=lambda kept: abs(kept * 1e-9 - stamp), default=None)
        farthest = max(self._tolerance, self._still_tolerance)
        return self._images[key] if key is not None and abs(key * 1e-9 - stamp) <= farthest else None

    def _no_frame(self, stamp: float) -> NoDepthFrame:
        stamps = [key * 1e-9 for key in self._images]
        return NoDepthFrame(self.name, stamp, len(stamps), min(stamps, default=0.0), max(stamps, default=0.0))

    def _on_depth(self, image: Image) -> None:
        """Keep an image; if it is far older than the newest, the clock restarted: drop the others."""
        key = nanoseconds(image.header.stamp)
        newest = next(reversed(self._images), key)
        if key < newest - self._history * 1e9:
            self._images.clear()
        self._images[key] = image
        while len(self._images) > 1 and self._is_full(key):
            self._images.popitem(last=False)

    def _is_full(self, newest: int) -> bool:
        """Return True if the oldest image must go; ``newest`` is the key of the newest."""
        size = sum(len(image.data) for image in self._images.values())
        oldest = next(iter(self._images))
        return (
            len(self._images) > MAX_IMAGES or size > MAX_IMAGE_BYTES or oldest < newest - self._history * 1e9
        )

    def _on_info(self, info: CameraInfo) -> None:
        self._info = info


def intrinsics_of(info: CameraInfo) -> Intrinsics:
    """Convert a CameraInfo to the intrinsics of its images, which are its binned region of interest.

    Raises:
        InvalidIntrinsics: If the camera is not calibrated, or its distortion model is unknown.
    """
    K = np.array(info.k, dtype=np.float64).reshape(3, 3)
    whole = Intrinsics(K, int(info.width), int(info.height), tuple(map(float, info.d)), info.distortion_model)
    region = whole.cropped(info.roi.x_offset, info.roi.y_offset, info.roi.width, info.roi.height)
    return region.binned(info.binning_x, info.binning_y)


def find_camera(cameras: Iterable[DepthSubscription], name: str) -> DepthSubscription:
    """Find a camera by its id or optical frame; "" finds the only one.

    Raises:
        UnknownCamera: With the valid ids.
    """
    known = list(cameras)
    for camera in known:
        if name in (camera.name, camera.frame) or (not name and len(known) == 1):
            return camera
    raise UnknownCamera(name, [camera.name for camera in known])


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
    """

    def __init__(self, view_at: ViewAt, integrate: Integrate, patience: float, max_detections: int) -> None:
        self._view_at, self._integrate = view_at, integrate
        self._patience, self._max_detections = patience, max_detections
        self._pending: deque[PendingDetections] = deque(maxlen=MAX_PENDING)
        self.refused: Counter[str] = Counter()

    def add(self, source: str, message: Detection2DArray) -> None:
        """Add a detector's message; only its valid detections are kept."""
        detections, errors = parse_detections(message, self._max_detections)
        self.refused.update(type(error).__name__ for error in errors)
        self._pending.append(PendingDetections(source, message.header, detections, time.monotonic()))
        self.process()

    def process(self) -> None:
        """Integrate the frames whose view is available by now."""
        for _ in range(len(self._pending)):
            pending = self._pending.popleft()
            try:
                view = self._view_at(pending.header.frame_id, seconds(pending.header.stamp))
                self._integrate(view, pending.detections, pending.source)
            except (NoDepthFrame, StaleTransform) as error:
                if time.monotonic() - pending.since < self._patience:
                    self._pending.append(pending)
                else:
                    self.refused[type(error).__name__] += 1
            except OpenRALError as error:
                self.refused[type(error).__name__] += 1


def parse_detections(
    message: Detection2DArray, max_detections: int
) -> tuple[list[Detection], list[InvalidDetection]]:
    """Return the first ``max_detections`` valid detections of a message, and the errors of the others."""
    found, errors = [], []
    for detection in message.detections[:max_detections]:
        try:
            found.append(detection_from_message(detection))
        except InvalidDetection as error:
            errors.append(error)
    count = len(message.detections)
    if count > max_detections:
        errors.append(InvalidDetection("number of detections", count, f"at most {max_detections}"))
    return found, errors


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
            found = self._pattern.match(topic)
            if found and _OBJECTS_TYPE in types:
                self._subscribe(found.group(1))

    def _subscribe(self, namespace: str) -> None:
        if namespace in self._subscribed:
            return
        if len(self._subscribed) >= MAX_DETECTORS:
            self._on_refused("TooManyDetectors")
            return
        self._subscribed.add(namespace)
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
        self._watchdog.watch(info)
        self._node.get_logger().info(f"subscribed to detector {namespace}")

    def _read(self, slug: str, data: bytes) -> None:
        if len(data) > self._max_bytes:
            self._on_refused("MessageTooLarge")
        else:
            self._on_objects(slug, deserialize_message(data, Detection2DArray))
