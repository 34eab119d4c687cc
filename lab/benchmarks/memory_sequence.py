"""Memory of a real sequence with poses, by a published detector, against what a person sees in it.

SEQUENCE=folder of frame-*.color.jpg, .depth.png and .pose.txt (see memory_sequence.yaml).
"""

import os
import tempfile
from collections.abc import Iterator
from pathlib import Path

import cv2
import numpy as np
import yaml

from benchmarks import real
from benchmarks.memory_day import Row, TrueObject, row
from openral_core.arrays import Array, Array32, Transform
from openral_core.detectors import Detection
from openral_core.text import Thesaurus
from openral_testing.detectors.detector_run import LoadedDetector
from openral_testing.real_data import real_data
from openral_world_state.depth_camera import DepthView, Intrinsics
from openral_world_state.spatial_memory.memory import SpatialMemory
from openral_world_state.static_map import StaticMap
from openral_world_state.world.world_model import WorldModel, WorldModelSettings

LONG = True
TRUTH = Path(__file__).with_suffix(".yaml")
DETECTOR, THRESHOLD = "nanodet-plus-m-416", 0.35  # That of `coco-nano` [1].
STRIDE, RATE = 4, 30.0  # Frames from one look to the next [count], of the camera [Hz].
SIZE = (640, 480)  # [px]
K_COLOUR, K_DEPTH = (
    np.array([[f, 0.0, 320.0], [0.0, f, 240.0], [0.0, 0.0, 1.0]]) for f in (525.0, 585.0)
)  # [px]
BASELINE = 0.025  # From the depth camera to the colour camera, to the right [m].


def run() -> list[Row]:
    """Count the records of the sequence."""
    content = yaml.safe_load(TRUTH.read_text(encoding="utf-8"))
    truth = [
        TrueObject(
            f"{n}",
            tuple(e["names"]),
            tuple(e["position"]),
            tuple(e["size"]),
            is_furniture=e.get("furniture", False),
        )
        for n, e in enumerate(content["objects"])
    ]
    thesaurus = Thesaurus.load()
    world = WorldModel(SpatialMemory(None, thesaurus), StaticMap(), WorldModelSettings(), thesaurus)
    for view, detections in looks(Path(os.environ["SEQUENCE"]), np.array(content["T_map_world"]), world):
        world.integrate(view, detections, DETECTOR)
    return [row("red kitchen", [record.node() for record in world.memory], truth)]


def looks(
    folder: Path, T_map_world: Transform, world: WorldModel
) -> Iterator[tuple[DepthView, list[Detection]]]:
    """Yield depth in the colour camera's view, and what the detector sees."""
    with tempfile.TemporaryDirectory() as temporary:
        setups = real.setups(real_data(real.ROOT), Path(temporary))
        with LoadedDetector.load(next(s for s in setups if s.manifest.id == DETECTOR)) as detector:
            world.vocabularies.set(DETECTOR, detector.ready.labels)
            for file in sorted(folder.glob("frame-*.color.jpg"))[::STRIDE]:
                number = int(file.name[6:12])
                rgb = cv2.cvtColor(cv2.imread(str(file)), cv2.COLOR_BGR2RGB)
                name = str(file).replace("color.jpg", "depth.png")
                depth = np.asarray(cv2.imread(name, cv2.IMREAD_UNCHANGED)) / 1e3
                T = T_map_world @ np.loadtxt(str(file).replace("color.jpg", "pose.txt"))
                T[:3, 3] += BASELINE * T[:3, 0]
                view = DepthView("camera", number / RATE, registered(depth), Intrinsics(K_COLOUR, *SIZE), T)
                yield view, [each for each in detector.detect(rgb).detections if each.score >= THRESHOLD]


def registered(depth: Array) -> Array32:
    """Return depth (480, 640) [m] as the colour camera sees it; 0 where unknown."""
    rows, columns = np.nonzero((depth > 0.0) & (depth < 60.0))
    z = depth[rows, columns]
    points = np.linalg.inv(K_DEPTH) @ np.stack((columns, rows, np.ones_like(z))) * z
    points[0] -= BASELINE
    x, y = np.rint((K_COLOUR @ points)[:2] / z).astype(int)
    inside = (x >= 0) & (x < SIZE[0]) & (y >= 0) & (y < SIZE[1])
    result = np.full(depth.shape, np.inf, np.float32)
    np.minimum.at(result, (y[inside], x[inside]), z[inside].astype(np.float32))
    return np.where(np.isfinite(result), result, np.float32(0.0))
