"""One camera image as engines see it."""

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from openral_core.rskills import Sensor
from openral_perception_ros.engines.errors import MissingPlane

Plane = NDArray[np.generic]


@dataclass(frozen=True, slots=True, eq=False)
class Frame:
    """Planes of one image, all of one size; views that stay valid only during one `Engine.detect`.

    ``planes`` maps a sensor's name to pixels: ``rgb`` uint8 (H, W, 3), ``depth`` float32 [m] (H, W),
    ``semantic`` uint16 instance ids (H, W). ``labels`` names those ids. ``stamp`` is ROS time [ns].
    """

    planes: Mapping[str, Plane]
    camera: str
    stamp: int
    labels: Mapping[int, str] = field(default_factory=dict)

    def plane(self, sensor: Sensor) -> Plane:
        """The pixels of one sensor.

        Raises:
            MissingPlane: If the frame came without it.
        """
        found = self.planes.get(sensor.value)
        if found is None:
            raise MissingPlane(sensor.value, self.planes)
        return found

    @property
    def size(self) -> tuple[int, int]:
        """(width, height) [px]."""
        height, width = next(iter(self.planes.values())).shape[:2]
        return int(width), int(height)


def blank_frame(sensors: tuple[Sensor, ...], width: int, height: int) -> Frame:
    """A frame in which nothing is to be seen, for a warm-up."""
    blanks: dict[str, Plane] = {
        Sensor.RGB.value: np.zeros((height, width, 3), np.uint8),
        Sensor.DEPTH.value: np.zeros((height, width), np.float32),
        Sensor.SEMANTIC.value: np.zeros((height, width), np.uint16),
    }
    return Frame({sensor.value: blanks[sensor.value] for sensor in sensors}, camera="", stamp=0)
