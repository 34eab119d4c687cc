"""The lifecycle node every node of this project is."""
# MERGED Lifecycle transitions that never fail silently.

import traceback
from collections.abc import Callable, Sequence
from functools import wraps
from typing import TypeVar

from lifecycle_msgs.srv import ChangeState
from rcl_interfaces.msg import SetParametersResult
from rclpy.lifecycle import LifecycleNodeMixin, LifecycleState, TransitionCallbackReturn
from rclpy.node import Node
from rclpy.parameter import Parameter

from openral_core.errors import OpenRALError
from openral_ros.callback_guard import FatalNodeError, guard_of
from openral_ros.executor import TransitionCallbackGroup
from openral_ros.parameters import effect
from openral_ros.resources import ResourceScope
from openral_ros.service_guard import guard_service, own_failure_answer

AnyNode = TypeVar("AnyNode", bound=Node)
Transition = Callable[[AnyNode, LifecycleState], TransitionCallbackReturn]


def logged(transition: Transition[AnyNode]) -> Transition[AnyNode]:
    """Say how a transition ended: our own errors are a FAILURE in words, others an ERROR with traceback.

    rclpy turns an exception in a transition into ERROR without a word.
    """

    @wraps(transition)
    def wrapper(node: AnyNode, state: LifecycleState) -> TransitionCallbackReturn:
        try:
            return transition(node, state)
        except OpenRALError as error:
            node.get_logger().error(f"{transition.__name__} refused: {error}")
            return TransitionCallbackReturn.FAILURE
        except Exception:
            node.get_logger().fatal(f"{transition.__name__} broke:\n{traceback.format_exc()}")
            return TransitionCallbackReturn.ERROR

    return wrapper


SUCCESS = TransitionCallbackReturn.SUCCESS


class LifecycleNodeBase(LifecycleNodeMixin, Node):
    """A lifecycle node with one `ResourceScope` per state.

    Subclasses override `configure` and `activate`. An `OpenRALError` raised there refuses the
    transition (FAILURE, logged); the scope of a refused transition is closed at once, so that
    trying again starts clean. Transitions are in a callback group of their own: under an
    `ApartExecutor` the node still answers while it activates.
    """

    def __init__(self, name: str, **options: object) -> None:
        Node.__init__(self, name, **options)
        LifecycleNodeMixin.__init__(self, callback_group=TransitionCallbackGroup())
        self._change_as_asked = self._service_change_state.callback
        self._service_change_state.callback = self._change_if_possible
        for service in self.services:
            answer = own_failure_answer(service.srv_type)
            guard_service(guard_of(self), f"service {service.srv_name}", service, answer)
        self._configured = ResourceScope(self)
        self._active = ResourceScope(self)

    def configure(self, scope: ResourceScope) -> None:
        """Check parameters and make the interfaces that live until clean-up."""

    def activate(self, scope: ResourceScope) -> None:
        """Acquire what lives until deactivation and begin to work."""

    def deactivated(self) -> None:
        """Told after the active scope was closed."""

    def last_words(self, reason: FatalNodeError) -> None:
        """Say why the process is about to end."""
        self.get_logger().fatal(str(reason))

    def set_parameters_atomically(self, parameter_list: Sequence[Parameter]) -> SetParametersResult:
        """Set them all or none; the result says when they will hold."""
        result = super().set_parameters_atomically(parameter_list)
        if result.successful and not result.reason:
            result.reason = effect(self, parameter_list)
        return result

    @logged
    def on_configure(self, state: LifecycleState) -> TransitionCallbackReturn:
        """See `configure`."""
        self._enter(self._configured, self.configure)
        return SUCCESS

    @logged
    def on_activate(self, state: LifecycleState) -> TransitionCallbackReturn:
        """See `activate`."""
        self._enter(self._active, self.activate)
        return SUCCESS

    @logged
    def on_deactivate(self, state: LifecycleState) -> TransitionCallbackReturn:
        """Close what activation acquired."""
        self._active.close()
        self.deactivated()
        return SUCCESS

    @logged
    def on_cleanup(self, state: LifecycleState) -> TransitionCallbackReturn:
        """Close everything, from whatever state."""
        self.close()
        return SUCCESS

    on_shutdown = on_error = on_cleanup

    def close(self) -> None:
        """Give everything back; safe to call in any state."""
        self._active.close()
        self._configured.close()

    def destroy_node(self) -> None:
        """Also give back the state machine: rclpy's mixin keeps it, and with it the DDS participant."""
        super().destroy_node()
        self._state_machine.destroy_when_not_in_use()

    def _change_if_possible(
        self, request: ChangeState.Request, response: ChangeState.Response
    ) -> ChangeState.Response:
        """Refuse a transition that the state does not have: rclpy raises on it, which ends the process."""
        asked = request.transition
        offered = {(number, label) for number, label, *_ in self._state_machine.available_transitions}
        if any(asked.label == label if asked.label else asked.id == number for number, label in offered):
            return self._change_as_asked(request, response)
        state = self._state_machine.current_state[1]
        self.get_logger().warning(f"refused transition {asked.label or asked.id}: this node is {state}")
        response.success = False
        return response

    def _enter(self, scope: ResourceScope, acquire: Callable[[ResourceScope], None]) -> None:
        try:
            acquire(scope)
        except BaseException:
            scope.close()
            raise
