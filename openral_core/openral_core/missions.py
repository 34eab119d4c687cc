"""Mission states and prompt outcomes."""

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
        """True in a final state."""
        return self >= MissionState.SUCCEEDED

    @property
    def exit_code(self) -> int:
        """Exit status for a program that waited: 0 reached, 3 handed over, 5 claimed only, else 1."""
        return {MissionState.SUCCEEDED: 0, MissionState.HANDED_OVER: 3, MissionState.CLAIMED: 5}.get(self, 1)


def state_name(number: int) -> str:
    """Return the name of a state, also of one that a newer peer has and this version does not know."""
    return MissionState(number).name if number in set(MissionState) else f"UNKNOWN_{number}"


def is_final(number: int) -> bool:
    """Return whether a mission in a state has ended; an unknown state is not known to be final."""
    return number in set(MissionState) and MissionState(number).ended


class PromptOutcome(IntEnum):
    """Outcomes of openral_msgs/PromptReceipt."""

    STARTED = 0
    QUEUED = 1
    ANSWERED = 2
    STOPPED = 3
    REFUSED = 4
