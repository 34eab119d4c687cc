"""Seeded imperfections: the same seed, camera and stamp always give the same boxes and misses."""

from collections.abc import Sequence
from dataclasses import dataclass
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

from openral_perception_ros.engines.sim_groundtruth.boxes import Visible


@dataclass(frozen=True, slots=True)
class Noise:
    """``box_sigma`` [px] on every edge; ``miss_rate`` is the probability that an instance goes unseen."""

    seed: int
    box_sigma: float
    miss_rate: float

    def at(self, camera: str, stamp: int, visible: Sequence[Visible]) -> "NoisyView":
        """What this detector sees of one frame."""
        kept, corners = [], []
        for each in visible:
            rng = np.random.default_rng((self.seed, crc32(camera.encode()), stamp, each.instance))
            if rng.random() >= self.miss_rate:
                kept.append(each)
                corners.append(np.asarray(each.corners) + rng.normal(0.0, self.box_sigma, 4))
        return NoisyView(tuple(kept), np.asarray(corners, np.float64).reshape(-1, 4))


@dataclass(frozen=True, slots=True, eq=False)
class NoisyView:
    """Instances seen, and their boxes [px] in the same order, shape (N, 4)."""

    visible: tuple[Visible, ...]
    corners: NDArray[np.float64]
