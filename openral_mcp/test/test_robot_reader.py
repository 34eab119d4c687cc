"""Queries: choice of detector, deadlines, traces."""

from collections.abc import Iterator
from typing import Any

import anyio
import pytest
from rclpy.task import Future

from openral_core.spatial_memory import RecallQuery
from openral_mcp.robot_reader import PeerSilent, RobotReader
from openral_ros.node_thread import NodeThread
from openral_ros.tracing import span


@pytest.fixture
def reader(ros_domain: int) -> Iterator[RobotReader]:
    thread = NodeThread("openral_mcp")
    made = RobotReader(thread)
    with thread:
        yield made


@pytest.mark.parametrize("name", ["", "sim-groundtruth-locator", "sim-locator", "sim_groundtruth_locator"])
def test_a_detector_is_found_by_any_of_its_names(graph: Any, reader: RobotReader, name: str) -> None:
    found = anyio.run(reader.detector, name)
    assert found.info.name.id == "sim-groundtruth-locator"


def test_the_trace_of_the_caller_reaches_the_peer(graph: Any, reader: RobotReader) -> None:
    async def main() -> None:
        with span("caller", "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"):
            await reader.recall(RecallQuery("mug"))

    anyio.run(main)
    assert "0af7651916cd43dd8448eb211c80319c" in graph.traceparents[-1]


def test_a_peer_that_never_answers_ends_in_a_timeout(
    graph: Any, spinner: Any, reader: RobotReader, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("openral_mcp.robot_reader.MEMORY_DEADLINE", 0.5)
    held = Future(executor=graph.executor)

    async def hang(request: Any, response: Any) -> Any:
        await held
        return response

    next(s for s in graph.services if s.srv_name.endswith("recall_object")).callback = hang
    with pytest.raises(PeerSilent) as caught:
        anyio.run(reader.recall, RecallQuery("mug"))
    held.set_result(None)
    spinner.do(lambda: None)  # the late response leaves before the graph does
    assert caught.value.condition == "TIMEOUT"
