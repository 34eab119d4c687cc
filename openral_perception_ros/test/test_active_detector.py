"""A continuous detector before several cameras, on real DDS."""

from collections.abc import Callable
from typing import Any

import pytest

pytest.importorskip("rclpy")
from diagnostic_msgs.msg import DiagnosticArray
from std_msgs.msg import String
from vision_msgs.msg import Detection2DArray

from openral_ros.qos import RELIABLE


def test_a_continuous_detector_looks_at_all_its_cameras_and_names_frame_and_stamp(
    active: Callable[..., Any],
) -> None:
    cameras = ["head", "wrist", "left", "right"]
    rig = active("sim-groundtruth", cameras=cameras, camera_shares=["wrist:=2"])
    reported = rig.heard(Detection2DArray, f"{rig.node.get_namespace()}/objects")
    diagnoses = rig.heard(DiagnosticArray, "/diagnostics")
    rig.wait(lambda: rig.client.count_publishers(f"{rig.node.get_namespace()}/objects"))
    published: dict[str, set[float]] = {camera: set() for camera in cameras}
    while {message.header.frame_id for message in reported} != set(cameras):
        for camera in cameras:
            time_ = rig.client.get_clock().now().nanoseconds / 1e9
            published[camera].add(time_)
            rig.show(camera, stamp=time_, frame=camera)
    for message in reported:
        stamp = message.header.stamp.sec + message.header.stamp.nanosec * 1e-9
        assert min(abs(stamp - each) for each in published[message.header.frame_id]) < 1e-5
        labels = {detection.results[0].hypothesis.class_id for detection in message.detections}
        assert labels <= {"mug", "bottle", "bread"}
        assert labels
    mission = rig.client.create_publisher(String, "/openral/look_first", RELIABLE)
    rig.wait(mission.get_subscription_count)
    mission.publish(String(data="left"))
    rig.wait(lambda: rig.node._active_detector.supervised.queue.cameras._first == "left")
    diagnoses.clear()
    rig.wait(lambda: diagnoses)
    values = {each.key: each.value for each in diagnoses[-1].status[0].values}
    assert all("looks/s, newest frame" in values[f"camera {camera}"] for camera in cameras)
