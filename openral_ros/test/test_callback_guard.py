"""A callback that raises is logged once and counted; its node continues."""

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from diagnostic_msgs.msg import DiagnosticArray
from rcl_interfaces.msg import Parameter, ParameterValue
from rcl_interfaces.srv import SetParameters, SetParametersAtomically
from rclpy.action import ActionClient, CancelResponse
from rclpy.node import Node
from std_msgs.msg import String
from std_srvs.srv import Empty, Trigger

from openral_msgs.action import ExecuteRskill
from openral_msgs.srv import LocateInView, RecallObject
from openral_ros.callback_guard import MAX_KINDS, OTHERS, FatalNodeError, NoFailureResponse, guard_of
from openral_ros.executor import GuardedExecutor
from openral_ros.lifecycle_node import LifecycleNodeBase
from openral_ros.qos import RELIABLE
from openral_ros.resources import ResourceScope
from openral_ros.service_client import TimeoutScheduler

pytest.importorskip("rclpy")


SpinUntil = Callable[..., None]
pytestmark = pytest.mark.usefixtures("callback_errors")


class TooLate(FatalNodeError):
    """A fatal error of the tests."""

    kind = "too_late"


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


def breaks(*_: Any) -> Any:
    raise ValueError("odd")


async def breaks_later(*_: Any) -> Any:
    raise ValueError("odd")


def test_a_subscription_that_breaks_hears_on_and_says_so_once(
    node: Node, scope: ResourceScope, spin_until: SpinUntil, capfd: pytest.CaptureFixture[str]
) -> None:
    reported: list[DiagnosticArray] = []
    scope.subscription(DiagnosticArray, "/diagnostics", reported.append, RELIABLE)
    scope.subscription(String, "chatter", breaks, RELIABLE)
    chatter = scope.publisher(String, "chatter", RELIABLE)
    kind = "subscription /chatter: ValueError"

    def counted() -> bool:
        chatter.publish(String())
        return guard_of(node).counts[kind] >= 5

    spin_until(node, counted)
    spin_until(node, lambda: bool(reported))
    status = reported[0].status[0]
    assert (status.name, status.level) == ("/guarded: callbacks", b"\x01")
    assert [value.key for value in status.values] == [kind]
    assert capfd.readouterr().err.count("subscription /chatter raised ValueError: odd") == 1


def test_timers_and_deadlines_that_break_do_not_keep_back_others(
    node: Node, scope: ResourceScope, spin_until: SpinUntil
) -> None:
    passed: list[str] = []
    scope.timer(0.01, breaks)
    deadlines = TimeoutScheduler(scope, node)
    deadlines.schedule("first", 0.01, breaks)
    deadlines.schedule("second", 0.01, lambda: passed.append("second"))
    spin_until(node, lambda: bool(passed) and guard_of(node).counts["timer breaks: ValueError"] > 2)
    assert guard_of(node).counts["timeout breaks: ValueError"] == 1


def test_who_cannot_go_on_ends_the_spin(node: Node, scope: ResourceScope, spin_until: SpinUntil) -> None:
    def tick() -> None:
        raise TooLate("no more")

    scope.timer(0.01, tick)
    with pytest.raises(TooLate):
        spin_until(node, lambda: False)


def test_kinds_are_bounded(node: Node) -> None:
    guard = guard_of(node)
    for number in range(MAX_KINDS + 10):
        guard.record(f"subscription /{number}", ValueError("odd"))
    assert len(guard.counts) == MAX_KINDS + 1
    assert guard.counts[OTHERS] == 10


def test_what_rclpy_itself_calls_back_cannot_end_the_spin(
    ros_context: Any, node: Node, scope: ResourceScope
) -> None:
    executor = GuardedExecutor(context=ros_context)
    executor.add_node(node)
    node.create_subscription(String, "chatter", breaks, RELIABLE)
    chatter = scope.publisher(String, "chatter", RELIABLE)
    scope.timer(0.01, lambda: chatter.publish(String()))
    counts = guard_of(node).counts
    for _ in range(1000):
        executor.spin_once(timeout_sec=0.1)
        if counts["subscription /chatter: ValueError"] > 2:
            break
    assert counts["subscription /chatter: ValueError"] > 2
    executor.shutdown()


pytest.importorskip("rclpy")


def unsendable(request: Any, response: Any) -> Any:
    response.message = "\ud800"
    return response


@pytest.mark.parametrize("callback", [breaks, breaks_later, unsendable])
def test_a_client_of_a_service_that_breaks_is_answered(
    node: Node, scope: ResourceScope, spin_until: SpinUntil, callback: Callable[..., Any]
) -> None:
    scope.service(Trigger, "ask", callback)
    for _ in range(2):
        answer = scope.client(Trigger, "ask").call_async(Trigger.Request())
        spin_until(node, answer.done)
        assert not answer.result().success
        assert "Error: " in answer.result().message


@pytest.mark.parametrize(
    ("service_type", "status"),
    [(RecallObject, "INTERNAL_ERROR"), (LocateInView, "DETECTOR_ERROR")],
)
def test_the_answer_of_a_broken_service_has_the_status_for_it(
    node: Node, scope: ResourceScope, spin_until: SpinUntil, service_type: Any, status: str
) -> None:
    scope.service(service_type, "ask", breaks)
    answer = scope.client(service_type, "ask").call_async(service_type.Request())
    spin_until(node, answer.done)
    assert answer.result().status == getattr(service_type.Response, status)
    assert answer.result().message == "ValueError: odd"


def test_a_service_that_could_not_say_so_cannot_be_made(scope: ResourceScope) -> None:
    with pytest.raises(NoFailureResponse, match="Empty_Response cannot express"):
        scope.service(Empty, "ask", breaks)


def test_a_goal_whose_execution_breaks_ends_typed(
    node: Node, scope: ResourceScope, spin_until: SpinUntil
) -> None:
    scope.action_server(ExecuteRskill, "do", breaks_later, lambda _: CancelResponse.ACCEPT)
    client = ActionClient(node, ExecuteRskill, "do")
    scope.callback(client.destroy)
    spin_until(node, client.server_is_ready)
    accepted = client.send_goal_async(ExecuteRskill.Goal())
    spin_until(node, accepted.done)
    ended = accepted.result().get_result_async()
    spin_until(node, ended.done)
    result = ended.result().result
    assert not result.success
    assert (result.status, result.message) == (ExecuteRskill.Result.SKILL_ERROR, "ValueError: odd")


@pytest.mark.parametrize(
    ("service_type", "refused"),
    [
        (SetParameters, lambda response: response.results),
        (SetParametersAtomically, lambda response: [response.result]),
    ],
)
def test_a_parameter_of_no_type_is_refused_in_words(
    ros_context: Any, spin_until: SpinUntil, service_type: Any, refused: Callable[[Any], Any]
) -> None:
    node = LifecycleNodeBase("managed", context=ros_context)
    name = service_type.__name__
    name = {"SetParameters": "set_parameters"}.get(name, "set_parameters_atomically")
    client = node.create_client(service_type, f"managed/{name}")
    odd = Parameter(name="x", value=ParameterValue(type=99))
    answer = client.call_async(service_type.Request(parameters=[odd]))
    spin_until(node, answer.done)
    (result,) = refused(answer.result())
    assert not result.successful
    assert "99" in result.reason
    node.destroy_node()
