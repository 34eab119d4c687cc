"""Depth images by camera and stamp, decoded when asked for."""

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

_MOST_IMAGES = 128
_STILL = 0.005
"""How far a camera that stands still may seem to move [m, rad]."""


class UnknownCamera(OpenRALError):
    """A camera id or frame that this node does not serve."""

    def __init__(self, asked: str, known: Iterable[str]) -> None:
        words = (
            f"unknown camera {asked!r}: known" if asked else "neither a camera nor a frame is named: there"
        )
        super().__init__(f"{words} are {format_choices(known)}")


class NoDepthFrame(OpenRALError):
    """The depth image of that moment, or the camera's intrinsics, are not at hand."""

    def __init__(self, camera: str, stamp: float, held: int, first: float, last: float) -> None:
        kept = f"{held} kept from {first:.3f} s to {last:.3f} s" if held else "none came yet"
        super().__init__(f"no depth image of camera {camera!r} at {stamp:.3f} s with intrinsics: {kept}")


class UnalignedDepth(OpenRALError):
    """Depth measured by another camera than the one its intrinsics are of."""

    def __init__(self, camera: str, depth: str, info: str) -> None:
        super().__init__(
            f"depth of camera {camera!r} is of frame {depth!r} and its camera_info of frame {info!r}: "
            "have the driver align depth to colour, then both are of one frame"
        )


class DepthSubscription:
    """The last depth images of one camera.

    Args:
        scope: Holds the subscriptions.
        name: Camera id, the prefix of its topics.
        history: How long images are kept, by their stamps [s].
        tolerance: How far an image's stamp may be from the one asked for [s].
        still_tolerance: How far when that moment's image was lost and the camera stood still meanwhile [s].
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
        """What the camera saw at a stamp [s].

        Raises:
            NoFrame: If the depth image of that moment or the intrinsics are not at hand.
            InvalidIntrinsics: If the camera is not calibrated, or its lens is not known here.
            UnalignedDepth: If the depth image is not that camera's.
            UnknownFrame: If its frame hangs in the air.
            StaleTransform: If the transforms do not cover the moment.
            InvalidGeometry: If they lead off every map.
        """
        image = self._nearest(stamp)
        if image is None or self._info is None:
            raise self._no_frame(stamp)
        if image.header.frame_id != self.frame:
            raise UnalignedDepth(self.name, image.header.frame_id, self.frame)
        T_map_camera = transforms.lookup(map_frame, self.frame, seconds(image.header.stamp))
        if abs(seconds(image.header.stamp) - stamp) > self._tolerance:
            T_asked = transforms.lookup(map_frame, self.frame, stamp)
            if not self._is_lost(stamp) or np.abs(T_asked - T_map_camera).max() > _STILL:
                raise self._no_frame(stamp)
        if not is_on_map(T_map_camera[:3, 3]):
            raise InvalidGeometry("position of the camera", T_map_camera[:3, 3].tolist(), "one on the map")
        return DepthView(self.name, stamp, depth_of(image), intrinsics_of(self._info), T_map_camera)

    def _nearest(self, stamp: float) -> Image | None:
        """The image nearest in time that may stand for a moment at all."""
        key = min(self._images, key=lambda each: abs(each * 1e-9 - stamp), default=None)
        farthest = max(self._tolerance, self._still_tolerance)
        return self._images[key] if key is not None and abs(key * 1e-9 - stamp) <= farthest else None

    def _is_lost(self, stamp: float) -> bool:
        """Whether a later image came, so that the one of a moment will not come any more."""
        return next(reversed(self._images)) * 1e-9 > stamp

    def _no_frame(self, stamp: float) -> NoDepthFrame:
        stamps = [key * 1e-9 for key in self._images]
        return NoDepthFrame(self.name, stamp, len(stamps), min(stamps, default=0.0), max(stamps, default=0.0))

    def _on_depth(self, image: Image) -> None:
        """Keep an image; one from long before the newest means the clock jumped back, and starts anew."""
        key = nanoseconds(image.header.stamp)
        newest = next(reversed(self._images), key)
        if key < newest - self._history * 1e9:
            self._images.clear()
        self._images[key] = image
        while len(self._images) > _MOST_IMAGES or next(iter(self._images)) < key - self._history * 1e9:
            self._images.popitem(last=False)

    def _on_info(self, info: CameraInfo) -> None:
        self._info = info


def intrinsics_of(info: CameraInfo) -> Intrinsics:
    """Intrinsics of the images that come with a CameraInfo: K is of the whole sensor, they of its region.

    Raises:
        InvalidIntrinsics: If the camera is not calibrated, or its lens is not known here.
    """
    K = np.array(info.k, dtype=np.float64).reshape(3, 3)
    whole = Intrinsics(K, int(info.width), int(info.height), tuple(map(float, info.d)), info.distortion_model)
    region = whole.cropped(info.roi.x_offset, info.roi.y_offset, info.roi.width, info.roi.height)
    return region.binned(info.binning_x, info.binning_y)


def camera_named(feeds: Iterable[DepthSubscription], name: str) -> DepthSubscription:
    """The camera of an id, or of an optical frame; "" is the only one.

    Raises:
        UnknownCamera: Naming the valid ones.
    """
    known = list(feeds)
    for feed in known:
        if name in (feed.name, feed.frame) or (not name and len(known) == 1):
            return feed
    raise UnknownCamera(name, [feed.name for feed in known])
