"""The Foxglove server: a client of its protocol reads what the robot publishes, and can do nothing else."""

import asyncio
import json
import struct
from collections.abc import Callable, Iterator
from typing import Any

import pytest

websockets = pytest.importorskip("websockets")
pytest.importorskip("foxglove")
from rclpy.context import Context
from rclpy.node import Node
from rclpy.parameter import Parameter
from rclpy.serialization import deserialize_message
from std_msgs.msg import String

from openral_recorder.ros.foxglove_node import FoxgloveNode
from openral_ros.qos import LATCHED

SpinUntil = Callable[..., None]
MESSAGE = struct.Struct("<BIQ")
"""Head of a message of the protocol: opcode 1, subscription, time [ns]."""


class Viewer:
    """A client that reads the frames of the server in a thread of its own loop, stepwise."""

    def __init__(self, port: int) -> None:
        self._loop = asyncio.new_event_loop()
        self._address = f"ws://127.0.0.1:{port}"
        self.channels: dict[str, Any] = {}
        self.info: dict[str, Any] = {}
        self.received: list[bytes] = []
        self._socket = self._loop.run_until_complete(
            websockets.connect(self._address, subprotocols=["foxglove.sdk.v1"])
        )

    def read(self) -> None:
        """Take what has arrived."""
        while (frame := self._loop.run_until_complete(self._next())) is not None:
            if isinstance(frame, bytes):
                self.received.append(frame)
                continue
            content = json.loads(frame)
            if content["op"] == "serverInfo":
                self.info = content
            for channel in content.get("channels", ()):
                self.channels[channel["topic"]] = channel

    def send(self, **content: object) -> None:
        self._loop.run_until_complete(self._socket.send(json.dumps(content)))

    def close(self) -> None:
        self._loop.run_until_complete(self._socket.close())
        self._loop.close()

    async def _next(self) -> str | bytes | None:
        try:
            return await asyncio.wait_for(self._socket.recv(), 0.02)
        except TimeoutError:
            return None


@pytest.fixture
def served(ros_context: Context) -> Iterator[FoxgloveNode]:
    node = FoxgloveNode(context=ros_context, parameter_overrides=[Parameter("port", value=0)])
    yield node
    node.close()
    node.destroy_node()


def test_a_viewer_reads_topics_with_their_definitions_and_what_is_latched(
    served: FoxgloveNode, ros_context: Context, spin_until: SpinUntil
) -> None:
    robot = Node("robot", context=ros_context)
    robot.create_publisher(String, "/openral/palette", LATCHED).publish(String(data="the palette"))
    viewer = Viewer(served.port)

    def arrived(condition: Callable[[], object]) -> None:
        def check() -> bool:
            viewer.read()
            return bool(condition())

        spin_until(served, check, 15.0)

    arrived(lambda: "/openral/palette" in viewer.channels)
    channel = viewer.channels["/openral/palette"]
    assert (channel["encoding"], channel["schemaName"]) == ("cdr", "std_msgs/msg/String")
    assert "string data" in channel["schema"]
    assert viewer.info["capabilities"] == []
    assert served.shown == frozenset()

    viewer.send(op="subscribe", subscriptions=[{"id": 7, "channelId": channel["id"]}])
    arrived(lambda: viewer.received)
    opcode, subscription, _ = MESSAGE.unpack_from(viewer.received[0])
    assert (opcode, subscription) == (1, 7)
    assert deserialize_message(viewer.received[0][MESSAGE.size :], String).data == "the palette"
    assert served.shown == {"/openral/palette"}

    viewer.send(op="unsubscribe", subscriptionIds=[7])
    arrived(lambda: not served.shown)
    viewer.close()
    robot.destroy_node()


def test_a_viewer_cannot_publish(served: FoxgloveNode, ros_context: Context, spin_until: SpinUntil) -> None:
    robot = Node("robot", context=ros_context)
    heard: list[str] = []
    robot.create_subscription(String, "/openral/prompt", lambda message: heard.append(message.data), 10)
    viewer = Viewer(served.port)
    channel = {"id": 1, "topic": "/openral/prompt", "encoding": "cdr", "schemaName": "std_msgs/msg/String"}
    viewer.send(op="advertise", channels=[channel])
    steps = [0]

    def waited() -> bool:
        viewer.read()
        steps[0] += 1
        return steps[0] > 20

    spin_until(served, waited, 15.0)
    assert robot.count_publishers("/openral/prompt") == 0
    assert heard == []
    viewer.close()
    robot.destroy_node()


def test_a_port_that_is_taken_is_told(
    served: FoxgloveNode, ros_context: Context, capfd: pytest.CaptureFixture[str]
) -> None:
    other = FoxgloveNode(context=ros_context, parameter_overrides=[Parameter("port", value=served.port)])
    assert other.port == 0
    assert "choose another port" in capfd.readouterr().err
    other.close()
    other.destroy_node()
