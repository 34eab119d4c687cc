"""Subscriptions to the depth of cameras, received while any detector may be active.

Depth images are kept by stamp, and decoded and registered on request.
"""

import time
from collections import OrderedDict
from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass, field, replace

import numpy as np
from rclpy.subscription import Subscription
from sensor_msgs.msg import CameraInfo, Image

from openral_core.arrays import Array, Array32, Rotation, Transform
from openral_core.detectors import LifecycleState
from openral_core.errors import OpenRALError, format_choices
from openral_core.geometry import InvalidGeometry, frame_name
from openral_ros.conversions.images import depth_of
from openral_ros.conversions.stamps import nanoseconds, seconds
from openral_ros.foreign_topics import subscribe_state
from openral_ros.qos import SENSOR
from openral_ros.resources import ResourceScope, StreamScope
from openral_ros.stream_watchdog import StreamWatchdog
from openral_ros.tf_buffer import TransformBuffer
from openral_ros.unused_memory import release_unused_memory
from openral_world_state.depth_camera import DepthRegistration, DepthView, Intrinsics, InvalidIntrinsics
from openral_world_state.static_map import is_on_map

MAX_IMAGES = 128
"""Images kept of one camera [1]: 4 s at 30 Hz; they take 160 MB at 640x480 px."""
MAX_IMAGE_BYTES = 200_000_000
"""Size of all images kept of one camera [bytes]; larger images are kept for a shorter time."""
STILL_TOLERANCE = 0.005
"""Largest difference of two poses of a camera that stands still [m, rad]; the noise of joint encoders."""
MAX_RECTIFICATION = 0.002
"""Largest angle of R that is ignored in a raw image [rad]; it moves an object by 3 mm at 1.5 m."""
LINGER = 5.0
"""Time for which cameras are received after the last detector became inactive [s]; its last detections
wait for their depth, and objects are stored by a query."""
ASLEEP = {LifecycleState.INACTIVE.value, LifecycleState.UNCONFIGURED.value}
"""States of lifecycle_msgs/State in which a detector detects nothing."""


class UnknownCamera(OpenRALError):
    """No configured camera has this id or frame."""

    def __init__(self, camera: str, camera_names: Iterable[str]) -> None:
        problem = f"unknown camera {camera!r}" if camera else "no camera or frame given"
        super().__init__(f"{problem}; known cameras: {format_choices(camera_names)}")


class NoDepthFrame(OpenRALError):
    """The depth image of that time, or the camera's intrinsics, are missing."""

    def __init__(self, camera: str, stamp: float, count: int, first: float, last: float) -> None:
        stock = f"{count} images kept, from {first:.3f} s to {last:.3f} s" if count else "none received yet"
        super().__init__(f"camera {camera!r} has no depth image with intrinsics at {stamp:.3f} s: {stock}")


class UnalignedDepth(OpenRALError):
    """The depth image is of another frame than the intrinsics, and its own intrinsics are unknown."""

    def __init__(self, camera: str, depth: str, info: str) -> None:
        super().__init__(
            f"depth of camera {camera!r} is in frame {depth!r}, but its camera_info in frame {info!r}, "
            f"and no intrinsics of {depth!r} were received; publish them on {camera}/depth/camera_info, "
            "or configure the driver to align depth to colour"
        )


class UnsupportedRectification(InvalidIntrinsics):
    """R and P of a CameraInfo describe an image that cannot be lifted."""

    def __init__(self, problem: str, remedy: str) -> None:
        super().__init__(f"unsupported rectification: {problem}; {remedy}")


class DepthSubscription:
    """Subscription to one camera's depth images and intrinsics.

    Args:
        scope: Holds the subscriptions.
        name: Camera id, the prefix of its topics.
        history: Time for which images are kept, by their stamps [s].
        tolerance: Largest difference between the stamps of a request and an image [s].
        still_tolerance: The same if the image of that time was lost and the camera stood still meanwhile [s].
        rectified: Ids of cameras whose images are rectified; "<id>/depth" is the depth camera.
    """

    def __init__(
        self,
        scope: StreamScope,
        name: str,
        history: float,
        tolerance: float,
        still_tolerance: float,
        rectified: Collection[str] = (),
    ) -> None:
        self.name, self._history, self._rectified = name, history, rectified
        self._tolerance, self._still_tolerance = tolerance, still_tolerance
        self._images: OrderedDict[int, Image] = OrderedDict()
        self._info: CameraInfo | None = None
        self._depth_info: CameraInfo | None = None
        self._registration: DepthRegistration | None = None
        self._registered: tuple[int, Array32] | None = None
        self.stream = self.subscribe(scope)

    def subscribe(self, scope: StreamScope) -> Subscription:
        """Subscribe to depth and intrinsics, at first or after `pause`; return the subscription to depth."""
        self.stream = scope.subscription(Image, f"{self.name}/depth", self._on_depth, SENSOR)
        subscribe_state(scope, CameraInfo, f"{self.name}/camera_info", self._on_info)
        subscribe_state(scope, CameraInfo, f"{self.name}/depth/camera_info", self._on_depth_info)
        return self.stream

    def pause(self) -> None:
        """Drop the images after the scope of the subscriptions was closed; intrinsics are kept."""
        self._images.clear()
        self._registered = None

    @property
    def can_pause(self) -> bool:
        """False while images have arrived, but not the intrinsics of their camera."""
        return self._info is not None or not self._images

    @property
    def frame(self) -> str:
        """Optical frame of the camera."""
        return frame_name(self._info.header.frame_id) if self._info else f"{self.name}_camera_optical_frame"

    def newest_stamp(self, until: float) -> float | None:
        """Return the stamp of the newest image not later than ``until`` [s]; None if there is none."""
        return max((key * 1e-9 for key in self._images if key * 1e-9 <= until), default=None)

    @property
    def image_size(self) -> tuple[int, int] | None:
        """Width and height of its images [px], None before its intrinsics arrived."""
        return (self._info.width, self._info.height) if self._info else None

    @property
    def intrinsics(self) -> Intrinsics | None:
        """Intrinsics of the camera, None while they are unknown or unusable."""
        try:
            return intrinsics_of(self._info, self.name in self._rectified) if self._info else None
        except InvalidIntrinsics:
            return None

    def view(self, stamp: float, transforms: TransformBuffer, map_frame: str) -> DepthView:
        """Return the depth view at a stamp [s].

        Raises:
            NoDepthFrame: If the depth image of that time or the intrinsics are missing.
            InvalidIntrinsics: If the camera is not calibrated, or its model is not supported.
            UnalignedDepth: If depth is of another frame than the intrinsics, and has none of its own.
            UnknownFrame: If the camera's frame is not connected to the map, or to the depth camera's.
            StaleTransform: If the transforms do not cover that time.
            InvalidGeometry: If the camera's position is not on the map.
        """
        image = self._nearest(stamp)
        if image is None or self._info is None:
            raise self._no_frame(stamp)
        intrinsics = intrinsics_of(self._info, self.name in self._rectified)
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
        depth = self._aligned(image, intrinsics, transforms)
        return DepthView(self.name, stamp, depth, intrinsics, T_map_camera)

    def _aligned(self, image: Image, colour: Intrinsics, transforms: TransformBuffer) -> Array32:
        """Depth image in the colour camera's view [m], registered unless it already is."""
        info, frame = self._depth_info, frame_name(image.header.frame_id)
        if info is None or frame_name(info.header.frame_id) != frame:
            if frame != self.frame:
                raise UnalignedDepth(self.name, frame, self.frame)
            return depth_of(image)
        own = intrinsics_of(info, f"{self.name}/depth" in self._rectified)
        if frame == self.frame and own.matches(colour.resized(own.width, own.height)):
            return depth_of(image)
        T_colour_depth = transforms.lookup(self.frame, frame, seconds(image.header.stamp))
        return self._registered_image(image, own, colour, T_colour_depth)

    def _registered_image(
        self, image: Image, own: Intrinsics, colour: Intrinsics, T_colour_depth: Transform
    ) -> Array32:
        """Register an image, or return the last result if it is of this image; several detectors ask."""
        registration, key = self._registration, nanoseconds(image.header.stamp)
        if registration is None or not (
            registration.depth.matches(own) and registration.colour.matches(colour)
        ):
            registration, self._registered = DepthRegistration(own, colour), None
            self._registration = registration
        if self._registered is None or self._registered[0] != key:
            self._registered = key, registration.register(depth_of(image), T_colour_depth)
        return self._registered[1]

    def _nearest(self, stamp: float) -> Image | None:
        """Nearest image within the larger tolerance."""
        key = min(self._images, key=lambda each: abs(each * 1e-9 - stamp), default=None)
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

    def _on_depth_info(self, info: CameraInfo) -> None:
        self._depth_info = info


def intrinsics_of(info: CameraInfo, rectified: bool = False) -> Intrinsics:
    """Convert a CameraInfo to the intrinsics of its images, which are its binned region of interest.

    Source: sensor_msgs/CameraInfo: a raw image has K and D, a rectified one P and no distortion.

    Args:
        info: Message; K, D, P and the region of interest are for the full resolution.
        rectified: True for the images of a rectified topic, such as `image_rect`.

    Raises:
        InvalidIntrinsics: If the camera is not calibrated, or its model is not supported.
    """
    width, height, region = int(info.width), int(info.height), info.roi
    if rectified:
        whole = Intrinsics(_rectified_matrix(info), width, height)
    else:
        _check_unrotated(np.array(info.r, dtype=np.float64).reshape(3, 3))
        K = np.array(info.k, dtype=np.float64).reshape(3, 3)
        whole = Intrinsics(K, width, height, tuple(map(float, info.d)), info.distortion_model)
    cropped = whole.cropped(region.x_offset, region.y_offset, region.width, region.height)
    return cropped.binned(info.binning_x, info.binning_y)


def _rectified_matrix(info: CameraInfo) -> Array:
    """Camera matrix of the rectified image, the left part of P."""
    P = np.array(info.p, dtype=np.float64).reshape(3, 4)
    if not P.any():
        raise UnsupportedRectification("the image is rectified, but P is 0", "publish P in camera_info")
    if P[:, 3].any():
        raise UnsupportedRectification(
            f"P has the translation ({P[0, 3]:g}, {P[1, 3]:g}) of a second stereo camera",
            "use the first camera of the pair, whose translation is 0",
        )
    if info.roi.do_rectify and (info.roi.width, info.roi.height) not in ((0, 0), (info.width, info.height)):
        raise UnsupportedRectification(
            "the region of interest is of the raw image (do_rectify)",
            "publish the region of the rectified image",
        )
    return P[:, :3]


def _check_unrotated(R: Rotation) -> None:
    """Refuse a raw image whose frame is the rotated one of its rectified image; R of zeros is not set."""
    rotation = float(np.linalg.norm(R - np.eye(3)))
    if R.any() and not rotation <= MAX_RECTIFICATION * np.sqrt(2.0):
        raise UnsupportedRectification(
            "R of camera_info rotates a raw stereo image",
            "use the rectified topic and list it in rectified_cameras",
        )


def find_camera(cameras: Iterable[DepthSubscription], name: str) -> DepthSubscription:
    """Find a camera by its id or optical frame; "" finds the only one.

    Raises:
        UnknownCamera: With the valid ids.
    """
    candidates, name = list(cameras), frame_name(name)
    for camera in candidates:
        if name in (camera.name, camera.frame) or (not name and len(candidates) == 1):
            return camera
    raise UnknownCamera(name, [camera.name for camera in candidates])


@dataclass(frozen=True, slots=True)
class DepthDemand:
    """Detectors by slug with their state; while all known ones are inactive, depth is not needed.

    Detections without a known detector, of other people's nodes, therefore always find their depth.
    """

    states: dict[str, int] = field(default_factory=dict)
    needed_until: float = float("inf")

    def reported(self, slug: str, state: int, now: float) -> "DepthDemand":
        """Return the demand after a detector announced its state at steady time ``now`` [s]."""
        states = {**self.states, slug: state}
        if not set(states.values()) <= ASLEEP:
            return DepthDemand(states)
        return DepthDemand(states, min(self.needed_until, now + LINGER))

    def used(self, now: float) -> "DepthDemand":
        """Return the demand after detections arrived."""
        return replace(self, needed_until=max(self.needed_until, now + LINGER))

    def is_needed(self, now: float) -> bool:
        """Return whether depth is needed."""
        return now < self.needed_until


class DepthStreams:
    """Subscriptions to the depth of every camera, closed while there is no demand.

    Args:
        scope: Of the node.
        watchdog: Watches the streams while they are open.
        clock: Steady time [s].
    """

    def __init__(
        self, scope: ResourceScope, watchdog: StreamWatchdog, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._scope, self._watchdog, self._clock = scope, watchdog, clock
        self._demand = DepthDemand()
        self._cameras: list[DepthSubscription] = []
        self.part = scope.part()
        self.is_open = True

    def add(self, cameras: list[DepthSubscription]) -> None:
        """Take over cameras that subscribed with ``part``."""
        self._cameras = cameras
        self._watch()

    def reported(self, slug: str, state: int) -> None:
        """Open or close the streams for the state that a detector announced."""
        self._demand = self._demand.reported(slug, state, self._clock())
        self.update()

    def used(self) -> None:
        """Open the streams, because detections have arrived."""
        self._demand = self._demand.used(self._clock())
        self.update()

    def update(self) -> None:
        """Open the streams if they are needed, and close them if they no longer are."""
        needed = self._demand.is_needed(self._clock())
        if needed and not self.is_open:
            self._open()
        elif not needed and self.is_open and all(camera.can_pause for camera in self._cameras):
            self._close()

    def _open(self) -> None:
        self.part, self.is_open = self._scope.part(), True
        for camera in self._cameras:
            camera.subscribe(self.part)
        self._watch()

    def _close(self) -> None:
        self.part.close()
        self.is_open = False
        for camera in self._cameras:
            camera.pause()
        release_unused_memory()

    def _watch(self) -> None:
        for camera in self._cameras:
            self._watchdog.watch(camera.stream, self.part)
