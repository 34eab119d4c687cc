"""Looks per second of a continuous detector, relative to a bare rclpy node that runs the same engine itself.

Both get the same images in the same run, one after the other. Processor time per look counts the whole
process tree, so that it tells something on a busy machine too. Four cameras show whether each gets its share.
"""

import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

import psutil
from diagnostic_msgs.msg import DiagnosticArray
from lifecycle_msgs.msg import Transition
from vision_msgs.msg import Detection2DArray

from benchmarks.detector_rig import ROOT, SETTING, camera
from openral_perception_ros.detector import load_detector
from openral_ros.qos import RELIABLE
from openral_testing.detectors.running_node import NODE_MODULE, RunningNode, running_node

DETECTOR = ROOT / "rskills" / "home-tiny"
WARM_UP, DURATION = 3.0, 12.0  # [s]
SIZES = ((640, 480), (1920, 1080))  # [px]
RATE = 30.0  # Of the camera, above what the engine can [Hz].
FOUR, FOUR_RATE = ("head", "wrist", "left", "right"), 15.0  # [Hz]
SHARES = {"head": 2.0}
BARE = "/bare/objects"
_BARE_NODE = f"""
import sys, time
from pathlib import Path
import rclpy
from std_msgs.msg import Header
from vision_msgs.msg import Detection2DArray
from sensor_msgs.msg import Image
from openral_perception_ros.detector import load_detector
from openral_perception_ros.engines import EngineFrame, LoadOptions, engine_loader
from openral_ros.conversions.detections import detections_message
from openral_ros.conversions.images import rgb_of
from openral_ros.qos import SENSOR
detector = load_detector(sys.argv[1], [], ("head",), False)
engine = engine_loader(detector.manifest.engine)(detector.manifest, detector.folder, LoadOptions())
rclpy.init()
node = rclpy.create_node("bare")
objects = node.create_publisher(Detection2DArray, "{BARE}", 5)
def on_image(image):
    detections = engine.detect(EngineFrame({{"rgb": rgb_of(image)}}, "head", 0, {{}}), None)
    objects.publish(detections_message(detections, image.header))
node.create_subscription(Image, "/head/image_raw", on_image, SENSOR)
rclpy.spin(node)
"""
Row = dict[str, object]


def run() -> list[Row]:
    """Return one row per image size, and one per camera of four."""
    return [*(compare(*size) for size in SIZES), *four_cameras()]


def four_cameras() -> list[Row]:
    """Measure the share of each of four cameras."""
    with TemporaryDirectory() as folder, detector_node(Path(folder), FOUR) as node, ExitStack() as cameras:
        for name in FOUR:
            cameras.enter_context(camera(node, FOUR_RATE, name=name))
        looks, _, seconds = count(node, "objects", node.process)
        engine = 1.0 / inference_time(node)
    shares = {name: SHARES.get(name, 1.0) for name in FOUR}
    return [
        {
            "case": f"camera {name} of four",
            "looks per second": round(looks[f"{name}_optical"] / seconds, 2),
            "share": round(looks[f"{name}_optical"] / looks.total(), 3),
            "share set": round(shares[name] / sum(shares.values()), 3),
            "sum over the engine's rate": round(looks.total() / seconds / engine, 3),
        }
        for name in FOUR
    ]


def compare(width: int, height: int) -> Row:
    """Measure both nodes with one camera of a size [px]."""
    with (
        TemporaryDirectory() as folder,
        detector_node(Path(folder), ("head",)) as node,
        camera(node, RATE, (width, height)),
    ):
        looks, busy, seconds = count(node, "objects", node.process)
        node.transition(Transition.TRANSITION_DEACTIVATE)
        with bare_node(node) as process:
            bare, bare_busy, bare_seconds = count(node, BARE, process)
    return {
        "case": f"{width}x{height}",
        "looks per second": round(looks.total() / seconds, 2),
        "bare": round(bare.total() / bare_seconds, 2),
        "ratio": round(looks.total() / seconds / (bare.total() / bare_seconds), 3),
        "processor time per look [ms]": round(1e3 * busy / looks.total(), 1),
        "bare [ms]": round(1e3 * bare_busy / bare.total(), 1),
    }


@contextmanager
def detector_node(folder: Path, cameras: tuple[str, ...]) -> Iterator[RunningNode]:
    """Run the product's node, active, without a limit of its own."""
    detector = load_detector(str(DETECTOR), [], cameras, is_default=False)
    shares = [f"{name}:={share}" for name, share in SHARES.items() if len(cameras) > 1]
    settings = {"camera_shares": shares} if shares else {}
    with running_node(detector, SETTING, folder, NODE_MODULE, rate=1000.0, **settings) as node:
        if not node.transition(Transition.TRANSITION_ACTIVATE):
            raise RuntimeError("the detector was not activated")
        yield node


@contextmanager
def bare_node(node: RunningNode) -> Iterator[psutil.Process]:
    """Run the bare node in the same ROS domain."""
    command = [sys.executable, "-c", _BARE_NODE, str(DETECTOR)]
    process = subprocess.Popen(command, env=dict(node.variables), stdin=subprocess.DEVNULL)
    try:
        yield psutil.Process(process.pid)
    finally:
        process.kill()
        process.wait()


def count(node: RunningNode, topic: str, process: psutil.Process) -> tuple[Counter[str], float, float]:
    """Return looks per optical frame, processor time of a process tree, and the time they took [s]."""
    looks = Counter[str]()
    subscription = node.client.create_subscription(
        Detection2DArray, topic, lambda message: looks.update([message.header.frame_id]), RELIABLE
    )
    node.wait("look at an image", lambda: looks, 60.0)
    timed_wait(node, WARM_UP)
    looks.clear()
    before, started = processor_time(process), node.client.get_clock().now()
    timed_wait(node, DURATION)
    busy, ended = processor_time(process) - before, node.client.get_clock().now()
    node.client.destroy_subscription(subscription)
    return looks, busy, (ended - started).nanoseconds / 1e9


def timed_wait(node: RunningNode, seconds: float) -> None:
    """Receive messages for a time [s]."""
    end = node.client.get_clock().now().nanoseconds + int(seconds * 1e9)
    node.wait("end", lambda: node.client.get_clock().now().nanoseconds >= end, seconds + 30.0)


def processor_time(process: psutil.Process) -> float:
    """Return the processor time of a process and its children [s]."""
    times = [each.cpu_times() for each in (process, *process.children(recursive=True))]
    return float(sum(each.user + each.system for each in times))


def inference_time(node: RunningNode) -> float:
    """Return the engine's median time of a look [s], as the node's diagnostics tell it."""
    values: dict[str, str] = {}

    def on_status(message: DiagnosticArray) -> None:
        values.update({each.key: each.value for status in message.status for each in status.values})

    node.client.create_subscription(DiagnosticArray, "/diagnostics", on_status, RELIABLE)
    node.wait("report", lambda: "inference p50 [s]" in values, 30.0)
    return float(values["inference p50 [s]"])
