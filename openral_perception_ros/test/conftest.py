"""A scene in front of a camera, a manifest to look at it with, and the folders both need."""

from pathlib import Path

import numpy as np
import pytest

from openral_core.rskills import DetectorManifest, Registry
from openral_perception_ros.engines import Frame

RSKILLS = Path(__file__).parents[2] / "rskills"
LABELS = {1: "red mug", 2: "baguette", 3: "wine bottle", 4: "kitchen counter", 5: "blue mug"}
BOXES = {
    1: (40, 60, 80, 100),
    2: (120, 150, 260, 180),
    3: (300, 40, 330, 140),
    4: (0, 200, 400, 240),
    5: (350, 60, 380, 95),
}


def semantic_image(width: int = 400, height: int = 240) -> np.ndarray:
    """Instance ids of a small scene, not square on purpose."""
    image = np.zeros((height, width), np.uint16)
    for instance, (x_min, y_min, x_max, y_max) in BOXES.items():
        image[y_min:y_max, x_min:x_max] = instance
    return image


@pytest.fixture
def manifest() -> DetectorManifest:
    return Registry.load([RSKILLS]).detector("sim-groundtruth-locator")


@pytest.fixture
def folder(manifest: DetectorManifest) -> Path:
    return RSKILLS / manifest.id


@pytest.fixture
def scene() -> Frame:
    semantic = semantic_image()
    rgb = np.repeat((semantic * 40).astype(np.uint8)[..., None], 3, axis=2)
    return Frame({"rgb": rgb, "semantic": semantic}, "head", 1_000_000_000, LABELS)


@pytest.fixture
def rskills() -> Path:
    return RSKILLS


@pytest.fixture
def scene_boxes() -> dict[int, tuple[int, int, int, int]]:
    return BOXES
