"""Detectors for benchmarks: a manifest in a folder, its node in a process, a camera in another."""

import subprocess
import sys
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path

import numpy as np
import yaml

from openral_core.rskills import Sensor
from openral_detector_conformance.running_node import RunningNode
from openral_detector_conformance.subject import Setting
from openral_perception_ros.detector import Detector, load_detector
from openral_perception_ros.engines import EngineFrame, LoadOptions

ROOT = Path(__file__).parents[1]
SETTING = Setting(ROOT / ".environments", LoadOptions(), inference_timeout=60.0)
FAULTY_NODE = "openral_detector_conformance.faulty_node"
SIZE = (640, 480)
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


def rskill(folder: Path, **changes: object) -> Detector:
    """A detector made on the spot; one that answers at once unless told otherwise."""
    content = {
        "kind": "detector",
        "id": "measured",
        "description": "of a benchmark",
        "engine": "sim_groundtruth",
        "mode": "on_demand",
        "vocabulary": {"kind": "open"},
        "licence": {"name": "Apache-2.0", "commercial_use": True},
        "memory_mb": 100,
        "latency": 0.01,
        **changes,
    }
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "rskill.yaml").write_text(yaml.safe_dump(content), encoding="utf-8")
    return load_detector(str(folder), [], ("head",), is_default=False)


def picture(size: tuple[int, int] = SIZE) -> EngineFrame:
    """Noise, as a head camera sees it."""
    pixels = np.random.default_rng(0).integers(0, 255, (size[1], size[0], 3), np.uint8)
    return EngineFrame({Sensor.RGB.value: pixels}, "head", 1)


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
