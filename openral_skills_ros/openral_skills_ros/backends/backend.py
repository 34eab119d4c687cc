"""Interface of a backend, and the goal that it carries out."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from time import monotonic
from typing import Protocol

from rclpy.task import Future

from openral_core.skill_errors import SkillFailed
from openral_core.skills import Feedback, ParamValue, SkillResult, SkillStatus
from openral_ros.resources import ResourceScope

POLL_PERIOD = 0.05
"""Period at which an awaited condition is checked [s]."""


class Stopped(SkillFailed):
    """A goal that was cancelled before or between its motions."""

    status = SkillStatus.CANCELLED

    def __init__(self, message: str) -> None:
        super().__init__(message)


class Failed(SkillFailed):
    """A goal that another package ended with a status."""

    def __init__(self, status: SkillStatus, message: str) -> None:
        super().__init__(message)
        self.status = status


@dataclass(slots=True)
class Run:
    """A goal that is being carried out."""

    params: Mapping[str, ParamValue]  # Its validated parameters.
    cancelled: Callable[[], bool]  # Returns True once the robot has to stop.
    feedback: Feedback = field(default_factory=lambda: Feedback("starting", 0.0))  # Latest progress.
    stalled: str = ""  # Reason for which the backend stops the robot, "" for none.
    ordered: str = ""  # Reason for which the skill server stops it, "" for none.

    def report(self, stage: str, progress: float) -> None:
        """Set the progress, in [0, 1]."""
        self.feedback = Feedback(stage, min(max(progress, 0.0), 1.0))

    def stopping(self) -> bool:
        """Return True if the robot has to stop, for whatever reason."""
        return self.cancelled() or bool(self.stalled or self.ordered)

    def check(self) -> None:
        """Return if the robot may go on.

        Raises:
            Stopped: If it has to stop.
        """
        if self.stopping():
            raise Stopped(f"cancelled while {self.feedback.stage}")


class Pauses:
    """Waits of coroutines on the node's executor, on one timer."""

    def __init__(self, scope: ResourceScope) -> None:
        self._pending: list[tuple[Callable[[], bool], float, Future]] = []
        self._timer = scope.timer(POLL_PERIOD, self._check, autostart=False)
        scope.callback(self._end_all)

    async def until(self, condition: Callable[[], bool], timeout: float) -> bool:
        """Wait until a condition holds, at most ``timeout`` [s]; return whether it does."""
        holds = Future()
        self._pending.append((condition, monotonic() + timeout, holds))
        self._timer.reset()
        return bool(await holds)

    def _check(self) -> None:
        now, pending = monotonic(), self._pending
        self._pending = []
        for condition, until, future in pending:
            holds = condition()
            if holds or now > until:
                future.set_result(holds)
            else:
                self._pending.append((condition, until, future))
        if not self._pending:
            self._timer.cancel()

    def _end_all(self) -> None:
        for _, _, future in self._pending:
            future.set_result(False)


class Backend(Protocol):
    """Carries out the goals of one verb."""

    @property
    def unavailable(self) -> str:
        """Reason why it cannot take a goal now, "" if it can."""

    async def execute(self, run: Run) -> SkillResult:
        """Carry out a goal; raises `SkillFailed` as the skills of the simulation do."""
