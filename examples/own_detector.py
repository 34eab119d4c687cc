"""A detector of your own: finds the largest red region in the head camera's image.

Any node can be a detector: it announces itself on ``openral/perception/<slug>/info`` twice a second and
serves ``openral/perception/<slug>/locate_in_view``. The reasoner then offers it to the decision model.
A model with weights is better packaged as an rSkill, which gives it a worker process (docs/detectors.md).

Usage: tools/env python examples/own_detector.py
"""

from contextlib import suppress
from typing import TypeAlias

import numpy as np
import rclpy
from rclpy.executors import ExternalShutdownException
from rclpy.node import Node
from rclpy.qos import DurabilityPolicy, QoSProfile, qos_profile_sensor_data
from sensor_msgs.msg import Image
from vision_msgs.msg import Detection2D, ObjectHypothesis, ObjectHypothesisWithPose

from openral_core import CONTRACT_VERSION
from openral_msgs.msg import DetectorInfo
from openral_msgs.srv import LocateInView
from openral_ros.conversions.images import rgb_of

ID, SLUG, CAMERA = "red-finder", "red_finder", "head"
ACTIVE = 3
"""lifecycle_msgs/State.PRIMARY_STATE_ACTIVE."""
MIN_PIXELS = 25
Response: TypeAlias = LocateInView.Response


class RedFinder(Node):
    """Serves ``locate_in_view`` for red objects."""

    def __init__(self) -> None:
        super().__init__("detector", namespace=f"openral/perception/{SLUG}")
        latched = QoSProfile(depth=1, durability=DurabilityPolicy.TRANSIENT_LOCAL)
        self._image: Image | None = None
        self._info = self.create_publisher(DetectorInfo, "info", latched)
        self.create_subscription(Image, f"/{CAMERA}/image_raw", self._on_image, qos_profile_sensor_data)
        self.create_service(LocateInView, "locate_in_view", self._on_locate)
        self.create_timer(0.5, self._announce)
        self._announce()

    def _announce(self) -> None:
        self._info.publish(
            DetectorInfo(
                contract_version=CONTRACT_VERSION,
                id=ID,
                slug=SLUG,
                mode=DetectorInfo.MODE_ON_DEMAND,
                vocabulary=DetectorInfo.VOCABULARY_CLOSED,
                labels=["red object"],
                engine="threshold",
                description="Finds red objects of any kind.",
                cameras=[CAMERA],
                licence="Apache-2.0",
                commercial_use=True,
                lifecycle_state=ACTIVE,
            )
        )

    def _on_image(self, image: Image) -> None:
        self._image = image

    def _on_locate(self, request: LocateInView.Request, response: Response) -> Response:
        response.detector, response.camera = ID, CAMERA
        if "red" not in request.query.lower().split():
            response.status, response.message = Response.NOT_IN_VOCABULARY, "this detector knows red objects"
            return response
        if self._image is None:
            response.status, response.message = Response.NO_FRAME, f"no image of camera {CAMERA!r} yet"
            return response
        red, green, blue = np.moveaxis(rgb_of(self._image).astype(int), 2, 0)
        rows, columns = np.nonzero((red > 120) & (red > 2 * green) & (red > 2 * blue))
        response.detections.header = self._image.header
        if len(rows) < MIN_PIXELS:
            response.status, response.message = Response.NOT_IN_VIEW, "nothing red in view"
            return response
        response.detections.detections = [_detection(self._image, rows, columns)]
        response.status, response.found, response.message = Response.FOUND, True, f"{len(rows)} red pixels"
        return response


def _detection(image: Image, rows: np.ndarray, columns: np.ndarray) -> Detection2D:
    detection = Detection2D(header=image.header)
    box = detection.bbox
    box.size_x, box.size_y = float(np.ptp(columns) + 1), float(np.ptp(rows) + 1)
    box.center.position.x, box.center.position.y = float(np.mean(columns)), float(np.mean(rows))
    hypothesis = ObjectHypothesis(class_id="red object", score=0.9)
    detection.results = [ObjectHypothesisWithPose(hypothesis=hypothesis)]
    return detection


if __name__ == "__main__":
    rclpy.init()
    with suppress(KeyboardInterrupt, ExternalShutdownException):
        rclpy.spin(RedFinder())
