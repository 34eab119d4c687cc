"""`openral robot check` beside a robot that publishes, and beside none."""

import asyncio
import json
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest
import yaml
from typer.testing import CliRunner

pytest.importorskip("rclpy")
import rclpy
from geometry_msgs.msg import TransformStamped
from rclpy.executors import SingleThreadedExecutor
from sensor_msgs.msg import CameraInfo, CompressedImage, Image
from tf2_msgs.msg import TFMessage

from openral_ros.conversions.images import image_message
from openral_ros.conversions.stamps import seconds
from openral_ros.qos import LATCHED, SENSOR
from openral_testing.robot_check import findings as findings_of
from openral_testing.robot_check import observer
from openral_testing.robot_check.command import app
from openral_testing.robot_check.findings import Finding
from openral_testing.ros.executor_thread import ExecutorThread

CAMERA = {"image": "/rgb", "info": "/info", "optical_frame": "optical", "rate": 5.0}
CONTENT = {"name": "shelf", "frames": {"base": "shelf"}, "cameras": {"shelf": CAMERA}}


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "robot.yaml"
    path.write_text(yaml.safe_dump(CONTENT))
    return path


class Shelf:
    """A camera on a shelf, publishing from a thread of its own."""

    def __init__(self, context: Any, compressed: bool = False) -> None:
        self.node = rclpy.create_node("shelf", context=context)
        kind, topic = (CompressedImage, "/rgb/compressed") if compressed else (Image, "/rgb")
        self._compressed = compressed
        self._images = self.node.create_publisher(kind, topic, SENSOR)
        self._infos = self.node.create_publisher(CameraInfo, "/info", SENSOR)
        static = self.node.create_publisher(TFMessage, "tf_static", LATCHED)
        static.publish(
            TFMessage(transforms=[self._transform("map", "shelf"), self._transform("shelf", "optical")])
        )
        self.node.create_timer(0.1, self._publish)
        executor = SingleThreadedExecutor(context=context)
        executor.add_node(self.node)
        self._thread = ExecutorThread(executor)

    def _transform(self, parent: str, child: str) -> TransformStamped:
        transform = TransformStamped(child_frame_id=child)
        transform.header.frame_id = parent
        transform.transform.rotation.w = 1.0
        return transform

    def _publish(self) -> None:
        now = seconds(self.node.get_clock().now().to_msg())
        image = image_message(np.zeros((48, 64, 3), np.uint8), "rgb8", now, "optical")
        self._images.publish(jpeg(image) if self._compressed else image)
        info = CameraInfo(width=64, height=48, k=[60.0, 0.0, 32.0, 0.0, 60.0, 24.0, 0.0, 0.0, 1.0])
        self._infos.publish(info)

    def close(self) -> None:
        self._thread.close()
        self.node.destroy_node()


def jpeg(image: Image) -> CompressedImage:
    data = cv2.imencode(".jpg", np.zeros((48, 64, 3), np.uint8))[1].tobytes()
    return CompressedImage(header=image.header, format="rgb8; jpeg compressed bgr8", data=data)


@pytest.mark.parametrize("transport", ["raw", "compressed"])
def test_a_good_robot_passes(ros_context: Any, file: Path, transport: str) -> None:
    file.write_text(yaml.safe_dump({**CONTENT, "cameras": {"shelf": {**CAMERA, "transport": transport}}}))
    shelf = Shelf(ros_context, compressed=transport == "compressed")
    try:
        done = CliRunner().invoke(app, ["check", "--robot", str(file), "--seconds", "3"])
    finally:
        shelf.close()
    assert done.exit_code == 0, done.output
    assert "shelf: 0 of 7 checks failed" in done.output


def test_without_a_robot_each_problem_has_its_mend(ros_domain: int, file: Path) -> None:
    done = CliRunner().invoke(app, ["check", "--robot", str(file), "--seconds", "2"])
    assert done.exit_code == 1
    assert "BAD  camera shelf: image: nothing on /rgb" in done.output
    assert "ros2 topic hz /rgb" in done.output
    assert "BAD  transform map <- optical: the frames are not connected" in done.output


def test_findings_are_printed_as_json(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    findings = [Finding("camera"), Finding("depth", "too old", "set the clock")]
    monkeypatch.setattr(findings_of, "examine", lambda *_: findings)
    monkeypatch.setattr(observer.Observer, "observe", lambda *_: asyncio.sleep(0.0))
    done = CliRunner().invoke(app, ["check", "--robot", str(file), "--json"])
    assert done.exit_code == 1
    assert json.loads(done.output) == {
        "summary": "shelf: 1 of 2 checks failed",
        "findings": [
            {"what": "camera", "verdict": "ok", "found": "", "advice": ""},
            {"what": "depth", "verdict": "bad", "found": "too old", "advice": "set the clock"},
        ],
    }
