"""Detectors for benchmarks, made on the spot: a manifest in a folder, and images; needs no ROS graph."""

from pathlib import Path

import numpy as np
import yaml

from openral_core.rskills import Sensor
from openral_perception_ros.detector import Detector, load_detector
from openral_perception_ros.engines import EngineFrame

ROOT = Path(__file__).parents[2]
SIZE = (640, 480)


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
