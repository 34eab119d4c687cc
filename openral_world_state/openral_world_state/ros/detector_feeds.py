"""Every detector of the graph, heard as soon as it appears."""

import re
from collections.abc import Callable
from functools import partial

from rclpy.node import Node
from rclpy.serialization import deserialize_message
from vision_msgs.msg import Detection2DArray

from openral_msgs.msg import DetectorInfo
from openral_ros.ears import Ears
from openral_ros.qos import LATCHED, RELIABLE
from openral_ros.scopes import Scope

_OBJECTS = "vision_msgs/msg/Detection2DArray"
_EVERY = 1.0
MOST_DETECTORS = 64
"""Detectors heard; whoever appears after that is not."""

OnObjects = Callable[[str, Detection2DArray], None]
OnInfo = Callable[[str, DetectorInfo], None]


class DetectorFeeds:
    """Subscribes ``<namespace>/objects`` and ``<namespace>/info`` of each detector.

    Args:
        scope: Holds the subscriptions.
        node: Its namespace is searched for ``openral/perception/*/objects``.
        ears: Mind that each detector's heartbeat comes.
        namespaces: Detectors to hear besides.
        most_bytes: Larger messages are refused unread: as Python objects they are many times as large.
        on_objects: Called with the detector's slug and what it saw.
        on_info: Called with the detector's slug and what it says of itself.
        on_refused: Called with the reason why a message was not read.
    """

    def __init__(
        self,
        scope: Scope,
        node: Node,
        ears: Ears,
        namespaces: tuple[str, ...],
        most_bytes: int,
        on_objects: OnObjects,
        on_info: OnInfo,
        on_refused: Callable[[str], None],
    ) -> None:
        self._scope, self._node, self._ears = scope, node, ears
        self._most_bytes, self._on_refused = most_bytes, on_refused
        self._on_objects, self._on_info = on_objects, on_info
        root = node.get_namespace().rstrip("/")
        self._pattern = re.compile(rf"^({re.escape(root)}/openral/perception/[^/]+)/objects$")
        self._heard: set[str] = set()
        for namespace in namespaces:
            if namespace:
                self._hear(namespace.rstrip("/"))
        self._look()
        scope.timer(_EVERY, self._look)

    def _look(self) -> None:
        for topic, types in self._node.get_topic_names_and_types():
            found = self._pattern.match(topic)
            if found and _OBJECTS in types:
                self._hear(found.group(1))

    def _hear(self, namespace: str) -> None:
        if namespace in self._heard:
            return
        if len(self._heard) >= MOST_DETECTORS:
            self._on_refused("TooManyDetectors")
            return
        self._heard.add(namespace)
        slug = namespace.rsplit("/", 1)[-1]
        self._scope.subscription(
            Detection2DArray,
            f"{namespace}/objects",
            partial(self._read, slug),
            RELIABLE,
            raw=True,
        )
        info = self._scope.subscription(
            DetectorInfo, f"{namespace}/info", partial(self._on_info, slug), LATCHED
        )
        self._ears.mind(info)
        self._node.get_logger().info(f"hearing detector {namespace}")

    def _read(self, slug: str, data: bytes) -> None:
        if len(data) > self._most_bytes:
            self._on_refused("MessageTooLarge")
        else:
            self._on_objects(slug, deserialize_message(data, Detection2DArray))
