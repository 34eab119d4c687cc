"""Share of an engine's own rate that reaches the topic of a continuous detector.

The camera is faster than the engine. Its own rate is that of one worker asked again as soon as it has
answered, without a node. One engine sleeps, as a CPU does while a GPU computes; one computes.
Images of 640x480 exceed Fast DDS's usual segment: `large_images.xml` makes room, else the camera loses most.
"""

import os
import time
from multiprocessing.connection import wait
from pathlib import Path
from tempfile import TemporaryDirectory

from lifecycle_msgs.msg import Transition
from rclpy.qos import QoSProfile
from vision_msgs.msg import Detection2DArray

from benchmarks.detector_folders import ROOT, picture, rskill
from benchmarks.detector_rigs import SETTING, camera
from benchmarks.onnx_models import write_convolutions
from openral_perception_ros.detector import Detector
from openral_perception_ros.engines import LoadOptions
from openral_perception_ros.inference.ipc import Load
from openral_perception_ros.inference.worker_process import (
    WORKER_MODULE,
    InferenceWorkerProcess,
    worker_command,
)
from openral_testing.detectors.faults import LOOK_TIME
from openral_testing.detectors.running_node import NODE_MODULE, RunningNode, running_node

PROFILE = ROOT / "launch" / "dds" / "large_images.xml"
FAULTY = "openral_testing.detectors.faulty"
CAMERA_RATE = 60.0
WATCHED = 15.0
SETTLING = 3.0
PATIENCE = 60.0
UNBOUNDED = 1000.0
Row = dict[str, object]


def run() -> list[Row]:
    """One row per engine."""
    os.environ["FASTRTPS_DEFAULT_PROFILES_FILE"] = str(PROFILE)
    with TemporaryDirectory() as folder:
        base = Path(folder)
        closed = {"mode": "continuous", "vocabulary": {"kind": "closed", "labels": ["mug", "bread"]}}
        sleeping = rskill(base / "sleeping", id="sleeping", options={LOOK_TIME: 0.033}, **closed)
        write_convolutions(base / "convolutions" / "weights", classes=2)
        computing = rskill(
            base / "convolutions",
            id="convolutions",
            engine="rtdetr_onnx",
            weights={"uri": "file://weights"},
            options={"threads": 1},
            **closed,
        )
        return [
            row("sleeps 33 ms", sleeping, f"{FAULTY}_node", f"{FAULTY}_worker", base),
            row("computes, ONNX, 1 thread", computing, NODE_MODULE, WORKER_MODULE, base),
        ]


def row(name: str, detector: Detector, node_module: str, worker_module: str, folder: Path) -> Row:
    """Both rates of one engine, taken before, during and after each other's turn."""
    before = own_rate(detector, worker_module)
    with running_node(detector, SETTING, folder, node_module, rate=UNBOUNDED) as node:
        if not node.transition(Transition.TRANSITION_ACTIVATE):
            raise RuntimeError("the detector was not activated")
        with camera(node, CAMERA_RATE):
            reached = topic_rate(node)
    own = (before + own_rate(detector, worker_module)) / 2.0
    return {
        "engine": name,
        "camera_Hz": CAMERA_RATE,
        "own_rate_Hz": round(own, 2),
        "topic_Hz": round(reached, 2),
        "share_percent": round(100.0 * reached / own, 1),
    }


def own_rate(detector: Detector, module: str) -> float:
    """Looks per second of a worker that never waits [Hz]."""
    command = worker_command(detector.manifest, SETTING.environments, module)
    worker = InferenceWorkerProcess(command.line, command.variables)
    worker.load(Load(detector.manifest, str(detector.folder), LoadOptions()))
    wait([worker.connection.fileno()], PATIENCE)
    worker.receive()
    frame, looks, begun = picture(), 0, time.monotonic()
    while time.monotonic() - begun < WATCHED:
        worker.detect(frame, None)
        wait([worker.connection.fileno()], PATIENCE)
        worker.receive()
        looks += 1
    rate = looks / (time.monotonic() - begun)
    worker.close()
    return rate


def topic_rate(node: RunningNode) -> float:
    """Messages per second on the topic [Hz]."""
    heard: list[float] = []
    node.client.create_subscription(
        Detection2DArray, "objects", lambda _: heard.append(time.monotonic()), QoSProfile(depth=10)
    )
    begun = time.monotonic()
    node.wait("stream", lambda: time.monotonic() - begun > SETTLING + WATCHED, SETTLING + 2 * WATCHED)
    steady = [item for item in heard if item > begun + SETTLING]
    return (len(steady) - 1) / (steady[-1] - steady[0])
