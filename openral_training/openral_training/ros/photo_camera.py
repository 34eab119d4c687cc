"""Camera whose images are the photographs of a folder, one at a time."""

import math
from collections.abc import Callable
from pathlib import Path

import cv2
import numpy as np
from rclpy.node import Node
from sensor_msgs.msg import CameraInfo, CompressedImage, Image
from std_srvs.srv import Trigger

from openral_core.robot import Camera
from openral_ros.conversions.images import image_message
from openral_ros.conversions.stamps import seconds
from openral_ros.qos import LATCHED, SENSOR
from openral_ros.resources import ResourceScope
from openral_training.ros.sources import SUFFIXES, NoImages, stored_images

NEXT = "next_photograph"
"""Service (std_srvs/Trigger) that shows the next photograph; its answer names the file."""
LONGER_SIDE = 1280
"""Longest side of an image, to which larger photographs shrink [px]: shared memory holds some of these."""


class PhotoCamera:
    """Publisher of images and intrinsics on topics of robot.yaml; used on the thread of its node.

    After the last photograph comes the first.

    Args:
        node: In the robot's namespace.
        scope: Of that node.
        camera: Its topics and frame.
        folder: Of photographs.
        rate: Images per second [Hz].
        field_of_view: Of the longer side [degrees].
        report: Called with a line about each photograph that is shown, or cannot be.

    Raises:
        NoImages: If the folder is missing or has none, or the first cannot be decoded.
    """

    def __init__(
        self,
        node: Node,
        scope: ResourceScope,
        camera: Camera,
        folder: Path,
        rate: float,
        field_of_view: float,
        report: Callable[[str], object],
    ) -> None:
        self._clock, self._camera, self._report = node.get_clock(), camera, report
        self._focal = 0.5 / math.tan(math.radians(field_of_view) / 2.0)
        self._files = sorted(each for each in folder.glob("*") if each.suffix.lower() in SUFFIXES)
        self._index = -1
        if not self._files:
            expected = f"expected files that end with {', '.join(SUFFIXES)}"
            raise NoImages(folder, expected if folder.is_dir() else "no such folder")
        self._decode_next()
        self._is_compressed = camera.transport == "compressed"
        message = CompressedImage if self._is_compressed else Image
        self._images = scope.publisher(message, camera.image_topic, SENSOR)
        self._info = scope.publisher(CameraInfo, camera.info, LATCHED)
        scope.service(Trigger, NEXT, self._on_next)
        scope.timer(1.0 / rate, self._publish)

    def show_next(self) -> tuple[bool, str]:
        """Show the next photograph; return whether it could be decoded, and its name or why not."""
        try:
            return True, self._decode_next()
        except NoImages as error:
            self._report(str(error))
            return False, str(error)

    def _decode_next(self) -> str:
        self._index = (self._index + 1) % len(self._files)
        file = self._files[self._index]
        (pixels, _), *_ = stored_images(file)
        scale = min(1.0, LONGER_SIDE / max(pixels.shape))
        shrunk = cv2.resize(pixels, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA)
        self._pixels = np.asarray(shrunk, np.uint8)
        height, width = self._pixels.shape[:2]
        self._report(f"{self._index + 1} of {len(self._files)}: {file.name}, {width}x{height}")
        return file.name

    def _on_next(self, _: Trigger.Request, response: Trigger.Response) -> Trigger.Response:
        response.success, response.message = self.show_next()
        return response

    def _publish(self) -> None:
        time, frame = seconds(self._clock.now().to_msg()), self._camera.optical_frame
        image = image_message(self._pixels, "rgb8", time, frame)
        width, height, focal = image.width, image.height, self._focal * max(image.width, image.height)
        info = CameraInfo(header=image.header, width=width, height=height, distortion_model="plumb_bob")
        info.d, info.r = [0.0] * 5, np.eye(3).ravel()
        info.k = [focal, 0.0, width / 2.0, 0.0, focal, height / 2.0, 0.0, 0.0, 1.0]
        info.p = [*info.k[:3], 0.0, *info.k[3:6], 0.0, *info.k[6:], 0.0]
        self._info.publish(info)
        if self._is_compressed:
            data = cv2.imencode(".jpg", self._pixels[..., ::-1])[1].tobytes()
            image = CompressedImage(header=image.header, format="rgb8; jpeg compressed bgr8", data=data)
        self._images.publish(image)
