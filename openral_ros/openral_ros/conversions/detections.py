"""Conversions of detections, detector descriptions and locate results."""

import json
import math
from collections.abc import Iterable, Iterator

from std_msgs.msg import Header
from vision_msgs.msg import (
    BoundingBox2D,
    Detection2D,
    Detection2DArray,
    ObjectHypothesisWithPose,
)

from openral_core import CONTRACT_VERSION
from openral_core.detectors import (
    Box,
    Detection,
    DetectorInfo,
    Health,
    LifecycleState,
    LocateResult,
    LocateStatus,
    UnplacedDetection,
    part_of_image,
)
from openral_core.errors import OpenRALError
from openral_core.rskills import Mode, Name, Vocabulary
from openral_msgs.msg import DetectorInfo as DetectorInfoMsg
from openral_msgs.srv import LocateInView
from openral_ros.conversions.stamps import seconds, stamp_of


def detections_message(detections: Iterable[Detection], header: Header) -> Detection2DArray:
    """Convert detections in the image with this ``header``."""
    return Detection2DArray(
        header=header, detections=[detection_message(detection, header) for detection in detections]
    )


def detections_from_message(message: Detection2DArray) -> list[Detection]:
    """Convert detections, with the best hypothesis of each.

    Raises:
        InvalidDetection: If a box, label or score is not valid.
    """
    return [detection_from_message(detection) for detection in message.detections]


def detection_from_message(message: Detection2D) -> Detection:
    """Convert one detection, with its best hypothesis.

    Raises:
        InvalidDetection: If its box, label or score is not valid.
    """
    best = max(
        message.results,
        key=lambda result: result.hypothesis.score,
        default=ObjectHypothesisWithPose(),
    )
    box, x, y = message.bbox, message.bbox.center.position.x, message.bbox.center.position.y
    half_width, half_height = box.size_x / 2.0, box.size_y / 2.0
    return Detection(
        Box(x - half_width, y - half_height, x + half_width, y + half_height),
        best.hypothesis.class_id,
        float(best.hypothesis.score),
        message.id,
    )


def detection_message(detection: Detection, header: Header) -> Detection2D:
    """Convert one detection."""
    x, y = detection.box.center
    # An int in a float field aborts the process inside the C code of the message.
    box = BoundingBox2D(size_x=float(detection.box.width), size_y=float(detection.box.height))
    box.center.position.x, box.center.position.y = float(x), float(y)
    hypothesis = ObjectHypothesisWithPose()
    hypothesis.hypothesis.class_id = detection.label
    hypothesis.hypothesis.score = float(detection.score)
    return Detection2D(header=header, bbox=box, results=[hypothesis], id=detection.track)


def unplaced_message(
    camera: str, stamp: float, detection: Detection, size: tuple[int, int] | None
) -> Detection2D:
    """Convert a detection that has no place in the map; ``size`` is the image's (width, height) [px].

    Its box is relative to the image, its size 0 where that of the image is unknown.
    """
    message = detection_message(detection, Header(stamp=stamp_of(stamp), frame_id=camera))
    width, height = size if size and min(size) > 0 else (math.inf, math.inf)
    box, centre = message.bbox, message.bbox.center.position
    box.size_x, box.size_y = box.size_x / width, box.size_y / height
    centre.x, centre.y = centre.x / width, centre.y / height
    return message


MAX_IN_VIEW_AGE = 10.0
"""Age of an image after which it no longer shows what is in view [s]; clocks of cameras differ."""


def unplaced_from_message(message: Detection2DArray, now: float) -> Iterator[UnplacedDetection]:
    """Yield the valid detections that are in view at ``now`` [s] without a place in the map."""
    for each in message.detections:
        best = max((result.hypothesis for result in each.results), key=lambda one: one.score, default=None)
        age, centre = now - seconds(each.header.stamp), each.bbox.center.position
        if best is None or age > MAX_IN_VIEW_AGE or not 0.0 <= best.score <= 1.0:
            continue
        is_sized = each.bbox.size_x > 0.0 and math.isfinite(centre.x + centre.y)
        at = (round(centre.x, 3), round(centre.y, 3)) if is_sized else None
        yield UnplacedDetection(
            each.header.frame_id,
            best.class_id,
            float(best.score),
            part_of_image(*at) if at else "",
            round(max(0.0, age), 1),
            at,
        )


_MODES = {
    Mode.CONTINUOUS: DetectorInfoMsg.MODE_CONTINUOUS,
    Mode.ON_DEMAND: DetectorInfoMsg.MODE_ON_DEMAND,
}
_VOCABULARIES = {
    Vocabulary.CLOSED: DetectorInfoMsg.VOCABULARY_CLOSED,
    Vocabulary.OPEN: DetectorInfoMsg.VOCABULARY_OPEN,
}


class InvalidMeasure(OpenRALError):
    """A memory size or time that is negative or not finite."""

    def __init__(self, field: str, value: float) -> None:
        super().__init__(f"{field} {value!r} is not valid: expected a finite number, not negative")


def detector_info_message(info: DetectorInfo) -> DetectorInfoMsg:
    """Convert a detector description."""
    return DetectorInfoMsg(
        contract_version=CONTRACT_VERSION,
        id=info.name.id,
        aliases=list(info.name.aliases),
        slug=info.name.slug,
        mode=_MODES[info.mode],
        engine=info.engine,
        vocabulary=_VOCABULARIES[info.vocabulary],
        description=info.description,
        labels=list(info.labels),
        cameras=list(info.cameras),
        licence=info.licence,
        commercial_use=info.commercial_use,
        scores_calibrated=info.scores_calibrated,
        is_default=info.is_default,
        memory_declared=float(info.memory_declared),
        memory_measured=float(info.memory_measured),
        memory_resident=float(info.memory_resident),
        latency=float(info.latency),
        lifecycle_state=int(info.state),
        health=int(info.health),
        health_message=info.health_message,
    )


def detector_info_from_message(message: DetectorInfoMsg) -> DetectorInfo:
    """Convert the message of a detector description.

    Raises:
        InvalidName: If its id or an alias is not valid.
        InvalidMeasure: If a memory size or time is not valid.
    """
    for field in ("memory_declared", "memory_measured", "memory_resident", "latency"):
        _check(field, getattr(message, field), least=0.0)
    return DetectorInfo(
        name=Name(message.id, tuple(message.aliases)),
        mode=Mode.ON_DEMAND if message.mode == DetectorInfoMsg.MODE_ON_DEMAND else Mode.CONTINUOUS,
        engine=message.engine,
        vocabulary=Vocabulary.OPEN
        if message.vocabulary == DetectorInfoMsg.VOCABULARY_OPEN
        else Vocabulary.CLOSED,
        description=message.description,
        labels=tuple(message.labels),
        cameras=tuple(message.cameras),
        licence=message.licence,
        commercial_use=message.commercial_use,
        memory_declared=message.memory_declared,
        latency=message.latency,
        memory_measured=message.memory_measured,
        memory_resident=message.memory_resident,
        scores_calibrated=message.scores_calibrated,
        is_default=message.is_default,
        state=LifecycleState(message.lifecycle_state)
        if message.lifecycle_state <= 4
        else LifecycleState.UNKNOWN,
        # An unknown health value of a newer version must not be relied on.
        health=Health(message.health) if message.health in set(Health) else Health.DEGRADED,
        health_message=message.health_message,
    )


def fill_locate_response(
    response: LocateInView.Response, result: LocateResult, header: Header
) -> LocateInView.Response:
    """Fill the response of a locate request; ``header`` is that of the source image."""
    response.found = result.status is LocateStatus.FOUND
    response.status = int(result.status)
    response.message = result.message
    response.camera = result.camera
    response.detector = result.detector
    response.detections = detections_message(result.detections, header)
    response.frame_age = float(result.frame_age)
    response.queue_time = float(result.queue_time)
    response.inference_time = float(result.inference_time)
    response.metadata_json = locate_json(result)
    return response


def locate_result_from_response(response: LocateInView.Response, query: str) -> LocateResult:
    """Convert the response of a locate request.

    Raises:
        InvalidDetection: If a box, label or score is not valid.
        InvalidMeasure: If a time is not valid.
    """
    for field in ("frame_age", "queue_time", "inference_time"):
        _check(field, getattr(response, field), least=-math.inf)
    return LocateResult(
        status=LocateStatus(response.status),
        message=response.message,
        query=query,
        camera=response.camera,
        detector=response.detector,
        detections=tuple(detections_from_message(response.detections)),
        frame_age=response.frame_age,
        queue_time=response.queue_time,
        inference_time=response.inference_time,
    )


def locate_json(result: LocateResult) -> str:
    """Return the result as one JSON string, for tools without message types."""
    return json.dumps(
        {
            "status": result.status.name,
            "message": result.message,
            "query": result.query,
            "camera": result.camera,
            "detector": result.detector,
            "frame_age": round(result.frame_age, 4),
            "inference_time": round(result.inference_time, 4),
            "detections": [
                {
                    "label": detection.label,
                    "score": round(detection.score, 4),
                    "box": [
                        detection.box.x_min,
                        detection.box.y_min,
                        detection.box.x_max,
                        detection.box.y_max,
                    ],
                }
                for detection in result.detections
            ],
        }
    )


def _check(field: str, value: float, least: float) -> None:
    if not math.isfinite(value) or value < least:
        raise InvalidMeasure(field, value)
