"""Time to activate the shipped detectors, memory of their workers, CPU time of an image.

The baseline is the worker without a model (`sim-groundtruth`): interpreter, numpy and messages. RSKILLS=names
or folders, separated by commas, measures others; CYCLES=n activations of each, else 10.
"""

import os
import statistics
import time

import numpy as np
import psutil

from benchmarks.load_cycles.measuring import detector
from openral_bringup.graph.resources import rskill_folders
from openral_core.rskills import DetectorManifest, Sensor
from openral_perception_ros.detector import find_detector
from openral_perception_ros.engines import EngineFrame, LoadOptions, engine_loader
from openral_perception_ros.engines.base import blank_frame
from openral_ros.lifecycle_node import SUCCESS

BASELINE = "sim-groundtruth"
SHIPPED = "home-tiny,home-tiny-locator"
IMAGES = 30
"""Images of noise whose detection is timed [count], after three that are not."""


def run() -> list[dict[str, object]]:
    """One row per detector, the baseline first."""
    names = [BASELINE, *os.environ.get("RSKILLS", SHIPPED).split(",")]
    return [cost(name, int(os.environ.get("CYCLES", "10"))) for name in names]


def cost(name: str, cycles: int) -> dict[str, object]:
    """Figures of one detector."""
    manifest, folder = find_detector(name, tuple(rskill_folders(())))
    starts, memory = [], []
    with detector(folder) as node:
        for _ in range(cycles):
            begun = time.monotonic()
            assert node.trigger_activate() == SUCCESS
            starts.append(time.monotonic() - begun)
            workers = psutil.Process().children(recursive=True)
            memory.append(sum(worker.memory_full_info().pss for worker in workers) / 1e6)
            assert node.trigger_deactivate() == SUCCESS
    engine = engine_loader(manifest.engine)(manifest, folder, LoadOptions())
    times = []
    for number in range(IMAGES + 3):
        frame = noise(manifest, number)
        begun = time.process_time()
        engine.detect(frame, None)
        times.append(time.process_time() - begun)
    return {
        "detector": manifest.id,
        "image": "{}x{}".format(*size_of(manifest)),
        "start_s": round(statistics.median(starts), 2),
        "longest_start_s": round(max(starts), 2),
        "worker_mb": round(max(memory), 1),
        "cpu_ms_per_image": round(1e3 * statistics.median(times[3:]), 1),
    }


def noise(manifest: DetectorManifest, seed: int) -> EngineFrame:
    """An image of noise in the size that the detector takes."""
    width, height = size_of(manifest)
    blank = blank_frame(manifest.sensors, width, height)
    pixels = np.random.default_rng(seed).integers(0, 256, (height, width, 3), np.uint8)
    planes = {**blank.planes, Sensor.RGB.value: pixels}
    return EngineFrame({key: planes[key] for key in blank.planes}, "head", seed)


def size_of(manifest: DetectorManifest) -> tuple[int, int]:
    """Width and height of a detector's images [px], those of the head camera if it takes any."""
    return manifest.input_size or (640, 480)
