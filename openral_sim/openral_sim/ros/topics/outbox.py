"""Pictures on their way out, one per control period."""

from collections import deque
from collections.abc import Iterable

from sensor_msgs.msg import Image

from openral_sim.ros.topics.camera import Letter

_MOST_WAITING = 6


class Outbox:
    """Sends small messages at once and pictures one at a time.

    All pictures of an instant at once overrun the shared memory that Fast DDS gives a process (512 KiB by
    default): best-effort subscribers then lose the first of them.
    """

    def __init__(self) -> None:
        self._waiting: deque[Letter] = deque()

    def add(self, letters: Iterable[Letter]) -> None:
        """Take over messages; those that are no pictures go out now."""
        for publisher, message in letters:
            if isinstance(message, Image):
                self._waiting.append((publisher, message))
            else:
                publisher.publish(message)

    def send(self) -> None:
        """Send the picture that waits longest, and more where too many wait."""
        while self._waiting:
            publisher, message = self._waiting.popleft()
            publisher.publish(message)
            if len(self._waiting) < _MOST_WAITING:
                return

    def clear(self) -> None:
        """Forget what waits."""
        self._waiting.clear()
