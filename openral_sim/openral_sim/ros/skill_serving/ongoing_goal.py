"""The goal the robot is at, as its client sees it."""

from time import monotonic

from rclpy.action.server import ServerGoalHandle
from rclpy.task import Future

from openral_core.skills import SkillResult, SkillStatus
from openral_msgs.action import ExecuteRskill
from openral_sim.ros.sim_loop import GoalOrder
from openral_sim.skills import Feedback

GRACE = 5.0
"""How long the robot may take to stop after a deadline before the client is answered anyway [s]."""


class OngoingGoal:
    """Feedback, deadline and end of one goal; deadlines are steady wall-clock time."""

    def __init__(self, handle: ServerGoalHandle, order: GoalOrder) -> None:
        self.handle, self.goal = handle, order.goal
        self.ended = Future()
        self._order = order
        self._due = monotonic() + order.goal.deadline
        self._told: Feedback | None = None

    def tell(self, feedback: Feedback) -> None:
        """Publish feedback if it is news."""
        if feedback == self._told or not feedback.stage or self.ended.done():
            return
        self._told = feedback
        self.handle.publish_feedback(
            ExecuteRskill.Feedback(stage=feedback.stage, progress=float(feedback.progress))
        )

    def stop(self) -> None:
        """Have the robot brought to a controlled stop."""
        self._order.cancelled.set()

    def check_deadline(self) -> None:
        """Stop the robot at the deadline; answer the client anyway if it has not stopped in time."""
        late = monotonic() - self._due
        if late >= 0.0:
            self.stop()
        if late >= GRACE:
            self.end(SkillResult(SkillStatus.TIMEOUT, f"{self._late()} and has not stopped since"))

    def end(self, result: SkillResult) -> None:
        """Answer the client; the first answer counts."""
        if self.ended.done():
            return
        stopped = result.status is SkillStatus.CANCELLED and not self.handle.is_cancel_requested
        if stopped and monotonic() >= self._due:
            result = SkillResult(SkillStatus.TIMEOUT, f"{self._late()}: {result.message}", result.evidence)
        self.ended.set_result(result)

    def _late(self) -> str:
        return f"{self.goal.verb} did not end within {self.goal.deadline:.1f} s"
