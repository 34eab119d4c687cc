"""Detections that wait for the depth image of their time stamp."""

from collections.abc import Sequence

import numpy as np
import pytest

pytest.importorskip("rclpy")
from std_msgs.msg import Header
from vision_msgs.msg import Detection2DArray

from openral_core.detectors import Box, Detection
from openral_ros.conversions.detections import detections_message
from openral_ros.conversions.stamps import stamp_of
from openral_world_state.depth_camera import DepthView, Intrinsics
from openral_world_state.ros.depth_subscription import NoDepthFrame
from openral_world_state.ros.subscriptions import DetectionBuffer, parse_detections

K = np.array([[500.0, 0.0, 320.0], [0.0, 500.0, 240.0], [0.0, 0.0, 1.0]])


def message(count: int = 1, stamp: float = 10.0) -> Detection2DArray:
    one = detections_message(
        [Detection(Box(1, 1, 9, 9), "mug", 0.5)], Header(frame_id="head", stamp=stamp_of(stamp))
    )
    one.detections = list(one.detections) * count
    return one


def blind(camera: str, stamp: float) -> DepthView:
    raise NoDepthFrame(camera, stamp, 0, 0.0, 0.0)


def test_of_a_hundred_thousand_boxes_only_as_many_as_allowed_are_taken() -> None:
    found, problems = parse_detections(message(100_000), 200)
    assert len(found) == 200
    assert "number of detections 100000 is not valid: expected at most 200" in str(problems[0])


@pytest.mark.parametrize("patience", [0.0, 1e6])
def test_what_waits_is_bounded_and_what_waited_too_long_is_counted(patience: float) -> None:
    taken: list[str] = []
    refused: list[str] = []
    intake = DetectionBuffer(
        blind,
        lambda view, seen, source: taken.append(source),
        patience,
        200,
        on_refused=lambda frame: refused.append(frame.source),
    )
    for stamp in (0.0, 1e9, 5.0) * 500:
        intake.add("detector", message(stamp=stamp))
    assert len(intake._pending) <= 64
    assert intake.refused["NoDepthFrame"] == (0 if patience else 1500)
    assert len(refused) == intake.refused["NoDepthFrame"]
    assert not taken


def test_snapshots_wait_for_their_image_in_the_order_they_came() -> None:
    shown: list[float] = []
    taken: list[tuple[float, int]] = []

    def view_at(camera: str, stamp: float) -> DepthView:
        if stamp not in shown:
            raise NoDepthFrame(camera, stamp, 0, 0.0, 0.0)
        return DepthView(camera, stamp, np.ones((480, 640), np.float32), Intrinsics(K, 640, 480), np.eye(4))

    def take_in(view: DepthView, seen: Sequence[Detection], source: str) -> None:
        taken.append((view.stamp, len(seen)))

    intake = DetectionBuffer(view_at, take_in, 1e6, 200)
    for stamp in (10.0, 11.0, 2.0):
        intake.add("detector", message(stamp=stamp))
    shown += [2.0, 11.0]
    intake.process()
    assert taken == [(11.0, 1), (2.0, 1)]
    shown.append(10.0)
    intake.process()
    assert taken[-1] == (10.0, 1)
