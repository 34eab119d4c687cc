"""Token bucket: a bound on a rate that leaves room for a burst."""


class TokenBucket:
    """Limit of ``rate`` events per second [Hz], of which ``burst`` may come at once."""

    def __init__(self, rate: float, burst: float = 1.0) -> None:
        self._rate, self._burst = rate, max(burst, 1.0)
        self._tokens, self._filled_at = self._burst, float("-inf")

    def take(self, now: float) -> bool:
        """Return True if an event at ``now`` [s] is within the limit."""
        self._tokens = min(self._burst, self._tokens + (now - self._filled_at) * self._rate)
        self._filled_at = now
        if self._tokens < 1.0:
            return False
        self._tokens -= 1.0
        return True
