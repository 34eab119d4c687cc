"""Base class of lifecycle nodes: one resource scope per state, transitions that never fail silently."""

import traceback
from collections.abc import Callable, Sequence
from functools import wraps
from typing import ClassVar, TypeVar

from lifecycle_msgs.srv import ChangeState
from rcl_interfaces.msg import SetParametersResult
from rclpy.lifecycle import LifecycleNodeMixin, LifecycleState, TransitionCallbackReturn
from rclpy.node import Node
from rclpy.parameter import Parameter

from openral_core.errors import OpenRALError
from openral_ros.callback_guard import FatalNodeError, guard_standard_services
from openral_ros.executor import TransitionCallbackGroup
from openral_ros.parameters import effect_notice
from openral_ros.rclpy_internals import (
    available_transitions,
    destroy_state_machine,
    intercept_change_state,
    lifecycle_state_label,
)
from openral_ros.resources import ResourceScope
from openral_ros.unused_memory import release_unused_memory

AnyNode = TypeVar("AnyNode", bound=Node)
Transition = Callable[[AnyNode, LifecycleState], TransitionCallbackReturn]


def logged(transition: Transition[AnyNode]) -> Transition[AnyNode]:
    """Log failed transitions: an `OpenRALError` as FAILURE with its message, others as ERROR with traceback.

    rclpy turns an exception in a transition into ERROR without any output.
    """

    @wraps(transition)
    def wrapper(node: AnyNode, state: LifecycleState) -> TransitionCallbackReturn:
        try:
            return transition(node, state)
        except OpenRALError as error:
            node.get_logger().error(f"{transition.__name__} failed: {error}")
            return TransitionCallbackReturn.FAILURE
        except Exception:
            node.get_logger().fatal(f"{transition.__name__} raised:\n{traceback.format_exc()}")
            return TransitionCallbackReturn.ERROR

    return wrapper


SUCCESS = TransitionCallbackReturn.SUCCESS


class LifecycleNodeBase(LifecycleNodeMixin, Node):
    """A lifecycle node with one `ResourceScope` per state.

    Subclasses override `configure` and `activate`. An `OpenRALError` raised there fails the
    transition (FAILURE, logged) and closes its scope, so that a retry starts clean. Transitions are in
    a callback group of their own: under a `TransitionThreadExecutor` the node answers while it activates;
    ``transitions_apart`` chooses it, for a node whose activation takes seconds.
    """

    transitions_apart: ClassVar[bool] = False

    def __init__(self, name: str, **options: object) -> None:
        Node.__init__(self, name, **options)
        LifecycleNodeMixin.__init__(self, callback_group=TransitionCallbackGroup())
        self._change_state = intercept_change_state(self, self._change_state_if_available)
        guard_standard_services(self)
        self._configured = ResourceScope(self)
        self._active = ResourceScope(self)

    def configure(self, scope: ResourceScope) -> None:
        """Check parameters and create the interfaces that live until clean-up."""

    def activate(self, scope: ResourceScope) -> None:
        """Acquire the resources that live until deactivation, and start working."""

    def on_deactivated(self) -> None:
        """React to deactivation, after the active scope was closed."""

    def on_fatal(self, reason: FatalNodeError) -> None:
        """Report why the process is about to end."""
        self.get_logger().fatal(str(reason))

    def set_parameters_atomically(self, parameter_list: Sequence[Parameter]) -> SetParametersResult:
        """Set all parameters or none; the reason in the result says when they take effect."""
        result = super().set_parameters_atomically(parameter_list)
        if result.successful and not result.reason:
            result.reason = effect_notice(self, parameter_list)
        return result

    @logged
    def on_configure(self, state: LifecycleState) -> TransitionCallbackReturn:
        """Run `configure`."""
        self._enter(self._configured, self.configure)
        return SUCCESS

    @logged
    def on_activate(self, state: LifecycleState) -> TransitionCallbackReturn:
        """Run `activate`."""
        self._enter(self._active, self.activate)
        return SUCCESS

    @logged
    def on_deactivate(self, state: LifecycleState) -> TransitionCallbackReturn:
        """Release what activation acquired."""
        self._active.close()
        self.on_deactivated()
        release_unused_memory()
        return SUCCESS

    @logged
    def on_cleanup(self, state: LifecycleState) -> TransitionCallbackReturn:
        """Release everything, in any state."""
        self.close()
        return SUCCESS

    on_shutdown = on_error = on_cleanup

    def close(self) -> None:
        """Release everything; safe to call in any state."""
        self._active.close()
        self._configured.close()

    def destroy_node(self) -> None:
        """Destroy the node with its state machine."""
        super().destroy_node()
        destroy_state_machine(self)

    def _change_state_if_available(
        self, request: ChangeState.Request, response: ChangeState.Response
    ) -> ChangeState.Response:
        """Refuse a transition that the current state does not have; rclpy would raise and end the process."""
        transition = request.transition
        available = available_transitions(self)
        if any(
            transition.label == label if transition.label else transition.id == number
            for number, label in available
        ):
            return self._change_state(request, response)
        state = lifecycle_state_label(self)
        self.get_logger().warning(
            f"transition {transition.label or transition.id} is not available: the node is {state}"
        )
        response.success = False
        return response

    def _enter(self, scope: ResourceScope, acquire: Callable[[ResourceScope], None]) -> None:
        try:
            acquire(scope)
        except BaseException:
            scope.close()
            raise
