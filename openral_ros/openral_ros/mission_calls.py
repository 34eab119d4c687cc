"""Tool calls of a mission on the wire: a status carries those that changed, and readers accumulate them."""

from collections import OrderedDict

from openral_msgs.msg import MissionStatus, ToolCallRecord

REPEATED = 8
"""Latest calls that every status carries, changed or not: a reader may miss messages."""
MAX_CALLS = 256
"""Most calls of one status, the latest; no budget of a shipped configuration allows more."""
MAX_MISSIONS = 64
"""Missions whose calls a reader keeps."""
Key = tuple[str, str]


class CallSelection:
    """Choice of the calls of a status: those that changed since the last one, and the latest.

    The first and the last status of a mission, and the first after a subscriber has come, carry all.
    """

    def __init__(self) -> None:
        self._mission: Key = ("", "")
        self._sent: dict[int, ToolCallRecord] = {}
        self._readers = 0

    def select(
        self, mission: Key, calls: list[ToolCallRecord], readers: int, *, ended: bool
    ) -> list[ToolCallRecord]:
        """Return the calls to publish.

        Args:
            mission: Ids of the mission and of its prompt.
            calls: All calls so far, in order.
            readers: Number of subscribers.
            ended: True in the last status.
        """
        is_complete = ended or mission != self._mission or readers > self._readers
        first = len(calls) - (MAX_CALLS if is_complete else REPEATED)
        chosen = [
            call
            for place, call in enumerate(calls)
            if place >= first or (not is_complete and self._sent.get(call.index) != call)
        ]
        self._mission, self._readers = mission, readers
        self._sent = {call.index: call for call in calls}
        return chosen[-MAX_CALLS:]


class CallHistory:
    """Calls of the latest missions, accumulated from their statuses."""

    def __init__(self) -> None:
        self._missions: OrderedDict[Key, dict[int, ToolCallRecord]] = OrderedDict()

    def complete(self, message: MissionStatus) -> None:
        """Put every known call of its mission into a status, in order."""
        key = (message.mission_id, message.prompt_id)
        calls = self._missions.setdefault(key, {})
        self._missions.move_to_end(key)
        calls.update({call.index: call for call in message.calls})
        for index in sorted(calls)[:-MAX_CALLS]:
            del calls[index]
        message.calls = [calls[index] for index in sorted(calls)]
        while len(self._missions) > MAX_MISSIONS:
            self._missions.popitem(last=False)


def has_all_calls(message: MissionStatus) -> bool:
    """Return whether a status carries the calls of its mission from the first one on."""
    return [call.index for call in message.calls] == list(range(len(message.calls)))
