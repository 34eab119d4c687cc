"""Lifecycle transitions that never fail silently."""

import traceback
from collections.abc import Callable
from functools import wraps
from typing import TypeVar

from rclpy.lifecycle import LifecycleState, TransitionCallbackReturn
from rclpy.node import Node

from openral_core.errors import OpenRALError

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
