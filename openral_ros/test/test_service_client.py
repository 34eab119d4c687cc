"""Service calls always end, once, within their deadline."""

import time
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from rclpy.node import Node
from std_srvs.srv import Trigger

from openral_ros import service_client
from openral_ros.resources import ResourceScope
from openral_ros.service_client import (
    AsyncServiceClient,
    ServiceFailed,
    ServiceTimedOut,
    ServiceUnavailable,
    TimeoutScheduler,
)

pytest.importorskip("rclpy")


SpinUntil = Callable[..., None]


@pytest.fixture
def nodes(ros_context: Any) -> Any:
    server, client = Node("server", context=ros_context), Node("client", context=ros_context)
    yield server, client
    client.destroy_node()
    server.destroy_node()


def test_an_answer_comes_home_once(nodes: tuple[Node, Node], spin_until: SpinUntil) -> None:
    server, client = nodes
    server.create_service(Trigger, "ask", lambda _, response: filled(response))
    caller: AsyncServiceClient[Any] = AsyncServiceClient(ResourceScope(client), client, Trigger, "ask")
    outcomes: list[Any] = []
    spin_until([server, client], lambda: caller.ready, 10.0)
    caller.call(Trigger.Request(), 5.0, outcomes.append)
    spin_until([server, client], lambda: bool(outcomes), 10.0)
    assert [outcome.message for outcome in outcomes] == ["here"]
    caller.call(Trigger.Request(), 5.0, outcomes.append)
    spin_until([server, client], lambda: len(outcomes) == 2, 10.0)
    assert len(list(client.timers)) == 1, "one for all calls"


def test_a_service_nobody_serves_ends_at_once(nodes: tuple[Node, Node]) -> None:
    outcomes: list[Any] = []
    caller: AsyncServiceClient[Any] = AsyncServiceClient(ResourceScope(nodes[1]), nodes[1], Trigger, "ask")
    caller.call(Trigger.Request(), 5.0, outcomes.append)
    assert isinstance(outcomes[0], ServiceUnavailable)
    assert "/ask" in str(outcomes[0])


def test_a_silent_server_ends_in_a_typed_timeout_and_a_late_answer_is_dropped(
    nodes: tuple[Node, Node], spin_until: SpinUntil
) -> None:
    server, client = nodes
    server.create_service(Trigger, "ask", lambda _, response: filled(response))
    caller: AsyncServiceClient[Any] = AsyncServiceClient(ResourceScope(client), client, Trigger, "ask")
    outcomes: list[Any] = []
    spin_until([client], lambda: caller.ready, 10.0)
    caller.call(Trigger.Request(), 0.2, outcomes.append)
    spin_until([client], lambda: bool(outcomes), 10.0)
    assert isinstance(outcomes[0], ServiceTimedOut)
    marker: list[Any] = []
    caller.call(Trigger.Request(), 10.0, marker.append)
    spin_until([server, client], lambda: bool(marker), 10.0)
    assert len(outcomes) == 1


def test_shutting_down_ends_calls_on_their_way(nodes: tuple[Node, Node], spin_until: SpinUntil) -> None:
    server, client = nodes
    server.create_service(Trigger, "ask", lambda _, response: filled(response))
    scope = ResourceScope(client)
    caller: AsyncServiceClient[Any] = AsyncServiceClient(scope, client, Trigger, "ask")
    outcomes: list[Any] = []
    spin_until([client], lambda: caller.ready, 10.0)
    caller.call(Trigger.Request(), 60.0, outcomes.append)
    scope.close()
    assert isinstance(outcomes[0], ServiceFailed)


def filled(response: Any) -> Any:
    response.success, response.message = True, "here"
    return response


pytest.importorskip("rclpy")


@pytest.fixture
def node(ros_context: Any) -> Iterator[Node]:
    node = Node("waits", context=ros_context)
    yield node
    node.destroy_node()


def test_each_passes_once_the_soonest_first(node: Node, spin_until: SpinUntil) -> None:
    deadlines, passed = TimeoutScheduler(ResourceScope(node), node), list[str]()
    for key, seconds in (("late", 0.3), ("soon", 0.05), ("later", 0.5)):
        deadlines.schedule(key, seconds, lambda key=key: passed.append(key))
    spin_until([node], lambda: len(passed) == 3, 10.0)
    assert passed == ["soon", "late", "later"]
    assert len(list(node.timers)) == 1


def test_one_that_passes_while_the_process_is_suspended_is_put_off_once(
    node: Node, spin_until: SpinUntil, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(service_client, "GRACE", 0.3)
    deadlines, passed = TimeoutScheduler(ResourceScope(node), node), list[str]()
    for key, seconds in (("answered", 0.05), ("silent", 0.05), ("ahead", 30.0)):
        deadlines.schedule(key, seconds, lambda key=key: passed.append(key))
    time.sleep(service_client.SUSPENDED + 0.1)
    begun = time.monotonic()
    spin_until([node], lambda: time.monotonic() - begun > 0.1, 10.0)
    assert not passed, "what waits in the queues is read first"
    deadlines.cancel("answered")
    spin_until([node], lambda: bool(passed), 10.0)
    assert passed == ["silent"]


def test_one_that_is_dropped_or_set_anew_does_not_pass(node: Node, spin_until: SpinUntil) -> None:
    deadlines, passed = TimeoutScheduler(ResourceScope(node), node), list[str]()
    deadlines.schedule("dropped", 0.05, lambda: passed.append("dropped"))
    deadlines.cancel("dropped")
    deadlines.schedule("anew", 0.05, lambda: passed.append("first"))
    deadlines.schedule("anew", 0.2, lambda: passed.append("anew"))
    spin_until([node], lambda: bool(passed), 10.0)
    assert passed == ["anew"]


def test_what_passes_may_set_the_next(node: Node, spin_until: SpinUntil) -> None:
    deadlines, passed = TimeoutScheduler(ResourceScope(node), node), list[int]()

    def again() -> None:
        passed.append(len(passed))
        if len(passed) < 3:
            deadlines.schedule("again", 0.02, again)

    deadlines.schedule("again", 0.02, again)
    spin_until([node], lambda: len(passed) == 3, 10.0)


def test_none_passes_once_its_scope_was_left(node: Node, spin_until: SpinUntil) -> None:
    scope, passed = ResourceScope(node), list[str]()
    TimeoutScheduler(scope, node).schedule("left", 0.05, lambda: passed.append("left"))
    scope.close()
    other = TimeoutScheduler(ResourceScope(node), node)
    other.schedule("other", 0.2, lambda: passed.append("other"))
    spin_until([node], lambda: bool(passed), 10.0)
    assert passed == ["other"]
