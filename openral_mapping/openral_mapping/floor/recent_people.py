"""Recent positions of people: a person who walks must not pull at the pose that depth images correct."""

from collections import deque
from dataclasses import dataclass

import numpy as np

from openral_core.arrays import Array, Array32, Points, Transform
from openral_mapping.floor.robot_body import without_body


@dataclass(frozen=True)
class RecentPeopleConfig:
    """Parameters of leaving people out."""

    lifetime: float = 1.5  # Time for which a person may still be near where they were seen [s].
    radius: float = 0.7  # Of the upright cylinder that is left out around them [m]: a body, and two steps.
    height: float = 1.9  # Of that cylinder [m].
    most: int = 64  # Positions that are kept [1].


PEOPLE = RecentPeopleConfig()


class RecentPeople:
    """Positions of people, each kept for a short time."""

    def __init__(self, config: RecentPeopleConfig = PEOPLE) -> None:
        self._config = config
        self._positions: deque[tuple[float, Points]] = deque(maxlen=config.most)

    def see(self, positions: Points, stamp: float) -> None:
        """Keep positions in map [m], shape (N, 2), of an image's time [s]."""
        self._positions.extend((stamp, np.asarray(position, float)) for position in positions)

    def left_out(self, depth: Array32, rays: Array, T_map_camera: Transform, stamp: float) -> Array32:
        """Return a depth image in which people, and what is close to them, are unknown (NaN).

        Args:
            depth: Along the optical axis [m], shape (H, W).
            rays: As for `without_body`.
            T_map_camera: Optical frame to map, shape (4, 4).
            stamp: Of the image [s].
        """
        middle = self._config.height / 2.0
        ends = [
            ((x, y, low), (x, y, low + middle))
            for time, (x, y) in self._positions
            if abs(stamp - time) <= self._config.lifetime
            for low in (0.0, middle)
        ]
        lines = np.array(ends, float).reshape(-1, 2, 3)
        return without_body(depth, rays, T_map_camera, lines, self._config.radius)
