"""Non-blocking client of one managed node's lifecycle services."""

from collections.abc import Callable

from lifecycle_msgs.msg import State, Transition, TransitionEvent
from lifecycle_msgs.srv import ChangeState, GetState
from rclpy.node import Node

from openral_bringup.lifecycle_manager.sequencer import LifecycleStep
from openral_core.detectors import LifecycleState
from openral_ros.qos import RELIABLE
from openral_ros.resources import ResourceScope
from openral_ros.service_client import AsyncServiceClient, CallError

IDS = {
    LifecycleStep.CONFIGURE: Transition.TRANSITION_CONFIGURE,
    LifecycleStep.ACTIVATE: Transition.TRANSITION_ACTIVATE,
    LifecycleStep.DEACTIVATE: Transition.TRANSITION_DEACTIVATE,
    LifecycleStep.CLEANUP: Transition.TRANSITION_CLEANUP,
}


class NodeLifecycleClient:
    """Client of one node's state and transitions.

    ``on_deactivated`` is called on the node's own transition event: between two polls a node can be
    deactivated and die, and would otherwise be taken for one that was active until then.
    """

    def __init__(
        self, scope: ResourceScope, node: Node, name: str, on_deactivated: Callable[[], None]
    ) -> None:
        self._state: AsyncServiceClient[GetState.Response] = AsyncServiceClient(
            scope, node, GetState, f"{name}/get_state"
        )
        self._change: AsyncServiceClient[ChangeState.Response] = AsyncServiceClient(
            scope, node, ChangeState, f"{name}/change_state"
        )
        self._sent, self._answered = 0, 0
        self._on_deactivated = on_deactivated
        scope.subscription(TransitionEvent, f"{name}/transition_event", self._on_transition, RELIABLE)

    def get_state(self, deadline: float, on_state: Callable[[LifecycleState | None], None]) -> None:
        """Request the state; ``on_state`` gets None if there is no answer in time.

        Requests overlap, because a request to a process that died is never answered but its replacement
        may be. Answers older than the latest one are ignored.
        """
        self._sent += 1
        number = self._sent

        def answered(outcome: GetState.Response | CallError) -> None:
            if number > self._answered:
                self._answered = self._answered if isinstance(outcome, CallError) else number
                on_state(state_of(outcome))

        self._state.call(GetState.Request(), deadline, answered)

    def _on_transition(self, event: TransitionEvent) -> None:
        edge = event.start_state.id, event.goal_state.id
        if edge == (State.TRANSITION_STATE_DEACTIVATING, State.PRIMARY_STATE_INACTIVE):
            self._answered = self._sent  # answers to earlier requests may carry the previous state
            self._on_deactivated()

    def change(self, step: LifecycleStep, deadline: float, on_done: Callable[[bool], None]) -> None:
        """Request a transition; ``on_done`` gets False if it is rejected, late or not answered."""
        request = ChangeState.Request(transition=Transition(id=IDS[step]))
        self._change.call(
            request, deadline, lambda outcome: on_done(bool(getattr(outcome, "success", False)))
        )


def state_of(outcome: GetState.Response | CallError) -> LifecycleState | None:
    """Return the primary state; a state in the middle of a transition counts as unknown."""
    if isinstance(outcome, CallError):
        return None
    values = {state.value for state in LifecycleState}
    state = outcome.current_state.id
    return LifecycleState(state) if state in values else LifecycleState.UNKNOWN
