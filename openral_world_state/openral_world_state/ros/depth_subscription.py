"""Depth subscription of a camera: a history of images by stamp, decoded on request."""

from collections import OrderedDict
from collections.abc import Iterable

import numpy as np
from sensor_msgs.msg import CameraInfo, Image

from openral_core.errors import OpenRALError, format_choices
from openral_core.geometry import InvalidGeometry
from openral_ros.conversions.geometry import nanoseconds, seconds
from openral_ros.conversions.images import depth_of
from openral_ros.qos import SENSOR
from openral_ros.resources import ResourceScope
from openral_ros.tf_buffer import TransformBuffer
from openral_world_state.home.model import is_on_map
from openral_world_state.lifting.camera import DepthView, Intrinsics

MAX_IMAGES = 128
"""Images kept of one camera [1]: 4 s at 30 Hz; bounds memory to 160 MB at 640x480 px."""
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
            if not self._is_lost(stamp) or np.abs(T_asked - T_map_camera).max() > STILL_TOLERANCE:
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

    def _is_lost(self, stamp: float) -> bool:
        """Tell if a later image was received, so that the one of this stamp was lost."""
        return next(reversed(self._images)) * 1e-9 > stamp

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
        while len(self._images) > MAX_IMAGES or next(iter(self._images)) < key - self._history * 1e9:
            self._images.popitem(last=False)

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
