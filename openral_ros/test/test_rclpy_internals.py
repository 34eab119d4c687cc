"""Each use of rclpy internals still works and is still needed with the installed rclpy.

A failure after an update of rclpy means: check every function of `openral_ros.rclpy_internals`, drop those
that are no longer needed, and raise `TESTED_VERSION`.
"""

from collections.abc import Callable, Iterator
from importlib.metadata import version
from typing import Any

import pytest

pytest.importorskip("rclpy")
from lifecycle_msgs.msg import Transition
from lifecycle_msgs.srv import ChangeState
from rclpy.action import ActionClient
from rclpy.duration import Duration
from rclpy.exceptions import InvalidHandle
from rclpy.executors import SingleThreadedExecutor
from rclpy.lifecycle import LifecycleNode
from rclpy.node import Node
from rclpy.serialization import deserialize_message
from rclpy.subscription import Subscription
from rclpy.task import Task
from std_msgs.msg import String
from std_srvs.srv import Trigger

from openral_ros import rclpy_internals
from openral_ros.qos import RELIABLE

SpinUntil = Callable[..., None]
TOPIC, SERVICE = "/chatter", "/ask"


@pytest.fixture
def node(ros_context: Any) -> Iterator[Node]:
    made = Node("plain", context=ros_context)
    yield made
    made.destroy_node()


@pytest.fixture
def lifecycle_node(ros_context: Any) -> Iterator[LifecycleNode]:
    made = LifecycleNode("plain_lifecycle", context=ros_context)
    yield made
    made.destroy_node()
    rclpy_internals.destroy_state_machine(made)


def test_the_installed_version_is_the_tested_one() -> None:
    major, minor, *_ = version("rclpy").split(".")
    assert (int(major), int(minor)) == rclpy_internals.TESTED_VERSION


def test_messages_that_wait_are_taken_without_an_executor(
    node: Node, wait_until: Callable[..., None]
) -> None:
    subscription = node.create_subscription(String, TOPIC, lambda _: None, RELIABLE)
    publisher = node.create_publisher(String, TOPIC, RELIABLE)
    wait_until(lambda: publisher.get_subscription_count() == 1)
    taken: list[str] = []

    def is_taken() -> bool:
        taken.extend(message.data for message in rclpy_internals.take_waiting(subscription))
        return len(taken) == 3

    for word in ("a", "b", "c"):
        publisher.publish(String(data=word))
    wait_until(is_taken)
    assert taken == ["a", "b", "c"]


@pytest.mark.parametrize("raw", [False, True])
def test_of_the_messages_that_wait_the_newest_is_taken(
    raw: bool, node: Node, wait_until: Callable[..., None]
) -> None:
    subscription = node.create_subscription(String, TOPIC, lambda _: None, RELIABLE, raw=raw)
    witness = node.create_subscription(String, TOPIC, lambda _: None, RELIABLE)
    publisher = node.create_publisher(String, TOPIC, RELIABLE)
    wait_until(lambda: publisher.get_subscription_count() == 2)
    assert list(rclpy_internals.take_waiting(subscription, only_newest=True)) == []
    for word in ("a", "b", "c"):
        publisher.publish(String(data=word))
    assert publisher.wait_for_all_acked(Duration(seconds=30))
    arrived: list[str] = []

    def all_arrived() -> bool:
        arrived.extend(message.data for message in rclpy_internals.take_waiting(witness))
        return len(arrived) == 3

    wait_until(all_arrived)
    [newest] = rclpy_internals.take_waiting(subscription, only_newest=True)
    assert (deserialize_message(newest, String) if raw else newest) == String(data="c")


def test_messages_are_intercepted_before_the_callback(node: Node, spin_until: SpinUntil) -> None:
    order: list[str] = []
    subscription = node.create_subscription(String, TOPIC, lambda _: order.append("callback"), RELIABLE)
    rclpy_internals.intercept_messages(subscription, lambda _: order.append("intercepted"))
    publisher = node.create_publisher(String, TOPIC, RELIABLE)
    spin_until([node], lambda: publisher.publish(String()) is None and bool(order))
    assert order[:2] == ["intercepted", "callback"]


def test_subscriptions_have_no_hook_of_their_own() -> None:
    public = {name for name in dir(Subscription) if not name.startswith("_")}
    assert not {name for name in public if "on_new_message" in name or "add_" in name}


def test_requests_and_responses_are_intercepted(node: Node, spin_until: SpinUntil) -> None:
    def answer(request: Trigger.Request, response: Trigger.Response) -> Trigger.Response:
        return response

    service = node.create_service(Trigger, SERVICE, answer)
    sent: list[Trigger.Response] = []
    rclpy_internals.intercept_requests(
        service, lambda callback: lambda request, response: callback(request, Trigger.Response(message="a"))
    )
    rclpy_internals.intercept_responses(
        service, lambda send: lambda response, header: (sent.append(response), send(response, header))[1]
    )
    future = node.create_client(Trigger, SERVICE).call_async(Trigger.Request())
    spin_until([node], future.done)
    assert future.result().message == sent[0].message == "a"


def test_feedback_of_the_goals_of_others_has_no_public_hook() -> None:
    assert not {name for name in dir(ActionClient) if not name.startswith("_") and "feedback" in name}


def test_a_service_callback_that_raises_still_ends_the_spinning_thread(node: Node) -> None:
    def broken(request: Trigger.Request, response: Trigger.Response) -> Trigger.Response:
        raise ValueError("odd")

    node.create_service(Trigger, SERVICE, broken)
    node.create_client(Trigger, SERVICE).call_async(Trigger.Request())
    executor = SingleThreadedExecutor(context=node.context)
    executor.add_node(node)
    with pytest.raises(ValueError, match="odd"):
        _spin(executor)
    executor.remove_node(node)
    executor.shutdown()


def _spin(executor: SingleThreadedExecutor) -> None:
    for _ in range(100):
        executor.spin_once(timeout_sec=0.1)


def test_an_unavailable_transition_still_raises(lifecycle_node: LifecycleNode) -> None:
    def refuse(request: ChangeState.Request, response: ChangeState.Response) -> ChangeState.Response:
        return response

    request = ChangeState.Request()
    request.transition.id = Transition.TRANSITION_DEACTIVATE
    original = rclpy_internals.intercept_change_state(lifecycle_node, refuse)
    assert lifecycle_node._service_change_state.callback is refuse
    with pytest.raises(Exception, match="ransition"):
        original(request, ChangeState.Response())


def test_the_state_is_readable_only_inside(lifecycle_node: LifecycleNode, node: Node) -> None:
    assert rclpy_internals.lifecycle_state_label(lifecycle_node) == "unconfigured"
    assert rclpy_internals.lifecycle_state_label(node) is None
    labels = {label for _, label in rclpy_internals.available_transitions(lifecycle_node)}
    assert "configure" in labels
    public = {name for name in dir(LifecycleNode) if not name.startswith("_")}
    assert not {name for name in public if "state" in name and "callback" not in name}


def test_a_destroyed_node_still_keeps_its_state_machine(ros_context: Any) -> None:
    node = LifecycleNode("short_lived", context=ros_context)
    node.destroy_node()
    with node._state_machine:
        pass
    rclpy_internals.destroy_state_machine(node)
    with pytest.raises(InvalidHandle), node._state_machine:
        pass


def test_a_task_does_not_expose_its_handler() -> None:
    def handler() -> None: ...

    assert rclpy_internals.task_handler(Task(handler)) is handler
    assert not hasattr(Task, "handler")
