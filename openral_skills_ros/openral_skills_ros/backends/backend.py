"""Interface of a backend, and the goal that it carries out."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Protocol

from openral_core.skills import Feedback, ParamValue, SkillResult


@dataclass(slots=True)
class Run:
    """A goal that is being carried out.

    Attributes:
        params: Its validated parameters.
        cancelled: Returns True once the robot has to stop.
        feedback: Latest progress.
        stalled: Reason for which the backend stops the robot, "" for none.
        ordered: Reason for which the skill server stops it, "" for none.
    """

    params: Mapping[str, ParamValue]
    cancelled: Callable[[], bool]
    feedback: Feedback = field(default_factory=lambda: Feedback("starting", 0.0))
    stalled: str = ""
    ordered: str = ""

    def report(self, stage: str, progress: float) -> None:
        """Set the progress, in [0, 1]."""
        self.feedback = Feedback(stage, min(max(progress, 0.0), 1.0))

    def stopping(self) -> bool:
        """Return True if the robot has to stop, for whatever reason."""
        return self.cancelled() or bool(self.stalled or self.ordered)


class Backend(Protocol):
    """Carries out the goals of one verb."""

    @property
    def unavailable(self) -> str:
        """Reason why it cannot take a goal now, "" if it can."""

    async def execute(self, run: Run) -> SkillResult:
        """Carry out a goal; raises `SkillFailed` as the skills of the simulation do."""
