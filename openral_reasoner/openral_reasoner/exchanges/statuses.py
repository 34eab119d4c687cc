"""How a mission stands, as others see it."""

from openral_core.missions import MissionState
from openral_reasoner.budgets import BudgetLine
from openral_reasoner.exchanges.value import Value


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
    prompt_id: str = ""
    goal: str = ""
    requester: str = ""
    state: MissionState = MissionState.IDLE
    step: str = ""
    reason: str = ""
    budget: tuple[BudgetLine, ...] = ()
    calls: tuple[CallRecord, ...] = ()
    searched: tuple[str, ...] = ()
    evidence: tuple[str, ...] = ()
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
