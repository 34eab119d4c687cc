"""One managed node's lifecycle services, asked without blocking."""

from collections.abc import Callable

from lifecycle_msgs.msg import State, Transition, TransitionEvent
from lifecycle_msgs.srv import ChangeState, GetState
from rclpy.node import Node

from openral_bringup.lifecycle_manager.managed_node import LifecycleStep
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
    """Asks one node for its state and for transitions.

    ``on_deactivated`` is called when it says that it has become inactive, whoever asked: between two looks a
    node can be deactivated and die, and would be taken for one that was active to the last.
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
        self._asked, self._heard = 0, 0
        self._on_deactivated = on_deactivated
        scope.subscription(TransitionEvent, f"{name}/transition_event", self._changed, RELIABLE)

    def look(self, deadline: float, on_state: Callable[[LifecycleState | None], None]) -> None:
        """Ask for the state; None when it does not answer in time.

        What was asked of a process that died is never answered: the one in its place is asked beside it.
        An answer to a later question says more than this one's.
        """
        self._asked += 1
        number = self._asked

        def answered(outcome: GetState.Response | CallError) -> None:
            if number > self._heard:
                self._heard = self._heard if isinstance(outcome, CallError) else number
                on_state(_state_of(outcome))

        self._state.call(GetState.Request(), deadline, answered)

    def _changed(self, event: TransitionEvent) -> None:
        edge = event.start_state.id, event.goal_state.id
        if edge == (State.TRANSITION_STATE_DEACTIVATING, State.PRIMARY_STATE_INACTIVE):
            self._heard = self._asked  # what was asked before may be answered with the state before
            self._on_deactivated()

    def change(self, step: LifecycleStep, deadline: float, on_done: Callable[[bool], None]) -> None:
        """Ask for a transition; False when it is refused, late or nobody answers."""
        request = ChangeState.Request(transition=Transition(id=IDS[step]))
        self._change.call(
            request, deadline, lambda outcome: on_done(bool(getattr(outcome, "success", False)))
        )


def _state_of(outcome: GetState.Response | CallError) -> LifecycleState | None:
    """A primary state; one in the middle of a transition tells nothing new and counts as unknown."""
    if isinstance(outcome, CallError):
        return None
    known = {state.value for state in LifecycleState}
    state = outcome.current_state.id
    return LifecycleState(state) if state in known else LifecycleState.UNKNOWN
