"""How a mission stands, as others see it."""

from enum import IntEnum

from openral_reasoner.budgets import BudgetLine
from openral_reasoner.exchanges.value import Value


class MissionState(IntEnum):
    """States of MissionStatus.msg."""

    IDLE = 0
    ACTIVE = 1
    WAITING_FOR_HUMAN = 2
    SUCCEEDED = 3
    FAILED = 4
    HANDED_OVER = 5
    CANCELLED = 6

    @property
    def terminal(self) -> bool:
        """Whether the mission is over."""
        return self >= MissionState.SUCCEEDED


class CallRecord(Value):
    """One call and how it ended; ``duration`` [s]."""

    index: int
    tool: str
    arguments: str
    status: str = "pending"
    message: str = ""
    started: float = 0.0
    duration: float = 0.0


class MissionReport(Value):
    """Content of MissionStatus.msg."""

    mission_id: str = ""
    goal: str = ""
    requester: str = ""
    state: MissionState = MissionState.IDLE
    step: str = ""
    reason: str = ""
    budget: tuple[BudgetLine, ...] = ()
    calls: tuple[CallRecord, ...] = ()
    searched: tuple[str, ...] = ()
    traceparent: str = ""


class HandoffQuestion(Value):
    """Content of Handoff.msg."""

    id: str
    mission_id: str
    goal: str
    tried: tuple[str, ...]
    question: str
    choices: tuple[str, ...] = ()
    budget: tuple[BudgetLine, ...] = ()
    traceparent: str = ""
