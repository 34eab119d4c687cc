"""A detector that answers at once, its node in a process, and a camera in another."""

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import yaml

from openral_core.rskills import Sensor
from openral_perception_ros.detector import Detector, load_detector
from openral_perception_ros.engines import EngineFrame, LoadOptions
from openral_testing.detectors.running_node import RunningNode
from openral_testing.detectors.subject import LoadSetting

ROOT = Path(__file__).parents[2]
PROFILE = ROOT / "launch" / "dds" / "large_images.xml"
SETTING = LoadSetting(ROOT / ".environments", LoadOptions(), inference_timeout=60.0)
FAULTY_NODE = "openral_testing.detectors.faulty_node"
WIDTH, HEIGHT = 640, 480  # [px]
_CAMERA = """
import sys, time
import numpy as np, rclpy
from sensor_msgs.msg import Image
from openral_ros.conversions.images import image_message
from openral_ros.qos import SENSOR
rclpy.init()
node = rclpy.create_node("camera")
width, height, rate, name = int(sys.argv[1]), int(sys.argv[2]), float(sys.argv[3]), sys.argv[4]
publisher = node.create_publisher(Image, f"/{name}/image_raw", SENSOR)
pixels = np.random.default_rng(0).integers(0, 255, (height, width, 3), np.uint8)
message = image_message(pixels, "rgb8", 0.0, f"{name}_optical")
due = time.monotonic()
while True:
    message.header.stamp = node.get_clock().now().to_msg()
    publisher.publish(message)
    due = max(due + 1.0 / rate, time.monotonic() - 1.0 / rate)
    time.sleep(max(due - time.monotonic(), 0.0))
"""


def instant_detector(folder: Path) -> Detector:
    """Return an open-vocabulary detector whose manifest is written to a folder."""
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
    }
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "rskill.yaml").write_text(yaml.safe_dump(content), encoding="utf-8")
    return load_detector(str(folder), [], ("head",), is_default=False)


def picture() -> EngineFrame:
    """Return noise, as an image of the head camera."""
    pixels = np.random.default_rng(0).integers(0, 255, (HEIGHT, WIDTH, 3), np.uint8)
    return EngineFrame({Sensor.RGB.value: pixels}, "head", 1)


@contextmanager
def camera(
    node: RunningNode, rate: float, size: tuple[int, int] = (WIDTH, HEIGHT), name: str = "head"
) -> Iterator[None]:
    """Publish noise on ``/<name>/image_raw`` at a rate [Hz] from a process in the node's ROS domain.

    It has the profile of a deployment: without it most images are lost in shared memory.
    """
    command = [sys.executable, "-c", _CAMERA, *map(str, size), str(rate), name]
    variables = {**node.variables, "FASTRTPS_DEFAULT_PROFILES_FILE": str(PROFILE)}
    process = subprocess.Popen(command, env=variables, stdin=subprocess.DEVNULL)
    try:
        yield
    finally:
        process.kill()
        process.wait()
