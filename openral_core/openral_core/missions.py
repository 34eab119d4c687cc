"""How a mission stands, and what became of a prompt."""

from enum import IntEnum


class MissionState(IntEnum):
    """States of openral_msgs/MissionStatus."""

    IDLE = 0
    ACTIVE = 1
    WAITING_FOR_HUMAN = 2
    SUCCEEDED = 3
    FAILED = 4
    HANDED_OVER = 5
    CANCELLED = 6
    CLAIMED = 7

    @property
    def ended(self) -> bool:
        """Whether nothing more will happen."""
        return self >= MissionState.SUCCEEDED

    @property
    def exit_code(self) -> int:
        """Of a program that waited for the end: 0 reached, 3 handed over, 5 only claimed, else 1."""
        return {MissionState.SUCCEEDED: 0, MissionState.HANDED_OVER: 3, MissionState.CLAIMED: 5}.get(self, 1)


class PromptOutcome(IntEnum):
    """What became of a prompt; outcomes of openral_msgs/PromptReceipt."""

    STARTED = 0
    QUEUED = 1
    ANSWERED = 2
    STOPPED = 3
    REFUSED = 4
