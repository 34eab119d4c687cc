"""The thread of the ROS node: calls from coroutines end in time."""

from collections.abc import Callable, Iterator
from threading import current_thread

import anyio
import pytest

from openral_mcp.graph_thread import GraphThread, GraphThreadStuck


@pytest.fixture
def thread(ros_domain: int) -> Iterator[GraphThread]:
    with GraphThread() as running:
        yield running


def test_functions_run_on_the_thread_and_return_their_value(thread: GraphThread) -> None:
    async def main() -> str:
        return await thread.ask(lambda: current_thread().name)

    assert anyio.run(main) == "graph"


def test_a_call_without_an_outcome_ends_at_its_deadline(
    thread: GraphThread, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("openral_mcp.graph_thread.ANSWER_MARGIN", 0.1)

    async def main() -> None:
        await thread.call(lambda deliver: None, 0.1)

    with pytest.raises(GraphThreadStuck, match="restart the server"):
        anyio.run(main)


def test_a_second_outcome_is_ignored(thread: GraphThread) -> None:
    async def main() -> int:
        def twice(deliver: Callable[[int], None]) -> None:
            deliver(1)
            deliver(2)

        return await thread.call(twice, 5.0)

    assert anyio.run(main) == 1


def test_an_exception_ends_one_call_and_not_the_thread(
    thread: GraphThread, callback_errors: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("openral_mcp.graph_thread.ANSWER_MARGIN", 0.5)

    async def main() -> int:
        with pytest.raises(GraphThreadStuck):
            await thread.ask(lambda: 1 // 0)
        return await thread.ask(lambda: 7)

    assert anyio.run(main) == 7
    assert "ZeroDivisionError" in callback_errors.pop()


def test_waiting_is_bounded(thread: GraphThread) -> None:
    async def main() -> list[bool]:
        return [await thread.wait(lambda: False, 0.2), await thread.wait(lambda: True, 0.2)]

    assert anyio.run(main) == [False, True]
