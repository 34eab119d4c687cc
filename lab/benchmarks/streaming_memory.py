"""Does a continuous detector's node grow with the images it gets? Driven many times faster than by a camera.

SECONDS=n in the environment, else 120; HZ=n images per second and sensor, else 60. One row per third of it.
"""

import os
import statistics
import time
from pathlib import Path
from tempfile import TemporaryDirectory

from lifecycle_msgs.msg import Transition
from rclpy.qos import QoSProfile
from vision_msgs.msg import Detection2DArray

from benchmarks.detector_folders import ROOT
from benchmarks.detector_rigs import SETTING, publishing
from openral_perception_ros.detector import load_detector
from openral_testing.detectors.running_node import RunningNode, running_node

LONG = True
UNBOUNDED = 1000.0
SETTLING, EVERY = 10.0, 1.0
_CAMERA = """
import sys, time
import rclpy
from sensor_msgs.msg import Image
from vision_msgs.msg import LabelInfo, VisionClass
from openral_core.rskills import Sensor
from openral_perception_ros.detector import SUFFIXES
from openral_testing.detectors.running_node import ENCODINGS
from openral_testing.detectors.scenes import golden
from openral_ros.conversions.images import image_message
from openral_ros.qos import LATCHED, SENSOR
rclpy.init()
node = rclpy.create_node("camera")
frame = golden("kitchen_counter", [Sensor.RGB, Sensor.SEMANTIC], "head", 0)
labels = node.create_publisher(LabelInfo, "/head/labels", LATCHED)
labels.publish(LabelInfo(class_map=[VisionClass(class_id=n, class_name=w) for n, w in frame.labels.items()]))
images = [
    (node.create_publisher(Image, f"/head/{SUFFIXES[sensor]}", SENSOR),
     image_message(frame.planes[sensor.value], ENCODINGS[sensor], 0.0, "optical"))
    for sensor in map(Sensor, frame.planes)
]
while True:
    stamp = node.get_clock().now().to_msg()
    for publisher, message in images:
        message.header.stamp = stamp
        publisher.publish(message)
    time.sleep(1.0 / float(sys.argv[1]))
"""
Row = dict[str, object]


def run() -> list[Row]:
    """One row per third."""
    seconds, rate = float(os.environ.get("SECONDS", "120")), os.environ.get("HZ", "60")
    detector = load_detector(str(ROOT / "rskills" / "sim-groundtruth"), [], ("head",), is_default=False)
    with (
        TemporaryDirectory() as folder,
        running_node(detector, SETTING, Path(folder), rate=UNBOUNDED) as node,
    ):
        if not node.transition(Transition.TRANSITION_ACTIVATE):
            raise RuntimeError("the detector was not activated")
        with publishing(node, _CAMERA, rate):
            return _thirds(node, seconds)


def _thirds(node: RunningNode, seconds: float) -> list[Row]:
    answered: list[float] = []
    node.client.create_subscription(
        Detection2DArray, "objects", lambda _: answered.append(time.monotonic()), QoSProfile(depth=10)
    )
    _spin(node, SETTLING)
    rows: list[Row] = []
    for third in ("first", "second", "last"):
        held = [_sample(node) for _ in range(int(seconds / 3.0 / EVERY))]
        rows.append(
            {
                "third": third,
                "answered_since_start": len(answered),
                "median_MB": round(statistics.median(held), 1),
                "least_MB": round(min(held), 1),
                "most_MB": round(max(held), 1),
            }
        )
    return rows


def _sample(node: RunningNode) -> float:
    """Resident memory of the node without its worker [MB]."""
    _spin(node, EVERY)
    return float(node.process.memory_info().rss) / 1e6


def _spin(node: RunningNode, seconds: float) -> None:
    end = time.monotonic() + seconds
    node.wait("stream", lambda: time.monotonic() > end, 2.0 * seconds + 1.0)
