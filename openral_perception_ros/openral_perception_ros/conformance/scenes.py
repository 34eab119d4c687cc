"""Pictures to try a detector on; every plane a manifest can ask for."""

from collections.abc import Sequence

import numpy as np

from openral_core.rskills import Sensor
from openral_perception_ros.engines import Frame

SIZES = ((640, 480), (320, 240), (480, 640), (641, 359), (64, 48))
LABELS = {1: "red mug", 2: "baguette", 3: "wine bottle"}
COLOURS = ((200, 200, 190), (190, 40, 40), (200, 150, 80), (40, 90, 50))


def scene(sensors: Sequence[Sensor], size: tuple[int, int], camera: str = "head", stamp: int = 0) -> Frame:
    """A counter with three things on it, placed relative to the size."""
    width, height = size
    semantic = np.zeros((height, width), np.uint16)
    for number in LABELS:
        left, top = width * (2 * number - 1) // 8, height // 4
        semantic[top : top + height // 2, left : left + width // 8] = number
    planes = {
        Sensor.RGB: np.asarray(COLOURS, np.uint8)[semantic],
        Sensor.DEPTH: np.where(semantic > 0, np.float32(1.0), np.float32(2.0)),
        Sensor.SEMANTIC: semantic,
    }
    return Frame({sensor.value: planes[sensor] for sensor in sensors}, camera, stamp, LABELS)
