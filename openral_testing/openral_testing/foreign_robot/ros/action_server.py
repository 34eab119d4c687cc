"""Action server of another package's interface whose goals are motions of one unit of the simulated robot."""

from collections.abc import Callable
from threading import Event
from time import monotonic
from typing import Any, Protocol, TypeVar

from rclpy.action import ActionServer, CancelResponse
from rclpy.action.server import ServerGoalHandle
from rclpy.node import Node
from rclpy.task import Future

from openral_ros.resources import ActionType, ResourceScope
from openral_ros.worker_thread import ExecutorQueue
from openral_testing.foreign_robot.controlled_robot import (
    MotionCommand,
    MotionEnd,
    MotionOutcome,
    Unit,
    UnitMotion,
)
from openral_testing.foreign_robot.ros.interfaces import GoalRefused

Message = Any
"""Message of a package that is not typed."""
FEEDBACK_PERIOD = 0.2
"""Period of feedback, and at which the presence of clients is checked [s]."""


AnyMotion = TypeVar("AnyMotion", bound=UnitMotion)


class Interface(Protocol[AnyMotion]):
    """Translation between an action type and motions."""

    @property
    def action_type(self) -> type[ActionType]:
        """The action type."""

    @property
    def unit(self) -> Unit:
        """Unit that moves."""

    def motion(self, goal: Message) -> AnyMotion:
        """Make the motion of a goal.

        Raises:
            GoalRefused: If the goal is invalid.
        """

    def result(self, motion: AnyMotion | None, end: MotionEnd) -> Message:
        """Make the result; ``motion`` is None for an invalid goal."""

    def feedback(self, motion: AnyMotion) -> Message | None:
        """Make the feedback, None for none."""


class _ActiveGoal:
    """A goal in execution; ``end`` is completed on the executor."""

    def __init__(self, handle: ServerGoalHandle, motion: UnitMotion) -> None:
        self.handle, self.motion = handle, motion
        self.cancelled, self.end = Event(), Future()


class MotionActionServer:
    """Serves one action. A goal ends when its unit stands still, or is pre-empted by the next one.

    A goal whose action has had no client in the graph for ``client_timeout`` [s] is ended. All of its state
    belongs to the node's executor. An exception aborts a goal with the empty result of its type.
    """

    def __init__(
        self,
        scope: ResourceScope,
        node: Node,
        interface: Interface[Any],
        name: str,
        begin: Callable[[MotionCommand], None],
        client_timeout: float,
    ) -> None:
        self._node, self._interface, self._begin = node, interface, begin
        self._send_goal = str(node.resolve_service_name(f"{name}/_action/send_goal"))
        self._timeout, self._client_seen = client_timeout, monotonic()
        self._active: dict[bytes, _ActiveGoal] = {}
        self._ends = ExecutorQueue(scope)
        server = ActionServer(node, interface.action_type, name, self._execute, cancel_callback=self._cancel)
        scope.callback(server.destroy)
        scope.timer(FEEDBACK_PERIOD, self._watch)

    def _cancel(self, handle: ServerGoalHandle) -> CancelResponse:
        active = self._active.get(bytes(handle.goal_id.uuid))
        if active is not None:
            active.cancelled.set()
        return CancelResponse.ACCEPT

    async def _execute(self, handle: ServerGoalHandle) -> Message:
        try:
            motion = self._interface.motion(handle.request)
        except GoalRefused as error:
            handle.abort()
            return self._interface.result(None, MotionEnd(MotionOutcome.FAILED, error))
        end = await self._moved(_ActiveGoal(handle, motion))
        if end.outcome is MotionOutcome.SUCCEEDED:
            handle.succeed()
        elif end.outcome is MotionOutcome.CANCELLED and handle.is_cancel_requested:
            handle.canceled()
        else:
            handle.abort()
        return self._interface.result(motion, end)

    async def _moved(self, active: _ActiveGoal) -> MotionEnd:
        """Move the unit and await the end."""
        key = bytes(active.handle.goal_id.uuid)
        if active.handle.is_cancel_requested:
            active.cancelled.set()
        self._active[key], self._client_seen = active, monotonic()

        def ended(end: MotionEnd) -> None:
            self._ends.post(lambda: active.end.set_result(end))

        self._begin(MotionCommand(self._interface.unit, active.motion, ended, active.cancelled))
        try:
            end: MotionEnd = await active.end
        finally:
            del self._active[key]
        return end

    def _watch(self) -> None:
        """Publish feedback, and end goals that have no client any more."""
        if self._active and self._node.count_clients(self._send_goal):
            self._client_seen = monotonic()
        is_abandoned = monotonic() - self._client_seen > self._timeout
        for active in self._active.values():
            feedback = self._interface.feedback(active.motion)
            if feedback is not None:
                active.handle.publish_feedback(feedback)
            if is_abandoned:
                active.cancelled.set()
