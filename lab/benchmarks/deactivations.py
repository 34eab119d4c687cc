"""Repeated deactivation of a streaming detector on a busy machine."""

import os
import statistics
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

from benchmarks.detector_folders import ROOT
from benchmarks.detector_rigs import SETTING
from openral_core.errors import OpenRALError
from openral_perception_ros.detector import load_detector
from openral_testing.detectors.activation_cycles import toggle
from openral_testing.detectors.running_node import running_node
from openral_testing.detectors.scenes import golden

LONG = True
CYCLES = int(os.environ.get("CYCLES", "500"))
AT_ONCE = 25
"""Cycles of one node's process."""
BURNERS = 3
"""Processes that do nothing but count, so that threads are interrupted anywhere."""
Row = dict[str, object]


class NodeDied(OpenRALError):
    """Its process ended after the last transition."""

    def __init__(self) -> None:
        super().__init__("the node ended after its last transition")


def run() -> list[Row]:
    """Deaths and how long a deactivation took."""
    burners = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(BURNERS)]
    taken: list[float] = []
    deaths = 0
    try:
        while len(taken) + deaths * AT_ONCE < CYCLES:
            try:
                taken += lives()
            except OpenRALError as error:
                print(f"died: {error}", file=sys.stderr)
                deaths += 1
    finally:
        for burner in burners:
            burner.kill()
            burner.wait()
    steps = statistics.quantiles(taken, n=20) if len(taken) > 1 else [0.0] * 19
    return [
        {
            "cycles": len(taken),
            "deaths": deaths,
            "deactivation_p50_s": round(statistics.median(taken or [0.0]), 3),
            "deactivation_p95_s": round(steps[18], 3),
            "load": round(os.getloadavg()[0], 1),
        }
    ]


def lives() -> list[float]:
    """The cycles of one process."""
    detector = load_detector("sim-groundtruth", [ROOT / "rskills"], ("head",), is_default=False)
    with TemporaryDirectory() as folder, running_node(detector, SETTING, Path(folder)) as node:
        taken = toggle(node, golden("kitchen_counter", detector.manifest.sensors, "head"), AT_ONCE)
        if node.ended:
            raise NodeDied
    return taken
