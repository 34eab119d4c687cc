"""Detection of a robot before whose cameras nothing changes, so that an idle hour fills no disk."""

from dataclasses import dataclass, field

import cv2
import numpy as np
from numpy.typing import NDArray

CELL = 16
"""Edge of the cells whose means are compared [px]: noise averages out, a moved cup does not."""
NOISE = 6.0
"""Change of a cell's mean that is still noise, of 255 [1]."""
LINGER = 2.0
"""Time without a change after which the view is still [s]."""
KEPT_PERIOD = 15.0
"""Time between two recorded images of a still view [s]."""
STATE_PERIOD = 1.0
"""Time between two recorded poses or joint states of a robot before a still view [s]."""


@dataclass(slots=True)
class Stillness:
    """Views of all cameras of one recording; still if none has changed for `LINGER`.

    Without a colour camera it is never still: then nothing tells that the robot is at rest.
    """

    _references: dict[str, NDArray[np.float32]] = field(default_factory=dict)
    _changed: float = 0.0

    def see(self, camera: str, rgb: NDArray[np.uint8], now: float) -> None:
        """Compare an image, shape (H, W, 3), with the one in which its camera's view last changed."""
        height, width = rgb.shape[:2]
        size = (max(1, width // CELL), max(1, height // CELL))
        cells = cv2.resize(rgb, size, interpolation=cv2.INTER_AREA).astype(np.float32)
        reference = self._references.get(camera)
        if (
            reference is None
            or reference.shape != cells.shape
            or float(np.abs(cells - reference).max()) > NOISE
        ):
            self._references[camera], self._changed = cells, now

    def is_still(self, now: float) -> bool:
        """Return whether nothing has changed before any camera for a while, at ``now`` [s]."""
        return bool(self._references) and now - self._changed > LINGER
