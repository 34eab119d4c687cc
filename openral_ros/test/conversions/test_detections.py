"""Conversions of detections and detector descriptions."""

import math

import pytest

from openral_core.detectors import (
    Box,
    Detection,
    DetectorInfo,
    Health,
    LifecycleState,
    LocateResult,
    LocateStatus,
)
from openral_core.rskills import Mode, Name, Vocabulary

pytest.importorskip("openral_msgs")
from std_msgs.msg import Header

from openral_msgs.msg import DetectorInfo as DetectorInfoMsg
from openral_msgs.srv import LocateInView
from openral_ros.conversions import detections as detectors


def test_a_look_survives_with_boxes_in_source_pixels() -> None:
    detection = Detection(Box(10.0, 20.0, 30.0, 60.0), "red mug", 0.75, "7")
    result = LocateResult(
        LocateStatus.FOUND, "1 found", "red mug", "head", "d", (detection,), 0.5, 0.25, 0.125
    )
    header = Header(frame_id="head_camera_optical_frame")
    response = detectors.fill_locate_response(LocateInView.Response(), result, header)
    assert response.found
    assert response.detections.header.frame_id == "head_camera_optical_frame"
    assert detectors.locate_result_from_response(response, "red mug") == result


def test_detector_info_survives() -> None:
    info = DetectorInfo(
        Name("omdet-turbo-locator", ("omdet",)),
        Mode.ON_DEMAND,
        "zeroshot_hf",
        Vocabulary.OPEN,
        "finds words",
        (),
        ("head", "wrist"),
        "Apache-2.0",
        True,
        500.0,
        0.5,
        memory_measured=480.0,
        memory_resident=450.0,
        scores_calibrated=False,
        is_default=True,
        state=LifecycleState.ACTIVE,
        health=Health.RESTARTING,
        health_message="restart in 1 s",
    )
    message = detectors.detector_info_message(info)
    assert detectors.detector_info_from_message(message) == info
    message.health = 200
    assert detectors.detector_info_from_message(message).degraded


@pytest.mark.parametrize("field", ["memory_declared", "memory_measured", "memory_resident", "latency"])
@pytest.mark.parametrize("amount", [math.nan, math.inf, -1.0])
def test_a_detector_of_no_measurable_size_is_refused_by_name(field: str, amount: float) -> None:
    message = DetectorInfoMsg(id="rtdetr-coco-r18")
    detectors.detector_info_from_message(message)
    setattr(message, field, amount)
    with pytest.raises(detectors.InvalidMeasure, match=field):
        detectors.detector_info_from_message(message)
