"""Keeps simulated time from running away from wall-clock time."""

_FORGIVEN = 0.1


class Pacer:
    """Holds a simulation at a real-time factor; what it cannot keep up with is not caught up.

    Args:
        real_time_factor: Simulated seconds per second, at most; 0 = as fast as it can.
    """

    def __init__(self, real_time_factor: float) -> None:
        self._factor = real_time_factor
        self._anchor: tuple[float, float] | None = None

    def delay(self, now: float, time: float) -> float:
        """How long to wait before going on.

        Args:
            now: Steady wall-clock time [s].
            time: Simulated time reached [s].
        """
        if self._factor == 0.0:
            return 0.0
        if self._anchor is None:
            self._anchor = (now, time)
        began, began_at = self._anchor
        ahead = began + (time - began_at) / self._factor - now
        if ahead < -_FORGIVEN:
            self._anchor = (now, time)
        return max(0.0, ahead)
