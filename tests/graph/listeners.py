"""Reader of the latched topics of a graph, in another process."""

import json
from collections.abc import Callable
from typing import Any

import rclpy
from lifecycle_msgs.msg import State
from lifecycle_msgs.srv import GetState
from rclpy.client import Client
from rclpy.context import Context
from rclpy.executors import SingleThreadedExecutor
from rclpy.node import Node
from rclpy.task import Future
from std_msgs.msg import String

from openral_ros.qos import LATCHED


class PaletteListener:
    """The reasoner's palette as it changes; use as a context manager."""

    def __init__(self, domain: int, namespace: str = "") -> None:
        self._context = Context()
        rclpy.init(context=self._context, domain_id=domain)
        self._node = Node("listener", context=self._context)
        self._executor = SingleThreadedExecutor(context=self._context)
        self._executor.add_node(self._node)
        self.palette: dict[str, Any] = {}
        self._states: dict[str, Client] = {}
        self._asked: dict[str, list[Future]] = {}
        self._node.create_subscription(String, f"{namespace}/openral/palette", self._on_palette, LATCHED)

    def __enter__(self) -> "PaletteListener":
        return self

    def __exit__(self, *_: object) -> None:
        self._executor.shutdown()
        self._node.destroy_node()
        rclpy.try_shutdown(context=self._context)

    def locators(self) -> dict[str, int]:
        """Lifecycle state of every locator that is offered."""
        return {item["id"]: item["state"] for item in self.palette.get("locators", [])}

    def is_active(self, node: str) -> bool:
        """Test if a node requests it since the last call; a dead node is queried again after its restart."""
        if node not in self._states:
            self._states[node] = self._node.create_client(GetState, f"{node}/get_state")
        requests = self._asked.setdefault(node, [])
        answers = [item.result().current_state.id for item in requests if item.done()]
        self._asked[node] = [
            *(item for item in requests if not item.done()),
            self._states[node].call_async(GetState.Request()),
        ]
        return State.PRIMARY_STATE_ACTIVE in answers

    def forget(self, node: str) -> None:
        """A request to a node that died is not answered by its replacement."""
        self._asked.pop(node, None)

    def seconds_until(self, condition: Callable[[], bool], timeout: float) -> float:
        """Return the time until the condition held [s]; bounded."""
        clock = self._node.get_clock()
        begun: int = clock.now().nanoseconds
        while not condition():
            passed = (clock.now().nanoseconds - begun) * 1e-9
            assert passed < timeout, f"not within {timeout:.0f} s; locators are {self.locators()}"
            self._executor.spin_once(timeout_sec=0.05)
        end: int = clock.now().nanoseconds
        return (end - begun) * 1e-9

    def _on_palette(self, message: String) -> None:
        self.palette = json.loads(message.data)["palette"]
