"""The only uses of rclpy attributes that are not public API, each with its reason; also `lean_executor`.

Checked against `TESTED_VERSION`; ``test/test_rclpy_internals.py`` fails when a newer rclpy no longer
allows one of them or no longer needs it.
"""

from collections.abc import Callable, Iterator
from typing import Any

from rclpy.action import ActionClient
from rclpy.lifecycle import LifecycleNodeMixin
from rclpy.serialization import deserialize_message
from rclpy.service import Service
from rclpy.subscription import Subscription
from rclpy.task import Task
from unique_identifier_msgs.msg import UUID

TESTED_VERSION = (7, 1)
"""Major and minor version of rclpy (ROS 2 Jazzy)."""

ServiceCallback = Callable[[Any, Any], Any]
SendResponse = Callable[[Any, Any], None]


def intercept_messages(subscription: Subscription, on_message: Callable[[object], None]) -> None:
    """Call ``on_message`` before the callback of a subscription.

    Reason: arrival times of messages are needed for subscriptions that other code created, and rclpy has
    neither hooks on a subscription nor Python access to rmw statistics of received messages.
    """
    receive = subscription.callback

    def observe(message: object) -> None:
        on_message(message)
        receive(message)

    subscription.callback = observe


def take_waiting(subscription: Subscription, *, only_newest: bool = False) -> Iterator[Any]:
    """Yield the messages that have arrived and for which no executor has called back.

    Reason: a node that ends has no other way to handle what has arrived, and one that wants the newest
    message of a stream now and then would otherwise deserialise all of them, each after a wait of its own.

    Args:
        subscription: Whose messages are taken.
        only_newest: Drop the others without deserialising them.
    """
    handle, message_type = subscription.handle, subscription.msg_type
    raw = subscription.raw or only_newest
    newest = None
    with handle:
        while (taken := handle.take_message(message_type, raw)) is not None:
            newest = taken[0]
            if not only_newest:
                yield newest
    if only_newest and newest is not None:
        yield newest if subscription.raw else deserialize_message(newest, message_type)


def intercept_requests(service: Service, wrap: Callable[[ServiceCallback], ServiceCallback]) -> None:
    """Wrap the callback of a service.

    Reason: a service whose callback raises ends the process, also the services of parameters and lifecycle
    that rclpy creates itself.
    """
    service.callback = wrap(service.callback)


def intercept_responses(service: Service, wrap: Callable[[SendResponse], SendResponse]) -> None:
    """Wrap the function that sends the response returned by the callback of a service.

    Reason: the executor sends what the callback returns at once. Deferred responses need a callback that
    returns a future, without a coroutine per request (1 ms each); and a response with a field that
    cannot be serialised raises here, outside of the callback.
    """
    service.send_response = wrap(service.send_response)


def intercept_change_state(node: LifecycleNodeMixin, callback: ServiceCallback) -> ServiceCallback:
    """Replace the callback of ``~/change_state``; return the original.

    Reason: rclpy raises on a transition that the current state does not have, which ends the process.
    """
    service = node._service_change_state
    original: ServiceCallback = service.callback
    service.callback = callback
    return original


def receive_feedback(client: ActionClient, goal_id: UUID, on_feedback: Callable[[Any], object]) -> None:
    """Call ``on_feedback`` with the feedback of a goal that another process sent, until its result.

    Reason: rclpy takes a callback for feedback only together with a goal to send.
    """
    client._feedback_callbacks[bytes(goal_id.uuid)] = on_feedback


def destroy_state_machine(node: LifecycleNodeMixin) -> None:
    """Destroy the state machine of a destroyed lifecycle node.

    Reason: the mixin of rclpy keeps it, and with it the DDS participant of the process.
    """
    node._state_machine.destroy_when_not_in_use()


def available_transitions(node: LifecycleNodeMixin) -> frozenset[tuple[int, str]]:
    """Return (id, label) of the transitions from the current state of a lifecycle node.

    Reason: as for `lifecycle_state_label`.
    """
    return frozenset((number, label) for number, label, *_ in node._state_machine.available_transitions)


def task_handler(task: Task) -> object:
    """Return the callable of a task that has not run yet.

    Reason: an exception is reported with the name of its callback, which a task does not expose.
    """
    return task._handler


def lifecycle_state_label(node: object) -> str | None:
    """Return the label of a lifecycle node's current state; None for any other node.

    Reason: the state can only be read by the ``~/get_state`` service, which needs a spinning executor.
    """
    machine = getattr(node, "_state_machine", None)
    return None if machine is None else str(machine.current_state[1])
