"""Tells when something that happens at a rate is due."""

from math import floor


class Metronome:
    """Due once per beat of simulated time; beats that were slept through are not made up for."""

    def __init__(self, rate: float) -> None:
        """Beat at ``rate`` [Hz]."""
        self._rate = rate
        self._last: int | None = None

    def due(self, time: float) -> bool:
        """Whether a new beat has begun by ``time`` [s]; true once per beat."""
        # Sums of time steps fall a little short of the beats they mean.
        beat = floor(time * self._rate + 1e-6)
        due, self._last = beat != self._last, beat
        return due
