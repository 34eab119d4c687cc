"""Foxglove node: a WebSocket server on this machine by which Foxglove and Lichtblick show a running robot.

It is read-only: clients can neither publish nor call. A topic is subscribed to while a client shows it.
Subscribes: the topics that clients ask for.
"""

import os
from contextlib import suppress
from functools import partial

import foxglove
from foxglove.channel import Channel
from foxglove.websocket import ChannelView, Client, ServerListener
from pydantic import Field

from openral_core.errors import OpenRALError
from openral_recorder.ros.topic_recorder import compatible_qos, message_class
from openral_recorder.schemas import ros_schema
from openral_recorder.selection import MAX_TOPICS
from openral_ros.lifecycle_node import SUCCESS, LifecycleNodeBase
from openral_ros.parameters import Parameters, declare
from openral_ros.resources import ResourceScope
from openral_ros.run_node import run_process
from openral_ros.worker_thread import ExecutorQueue

DISCOVERY_PERIOD = 1.0
"""Time between two looks for topics [s]."""
BACKLOG = 64
"""Messages that wait for a client that reads slowly [1]; older ones are dropped for that client."""
LOOPBACK = "127.0.0.1"
"""Only this machine: the protocol has no authentication."""
NICENESS = 5
"""Added to the process's niceness: showing gives way to the robot."""


class PortInUse(OpenRALError):
    """A port that the server cannot listen on."""

    def __init__(self, port: int, error: Exception) -> None:
        super().__init__(f"Foxglove server cannot listen on {LOOPBACK}:{port} ({error}): choose another port")


class FoxgloveParameters(Parameters):
    """Parameters of the Foxglove node."""

    port: int = Field(8765, ge=0, le=65535, description="port on 127.0.0.1; 0 = any free one")


class Listener(ServerListener):
    """Hands the subscriptions of clients, which arrive on a thread of the server, to the executor."""

    def __init__(self, node: "FoxgloveNode", queue: ExecutorQueue) -> None:
        self._node, self._queue = node, queue

    def on_subscribe(self, client: Client, channel: ChannelView) -> None:
        """Begin to show a topic to a client."""
        self._queue.post(partial(self._node.show, channel.topic, client.id))

    def on_unsubscribe(self, client: Client, channel: ChannelView) -> None:
        """Cease to show a topic to a client."""
        self._queue.post(partial(self._node.hide, channel.topic, client.id))


class FoxgloveNode(LifecycleNodeBase):
    """Node that serves when it is constructed, until it is closed."""

    def __init__(self, **options: object) -> None:
        super().__init__("foxglove", **options)
        self.port = 0
        self._channels: dict[str, Channel | None] = {}
        self._viewers: dict[str, set[int]] = {}
        self._shown: dict[str, ResourceScope] = {}
        if self.trigger_configure() == SUCCESS:
            self.trigger_activate()

    @property
    def shown(self) -> frozenset[str]:
        """Topics that are subscribed to."""
        return frozenset(self._shown)

    def configure(self, scope: ResourceScope) -> None:
        """Check the parameters."""
        self._queue = ExecutorQueue(scope)
        self._settings = declare(self, FoxgloveParameters)

    def activate(self, scope: ResourceScope) -> None:
        """Listen, and look for topics."""
        self._sink = foxglove.Context()
        try:
            server = foxglove.start_server(
                name="openral",
                host=LOOPBACK,
                port=self._settings.port,
                capabilities=[],
                server_listener=Listener(self, self._queue),
                context=self._sink,
                message_backlog_size=BACKLOG,
            )
        except (RuntimeError, OSError) as error:
            raise PortInUse(self._settings.port, error) from error
        scope.callback(server.stop)
        scope.callback(self._end)
        self.port = server.port
        self._discover()
        scope.timer(DISCOVERY_PERIOD, self._discover)
        self.get_logger().info(f"Foxglove: ws://{LOOPBACK}:{self.port}")

    def show(self, topic: str, client: int) -> None:
        """Subscribe to a topic; anew for each client, so that it gets what is latched."""
        channel = self._channels.get(topic)
        publishers = self.get_publishers_info_by_topic(topic)
        if channel is None or not publishers:
            return
        self._viewers.setdefault(topic, set()).add(client)
        if (before := self._shown.pop(topic, None)) is not None:
            before.close()
        scope = self._shown[topic] = ResourceScope(self)
        kind = message_class(publishers[0].topic_type)
        scope.subscription(kind, topic, channel.log, compatible_qos(publishers), raw=True)

    def hide(self, topic: str, client: int) -> None:
        """Unsubscribe from a topic that no client shows any more."""
        clients = self._viewers.get(topic, set())
        clients.discard(client)
        if not clients and (scope := self._shown.pop(topic, None)) is not None:
            scope.close()

    def _discover(self) -> None:
        for topic, types in self.get_topic_names_and_types():
            if topic in self._channels or len(types) != 1 or len(self._channels) >= MAX_TOPICS:
                continue
            try:
                schema = ros_schema(types[0])
                message_class(types[0])
            except OpenRALError as error:
                self._channels[topic] = None
                self.get_logger().warning(f"Topic {topic} is not served: {error}")
                continue
            described = foxglove.Schema(name=schema.name, encoding="ros2msg", data=schema.text.encode())
            self._channels[topic] = Channel(
                topic, message_encoding="cdr", schema=described, context=self._sink
            )

    def _end(self) -> None:
        for scope in self._shown.values():
            scope.close()
        for channel in filter(None, self._channels.values()):
            with suppress(RuntimeError):
                channel.close()
        self._channels, self._viewers, self._shown = {}, {}, {}


def main() -> None:
    """Run the node as a process."""
    os.nice(NICENESS)
    run_process(FoxgloveNode)
