"""When the arm is where along its path."""

import numpy as np
from numpy.typing import NDArray

Vector = NDArray[np.float64]
SPEEDS = np.array([0.40, 1.5, 1.5, 1.5, 1.5, 2.0, 2.0, 2.0])
"""Top speeds of the lift [m/s] and the arm's joints [rad/s]."""


class Trajectory:
    """Corner postures traversed at a share of the top speeds, with a soft start and end."""

    _RAMP = 0.35

    def __init__(self, corners: Vector, share: float = 1.0) -> None:
        """Traverse ``corners``, shape (N, 8), at ``share`` of the top speeds in (0, 1]."""
        self._corners = corners
        steps = np.abs(np.diff(corners, axis=0)) / (SPEEDS * share)
        self._marks = np.concatenate([[0.0], np.cumsum(steps.max(axis=1))]) if len(steps) else np.zeros(1)
        self.duration = float(self._marks[-1]) + self._RAMP
        """From rest to rest in [s]."""

    def at(self, time: float) -> Vector:
        """Posture at ``time`` [s] after the start, shape (8,)."""
        progress = self._progress(min(max(time, 0.0), self.duration))
        return np.array([np.interp(progress, self._marks, column) for column in self._corners.T])

    def _progress(self, time: float) -> float:
        """Trapezoid of speed: ramp up, cruise, ramp down."""
        total = float(self._marks[-1])
        ramp = min(self._RAMP, self.duration / 2)
        peak = total / (self.duration - ramp) if total > 0 else 0.0
        if time < ramp:
            return 0.5 * peak * time**2 / ramp
        if time > self.duration - ramp:
            return total - 0.5 * peak * (self.duration - time) ** 2 / ramp
        return peak * (time - ramp / 2)
