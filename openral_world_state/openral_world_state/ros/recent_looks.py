"""What each detector saw last, as long as that is the present."""

import time

from openral_world_state.worlds import Seen

RECENT = 3.0
"""How long a look says what is seen now, from its taking-in [s]; slow detectors look once a second."""


class RecentLooks:
    """The last look of each detector, dropped when it has become old."""

    def __init__(self) -> None:
        self._looks: dict[str, tuple[float, Seen]] = {}

    def put(self, source: str, seen: Seen) -> None:
        """A detector has just looked."""
        self._looks[source] = time.monotonic(), seen

    def recent(self) -> list[Seen]:
        """Looks of the last seconds."""
        since = time.monotonic() - RECENT
        self._looks = {source: look for source, look in self._looks.items() if look[0] >= since}
        return [seen for _, seen in self._looks.values()]
