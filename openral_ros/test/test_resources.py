"""Resource scopes: no callback runs after they are closed."""

import gc
import weakref
from collections.abc import Iterator
from threading import Event, Thread
from typing import Any

import pytest

pytest.importorskip("openral_msgs")
from lifecycle_msgs.srv import GetState
from rclpy.action import ActionClient, CancelResponse
from rclpy.action.server import ServerGoalHandle
from rclpy.executors import SingleThreadedExecutor
from rclpy.node import Node
from std_msgs.msg import String

from openral_msgs.action import ExecuteRskill
from openral_ros.qos import RELIABLE
from openral_ros.resources import InvalidInterfaceName, ResourceScope

pytestmark = pytest.mark.usefixtures("callback_errors")


@pytest.fixture
def node(ros_context: Any) -> Iterator[Node]:
    made = Node("guarded", context=ros_context)
    yield made
    made.destroy_node()


@pytest.fixture
def scope(node: Node) -> Iterator[ResourceScope]:
    made = ResourceScope(node)
    yield made
    made.close()


async def breaks_later(*_: Any) -> Any:
    raise ValueError("odd")


def test_no_callback_begins_once_its_scope_is_closed(node: Node, scope: ResourceScope) -> None:
    calls: list[int] = []
    call = scope.guarded("call", calls.append)
    call(1)
    scope.close()
    call(2)
    assert calls == [1]
    scope.guarded("call", calls.append)(3)
    assert calls == [1, 3]


def test_closing_waits_for_the_callback_another_thread_is_in(node: Node, scope: ResourceScope) -> None:
    inside, go_on, happened = Event(), Event(), list[str]()

    def callback() -> None:
        inside.set()
        assert go_on.wait(10.0)
        happened.append("callback")

    scope.callback(happened.append, "destroyed")
    calling = Thread(target=scope.guarded("call", callback))
    calling.start()
    assert inside.wait(10.0)
    closing = Thread(target=scope.close)
    closing.start()
    closing.join(0.2)
    assert not happened
    go_on.set()
    closing.join(10.0)
    calling.join(10.0)
    assert happened == ["callback", "destroyed"]


def test_a_part_that_is_closed_leaves_nothing_behind(node: Node, scope: ResourceScope) -> None:
    class Reader:
        def read(self, _: String) -> None: ...

    reader = Reader()
    released = weakref.ref(reader)
    part = scope.part()
    part.subscription(String, "/words", reader.read, RELIABLE)
    assert node.count_subscribers("/words") == 1
    part.close()
    del reader
    gc.collect()
    assert released() is None
    assert node.count_subscribers("/words") == 0


def test_a_part_closes_with_its_scope_at_the_latest(node: Node, scope: ResourceScope) -> None:
    part = scope.part()
    part.subscription(String, "/words", lambda _: None, RELIABLE)
    scope.close()
    assert not [each for each in node.subscriptions if each.topic_name == "/words"]
    part.close()


@pytest.mark.parametrize("name", ["\U0001f956/depth", "a b", "", "2head/depth", "a" * 300])
def test_an_illegal_name_is_a_typed_error_that_quotes_it(scope: ResourceScope, name: str) -> None:
    for create in (
        lambda: scope.subscription(String, name, print, RELIABLE),
        lambda: scope.publisher(String, name, RELIABLE),
        lambda: scope.client(GetState, name),
    ):
        with pytest.raises(InvalidInterfaceName, match="cannot name a topic or service"):
            create()


def test_an_ended_goal_keeps_nothing_of_its_request(node: Node, scope: ResourceScope) -> None:
    """Rclpy refers to ended goals for minutes: megabytes of text in each would fill the memory."""
    handles: list[ServerGoalHandle] = []

    async def execute(handle: ServerGoalHandle) -> ExecuteRskill.Result:
        handles.append(handle)
        handle.succeed()
        return ExecuteRskill.Result(message=handle.request.rskill_id)

    scope.action_server(ExecuteRskill, "execute", execute, lambda handle: CancelResponse.ACCEPT)
    client = ActionClient(node, ExecuteRskill, "execute")
    executor = SingleThreadedExecutor(context=node.context)
    executor.add_node(node)
    try:
        assert client.wait_for_server(timeout_sec=10.0)
        sent = client.send_goal_async(ExecuteRskill.Goal(rskill_id="grasp", deadline=3.0))
        executor.spin_until_future_complete(sent, timeout_sec=10.0)
        result = sent.result().get_result_async()
        executor.spin_until_future_complete(result, timeout_sec=10.0)
        assert result.result().result.message == "grasp"
        assert handles[0].request == ExecuteRskill.Goal()
    finally:
        client.destroy()
        executor.shutdown()
