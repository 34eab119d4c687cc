"""Trapezoidal speed profile of a motion from rest to rest: ramp up, cruise, ramp down."""

from dataclasses import dataclass


@dataclass(frozen=True)
class MotionProfile:
    """Motion over a distance, which may be in any unit."""

    distance: float  # Distance to travel.
    top_speed: float  # Speed with which its duration is computed, in units of the distance per second.
    ramp: float  # Time to reach full speed, and to stop, in [s].

    @property
    def duration(self) -> float:
        """Time from rest to rest in [s]."""
        return self.distance / self.top_speed + self.ramp

    def at(self, time: float) -> tuple[float, float]:
        """Distance travelled and speed at a time after the start in [s]."""
        time = min(max(time, 0.0), self.duration)
        ramp = min(self.ramp, self.duration / 2)
        peak = self.distance / (self.duration - ramp)
        remaining = self.duration - time
        if time < ramp:
            return 0.5 * peak * time**2 / ramp, peak * time / ramp
        if remaining < ramp:
            return self.distance - 0.5 * peak * remaining**2 / ramp, peak * remaining / ramp
        return peak * (time - ramp / 2), peak
