"""Cost of an inactive detector node, compared with a bare node and an active one."""

import subprocess
import sys
import time
from pathlib import Path
from tempfile import TemporaryDirectory

import psutil
from lifecycle_msgs.msg import Transition

from benchmarks.detector_folders import ROOT
from benchmarks.detector_rigs import SETTING
from openral_perception_ros.detector import load_detector
from openral_testing.detectors.running_node import running_node

WATCHED = 20.0
"""Time the processor's share is taken over [s]."""
SETTLING = 3.0
_BARE = "import rclpy; rclpy.init(); rclpy.spin(rclpy.create_node('bare'))"
Row = dict[str, object]


def run() -> list[Row]:
    """One row per state; memory of the process and its children."""
    detector = load_detector("sim-groundtruth", [ROOT / "rskills"], ("head",), is_default=False)
    with TemporaryDirectory() as folder, running_node(detector, SETTING, Path(folder)) as node:
        bare = subprocess.Popen([sys.executable, "-c", _BARE], env=dict(node.variables))
        try:
            rows = [row("bare rclpy node", psutil.Process(bare.pid)), row("inactive", node.process)]
        finally:
            bare.kill()
            bare.wait()
        node.transition(Transition.TRANSITION_ACTIVATE)
        rows.append(row("active, no camera", node.process))
        node.transition(Transition.TRANSITION_DEACTIVATE)
        rows.append(row("inactive again", node.process))
    return rows


def row(state: str, process: psutil.Process) -> Row:
    """Memory and processor time of a process with its children over a while."""
    time.sleep(SETTLING)
    everyone = [process, *process.children(recursive=True)]
    before = sum(map(seconds_of, everyone))
    time.sleep(WATCHED)
    used = sum(map(seconds_of, everyone)) - before
    return {
        "node": state,
        "processes": len(everyone),
        "RSS_MB": round(sum(item.memory_info().rss for item in everyone) / 1e6, 1),
        "cpu_percent_of_a_core": round(100.0 * used / WATCHED, 2),
    }


def seconds_of(process: psutil.Process) -> float:
    """Processor time so far [s]."""
    times = process.cpu_times()
    return float(times.user + times.system)
