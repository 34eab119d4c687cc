"""Any verb by any ROS action: goal by template, result by field names."""

from rclpy.node import Node

from openral_core.robot import ActionBackend, Frames
from openral_core.skills import ParamValue, SkillResult, SkillStatus
from openral_ros.resources import ResourceScope
from openral_skills_ros.backends.backend import Run
from openral_skills_ros.foreign_actions.client import Ended, ForeignAction
from openral_skills_ros.foreign_actions.goal_templates import field_of, fill
from openral_skills_ros.foreign_actions.status_table import GoalEnd

_ENDS = {
    GoalEnd.SUCCEEDED: SkillStatus.SUCCEEDED,
    GoalEnd.CANCELED: SkillStatus.CANCELLED,
    GoalEnd.ABORTED: SkillStatus.SKILL_ERROR,
}


class AnyActionBackend:
    """Carries out a verb by one goal of an action."""

    def __init__(self, scope: ResourceScope, node: Node, frames: Frames, options: ActionBackend) -> None:
        self._frames, self._options = frames, options
        self._action = ForeignAction(scope, node, options.type, options.action)

    @property
    def unavailable(self) -> str:
        """Reason why no goal can be sent now."""
        return "" if self._action.ready else f"no action server at {self._action.name}; start it"

    async def execute(self, run: Run) -> SkillResult:
        """Send the goal of the template and map its result; raises as `fill` does."""
        goal = self._action.goal()
        fill(goal, self._options.goal, run.params, self._frames.map)
        ended = await self._action.run(goal, lambda _: run.report("acting", 0.5), run.stopping)
        status, message = self._status(ended), field_of(ended.result, self._options.message_field)
        evidence = {name: value for name in self._options.evidence if (value := self._plain(ended, name))}
        text = f"{self._action.name}: {message or ended.end.name.lower()}"
        return SkillResult(status, text, dict(evidence))

    def _status(self, ended: Ended) -> SkillStatus:
        """Status by the mapped field; a value that is not mapped never makes a failed goal a success."""
        value = field_of(ended.result, self._options.status_field)
        mapped = self._options.statuses.get(value) if isinstance(value, bool | int | str) else None
        if ended.end is GoalEnd.CANCELED or mapped is None:
            return _ENDS[ended.end]
        status = SkillStatus[mapped]
        failed = ended.end is not GoalEnd.SUCCEEDED
        return SkillStatus.SKILL_ERROR if failed and status is SkillStatus.SUCCEEDED else status

    @staticmethod
    def _plain(ended: Ended, name: str) -> ParamValue | None:
        value = field_of(ended.result, name)
        return value if isinstance(value, bool | int | float | str) else None
