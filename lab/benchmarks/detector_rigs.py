"""Detectors for benchmarks in a graph: the node in a process, a camera in another."""

import subprocess
import sys
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager

from benchmarks.detector_folders import ROOT, SIZE
from openral_perception_ros.engines import LoadOptions
from openral_testing.detectors.running_node import RunningNode
from openral_testing.detectors.subject import Setting

SETTING = Setting(ROOT / ".environments", LoadOptions(), inference_timeout=60.0)
FAULTY_NODE = "openral_testing.detectors.faulty_node"
_CAMERA = """
import sys, time
import numpy as np, rclpy
from sensor_msgs.msg import Image
from openral_ros.conversions.images import image_message
from openral_ros.qos import SENSOR
rclpy.init()
node = rclpy.create_node("camera")
publisher = node.create_publisher(Image, "/head/image_raw", SENSOR)
width, height, rate = int(sys.argv[1]), int(sys.argv[2]), float(sys.argv[3])
pixels = np.random.default_rng(0).integers(0, 255, (height, width, 3), np.uint8)
message = image_message(pixels, "rgb8", 0.0, "optical")
due = time.monotonic()
while True:
    message.header.stamp = node.get_clock().now().to_msg()
    publisher.publish(message)
    due = max(due + 1.0 / rate, time.monotonic() - 1.0 / rate)
    time.sleep(max(due - time.monotonic(), 0.0))
"""


def camera(node: RunningNode, rate: float, size: tuple[int, int] = SIZE) -> AbstractContextManager[None]:
    """A process that publishes noise on /head/image_raw."""
    return publishing(node, _CAMERA, str(size[0]), str(size[1]), str(rate))


@contextmanager
def publishing(node: RunningNode, code: str, *arguments: str) -> Iterator[None]:
    """A Python process in the node's ROS domain, for as long as the context lasts."""
    command = [sys.executable, "-c", code, *arguments]
    process = subprocess.Popen(command, env=dict(node.variables), stdin=subprocess.DEVNULL)
    try:
        yield
    finally:
        process.kill()
        process.wait()


def percentile(values: list[float], share: float) -> float:
    """The value that ``share`` of all do not exceed."""
    ordered = sorted(values)
    return ordered[min(int(share * len(ordered)), len(ordered) - 1)]
