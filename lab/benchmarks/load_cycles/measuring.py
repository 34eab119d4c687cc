"""CYCLES=n in the environment, else 100, of each of KITS="sim_groundtruth ...", else of every engine."""

import json
import os
import statistics
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import psutil
import rclpy
from rclpy.parameter import Parameter

from benchmarks.load_cycles.kits import ENVIRONMENTS, KITS, NoKit
from openral_perception_ros.node import DetectorNode
from openral_ros.lifecycle_node import SUCCESS

LONG = True
SETTLED = 3
"""Cycles before the first measurement: what a process needs once is no leak."""
Row = dict[str, object]


def run() -> list[Row]:
    """One row per engine."""
    rows = []
    for name in os.environ.get("KITS", " ".join(KITS)).split():
        rows.append(cycled(name, int(os.environ.get("CYCLES", "100"))))
        print(json.dumps(rows[-1]), flush=True)
    return rows


@dataclass(frozen=True, slots=True)
class ResourceUsage:
    """Resources of this process and its children: resident memory [MB] and counts."""

    memory: float
    processes: int
    descriptors: int
    threads: int
    shared_files: int


def holding() -> ResourceUsage:
    me = psutil.Process()
    everyone = [me, *me.children(recursive=True)]
    memory = sum(process.memory_info().rss for process in everyone) / 1e6
    shared = len(list(Path("/dev/shm").iterdir()))
    return ResourceUsage(round(memory, 1), len(everyone), me.num_fds(), me.num_threads(), shared)


def cycled(name: str, cycles: int) -> Row:
    """Measure one engine."""
    with tempfile.TemporaryDirectory() as folder:
        rskill = Path(folder) / name.replace("_", "-")
        try:
            KITS[name](rskill)
        except NoKit as reason:
            return {"engine": name, "cycles": f"not run: {reason}"}
        with detector(rskill) as node:
            for _ in range(SETTLED):
                cycle(node)
            first = holding()
            measured = [cycle(node) for _ in range(cycles)]
            last = holding()
    took, awake = zip(*measured, strict=True)
    changes = {item: f"{getattr(first, item)} -> {getattr(last, item)}" for item in ResourceUsage.__slots__}
    return {
        "engine": name,
        "cycles": cycles,
        "activate_s": round(statistics.median(took), 2),
        "memory_awake": round(statistics.median(awake), 1),
        **changes,
    }


def cycle(node: DetectorNode) -> tuple[float, float]:
    """Wake it and put it to sleep; how long waking took [s], and what was held then [MB]."""
    begun = time.monotonic()
    assert node.trigger_activate() == SUCCESS
    took, awake = time.monotonic() - begun, holding().memory
    assert node.trigger_deactivate() == SUCCESS
    return took, awake


@contextmanager
def detector(rskill: Path) -> Iterator[DetectorNode]:
    """A configured detector node in this process."""
    given = {"rskill": str(rskill), "rskill_folders": [str(rskill.parent)], "environments": str(ENVIRONMENTS)}
    rclpy.init()
    overrides = [Parameter(key, value=value) for key, value in given.items()]
    node = DetectorNode("detector", namespace="/openral/perception/cycled", parameter_overrides=overrides)
    try:
        assert node.trigger_configure() == SUCCESS
        yield node
    finally:
        node.close()
        node.destroy_node()
        rclpy.try_shutdown()
