"""Detections as vision_msgs and back."""

from collections.abc import Iterable

from std_msgs.msg import Header
from vision_msgs.msg import (
    BoundingBox2D,
    Detection2D,
    Detection2DArray,
    ObjectHypothesisWithPose,
)

from openral_core.detections import Box, Detection


def detections_message(detections: Iterable[Detection], header: Header) -> Detection2DArray:
    """Detections in the image that ``header`` stamps."""
    return Detection2DArray(header=header, detections=[_message(each, header) for each in detections])


def detections_from_message(message: Detection2DArray) -> list[Detection]:
    """The best hypothesis of each detection.

    Raises:
        InvalidDetection: If a box, label or score is not valid.
    """
    return [detection_from_message(each) for each in message.detections]


def detection_from_message(message: Detection2D) -> Detection:
    """The best hypothesis of one detection.

    Raises:
        InvalidDetection: If its box, label or score is not valid.
    """
    best = max(
        message.results,
        key=lambda result: result.hypothesis.score,
        default=ObjectHypothesisWithPose(),
    )
    box, (x, y) = (
        message.bbox,
        (message.bbox.center.position.x, message.bbox.center.position.y),
    )
    return Detection(
        Box(
            x - box.size_x / 2.0,
            y - box.size_y / 2.0,
            x + box.size_x / 2.0,
            y + box.size_y / 2.0,
        ),
        best.hypothesis.class_id,
        float(best.hypothesis.score),
        message.id,
    )


def _message(detection: Detection, header: Header) -> Detection2D:
    x, y = detection.box.center
    # A whole number in a float field aborts the process inside the message's C code.
    box = BoundingBox2D(size_x=float(detection.box.width), size_y=float(detection.box.height))
    box.center.position.x, box.center.position.y = float(x), float(y)
    hypothesis = ObjectHypothesisWithPose()
    hypothesis.hypothesis.class_id = detection.label
    hypothesis.hypothesis.score = float(detection.score)
    return Detection2D(header=header, bbox=box, results=[hypothesis], id=detection.track)
