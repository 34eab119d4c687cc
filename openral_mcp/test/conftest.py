"""A small home with the real reasoner and fake peers, spinning on a thread, and servers for it."""

import json
import os
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("rclpy")
pytest.importorskip("mcp")
from mcp import Client, StdioServerParameters
from mcp.server.mcpserver import MCPServer
from rclpy.node import Node
from rclpy.parameter import Parameter

from openral_mcp.acting_tools import ActingTools
from openral_mcp.missions import MissionClient
from openral_mcp.reading_tools import ReadingTools, add_resources
from openral_mcp.robot_reader import RobotReader
from openral_mcp.runs import RunFolder
from openral_mcp.server import make_server
from openral_msgs.msg import PromptStamped
from openral_reasoner_ros.mission_client import MissionMonitor
from openral_reasoner_ros.node import ReasonerNode
from openral_ros.executor import GuardedExecutor
from openral_ros.node_thread import NodeThread
from openral_ros.qos import RELIABLE
from openral_testing.detector_info import make_locator_info
from openral_testing.reasoner.symbolic_home import HomeObject, HomePlace, SymbolicHome
from openral_testing.ros.executor_thread import ExecutorThread
from openral_testing.ros.fake_graph import FakeGraph

RSKILLS = Path(__file__).parents[2] / "rskills"
LOCATOR = make_locator_info("sim-groundtruth-locator", "sim-locator", is_default=True)


def small_home() -> SymbolicHome:
    places = [
        HomePlace("counter_1", "kitchen counter", "kitchen", 2.0, 0.0),
        HomePlace("table_1", "dining table", "kitchen", 6.0, 0.0),
    ]
    return SymbolicHome(
        places={place.id: place for place in places},
        objects={"mug_1": HomeObject("mug_1", "red mug", "counter_1", "mug")},
        rooms={"kitchen": "kitchen"},
        agents={"ana": HomePlace("ana", "Ana", "kitchen", 9.0, -2.0)},
    )


class Spinner:
    """Nodes that spin on a thread; `do` runs a function there."""

    def __init__(self, context: Any) -> None:
        self._executor = GuardedExecutor(context=context)
        self.nodes: list[Node] = []
        self._thread = ExecutorThread(self._executor)

    def add(self, node: Node) -> None:
        self.nodes.append(node)
        self._executor.add_node(node)
        self._executor.wake()

    def do(self, work: Callable[[], Any]) -> Any:
        done = threading.Event()
        result: list[Any] = []

        def run() -> None:
            try:
                result.append(work())
            finally:
                done.set()

        self._executor.create_task(run)
        assert done.wait(20.0)
        return result[0]

    def remove(self, node: Node) -> None:
        def gone() -> None:
            self._executor.remove_node(node)
            if isinstance(node, ReasonerNode):
                node.close()
            node.destroy_node()

        self.do(gone)
        self.nodes.remove(node)

    def silence(self, node: Node) -> None:
        """Stop running the callbacks of a node, as when its process hangs."""
        self._executor.remove_node(node)

    def close(self) -> None:
        for node in tuple(self.nodes):
            self.remove(node)
        self._thread.close()


@pytest.fixture
def spinner(ros_context: Any) -> Iterator[Spinner]:
    spinning = Spinner(ros_context)
    yield spinning
    spinning.close()


@pytest.fixture
def graph(ros_context: Any, spinner: Spinner) -> FakeGraph:
    node = FakeGraph(ros_context, small_home(), LOCATOR)
    spinner.add(node)
    return node


@pytest.fixture
def prompts(ros_context: Any, spinner: Spinner) -> list[Any]:
    """Every prompt for the reasoner."""
    node = Node("listener", context=ros_context)
    heard: list[Any] = []

    def on_prompt(message: Any) -> None:
        if message.header.frame_id != "reasoner":
            heard.append(message)

    node.create_subscription(PromptStamped, "/openral/prompt", on_prompt, RELIABLE)
    spinner.add(node)
    return heard


@pytest.fixture
def make_reasoner(ros_context: Any, spinner: Spinner) -> Callable[..., ReasonerNode]:
    def make(**parameters: Any) -> ReasonerNode:
        values = {"rskill_folders": [str(RSKILLS)], "requester": "ana", "poll_period": 0.1, **parameters}
        node = ReasonerNode(
            context=ros_context,
            parameter_overrides=[Parameter(name, value=value) for name, value in values.items()],
        )
        node.trigger_configure()
        node.trigger_activate()
        spinner.add(node)
        return node

    return make


Server = Callable[..., Any]


@pytest.fixture(autouse=True)
def _only_late_responses(callback_errors: list[str]) -> Iterator[None]:
    """A response to a server that has just ended cannot be sent; no other callback may raise."""
    yield
    assert [error for error in callback_errors if "service_send_response" not in error] == []


@pytest.fixture
def serve(ros_domain: int, tmp_path: Path) -> Server:
    """`with serve(allow_missions=...) as server`: its node has a context of its own in the same domain."""

    @contextmanager
    def served(
        *, allow_missions: bool = False, runs: Path = tmp_path, token: str = ""
    ) -> Iterator[MCPServer]:
        thread = NodeThread("openral_mcp")
        robot, monitor = RobotReader(thread), MissionMonitor(thread.scope)
        reading = ReadingTools(robot, monitor, RunFolder(runs))
        acting = ActingTools(MissionClient(thread, monitor), monitor, reading) if allow_missions else None
        server = make_server(reading, acting, token)
        add_resources(server, robot, reading)
        with thread:
            yield server

    return served


@pytest.fixture
def command(ros_domain: int) -> Callable[..., StdioServerParameters]:
    """Command of a server process in the domain of the test."""

    def make(*options: str) -> StdioServerParameters:
        args = ["-P", "-m", "openral_mcp", *options]
        return StdioServerParameters(command=sys.executable, args=args, env=dict(os.environ))

    return make


@pytest.fixture
def call() -> Callable[..., Any]:
    """`await call(client, tool, **arguments)`: its structured content, which its text repeats."""

    async def called(client: Client, tool: str, **arguments: Any) -> dict[str, Any]:
        result = await client.call_tool(tool, arguments)
        assert not result.is_error, result.content
        assert result.structured_content is not None
        assert json.loads(result.content[0].text) == result.structured_content  # type: ignore[union-attr]
        return result.structured_content

    return called
