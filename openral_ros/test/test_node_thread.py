"""The thread of a node: calls from coroutines and other threads end in time."""

import asyncio
from collections.abc import Callable, Iterator
from threading import Event, Thread, current_thread
from typing import Any

import pytest

pytest.importorskip("rclpy")
from rcl_interfaces.msg import Parameter as ParameterMessage
from rcl_interfaces.msg import ParameterValue
from rcl_interfaces.srv import SetParameters

from openral_core.errors import OpenRALError
from openral_ros import node_thread
from openral_ros.node_thread import NodeCallRaised, NodeThread, NodeThreadStuck
from openral_ros.service_client import AsyncServiceClient


@pytest.fixture
def thread(ros_domain: int) -> Iterator[NodeThread]:
    with NodeThread("graph", "/robot") as running:
        yield running


def test_functions_run_on_the_thread_and_return_their_value(thread: NodeThread) -> None:
    async def main() -> str:
        return await thread.ask(lambda: current_thread().name)

    assert asyncio.run(main()) == "graph"
    assert thread.node.get_fully_qualified_name() == "/robot/graph"


def test_a_call_without_an_outcome_ends_at_its_deadline(
    thread: NodeThread, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(node_thread, "ANSWER_MARGIN", 0.1)

    async def main() -> None:
        await thread.call(lambda deliver: None, 0.1)

    with pytest.raises(NodeThreadStuck, match="/robot/graph did not answer within"):
        asyncio.run(main())


def test_a_second_outcome_and_one_after_the_deadline_are_ignored(
    thread: NodeThread, callback_errors: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    late: list[Callable[[int], None]] = []

    async def main() -> int:
        def twice(deliver: Callable[[int], None]) -> None:
            deliver(1)
            deliver(2)

        first = await thread.call(twice, 5.0)
        monkeypatch.setattr(node_thread, "ANSWER_MARGIN", 0.1)
        with pytest.raises(NodeThreadStuck):
            await thread.call(late.append, 0.1)
        monkeypatch.undo()
        await thread.ask(lambda: late[0](3))
        return first

    assert asyncio.run(main()) == 1
    assert callback_errors == []


def test_an_outcome_that_comes_later_from_another_thread_is_received(thread: NodeThread) -> None:
    async def main() -> str:
        def begin(deliver: Callable[[str], None]) -> None:
            Thread(target=deliver, args=("done",)).start()

        return await thread.call(begin, 5.0)

    assert asyncio.run(main()) == "done"


@pytest.mark.parametrize("raised", [True, False])
def test_a_typed_error_reaches_the_caller_and_no_log(
    thread: NodeThread, callback_errors: list[str], raised: bool
) -> None:
    def begin(deliver: Callable[[Any], None]) -> None:
        if raised:
            raise OpenRALError("unknown camera")
        deliver(OpenRALError("unknown camera"))

    async def main() -> None:
        await thread.call(begin, 5.0)

    with pytest.raises(OpenRALError, match="unknown camera"):
        asyncio.run(main())
    assert callback_errors == []


def test_an_unexpected_exception_ends_one_call_and_not_the_thread(
    thread: NodeThread, callback_errors: list[str]
) -> None:
    async def main() -> int:
        with pytest.raises(NodeCallRaised):
            await thread.ask(lambda: 1 // 0)
        return await thread.ask(lambda: 7)

    assert asyncio.run(main()) == 7
    assert "ZeroDivisionError" in callback_errors.pop()


def test_waiting_is_bounded(thread: NodeThread) -> None:
    async def main() -> list[bool]:
        return [await thread.wait(lambda: False, 0.2), await thread.wait(lambda: True, 0.2)]

    assert asyncio.run(main()) == [False, True]


def test_a_thread_that_never_started_closes(ros_domain: int) -> None:
    idle = NodeThread("idle")
    idle.close()
    assert not idle.node.context.ok()


def test_closing_does_not_wait_for_a_callback_that_hangs(
    ros_domain: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(node_thread, "JOIN_TIMEOUT", 0.1)
    hangs, released = Event(), Event()
    stuck = NodeThread("stuck")
    stuck.start()
    stuck.post(lambda: (hangs.set(), released.wait(30.0)))
    assert hangs.wait(10.0)
    stuck.close()
    assert not stuck.node.context.ok()
    released.set()


def test_a_parameter_of_an_unknown_type_is_answered(
    thread: NodeThread, ros_domain: int, callback_errors: list[str]
) -> None:
    odd = ParameterMessage(name="x", value=ParameterValue(type=77))
    with NodeThread("client", domain=ros_domain) as other:
        client = AsyncServiceClient[SetParameters.Response](
            other.scope, other.node, SetParameters, "/robot/graph/set_parameters"
        )

        async def main() -> object:
            assert await other.wait(lambda: client.ready, 15.0)
            request = SetParameters.Request(parameters=[odd])
            return await other.call(lambda deliver: client.call(request, 15.0, deliver), 15.0)

        answer = asyncio.run(main())
    assert isinstance(answer, SetParameters.Response)
    assert not any(result.successful for result in answer.results)
    assert "77 is not a valid" in callback_errors.pop()
