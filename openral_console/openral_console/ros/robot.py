"""A running robot as the source of the console: one more client of its topics and services.

Subscribes: openral/mission, handoff, prompt, prompt_receipt, palette, scene_graph, world_state, /diagnostics,
    openral/failure/<source>, info and objects of every detector; an image only while a page shows it.
Publishes: openral/prompt.
Calls: recall_object, edit_memory, locate_in_view and change_state of detectors.
"""

import time
from collections.abc import Callable, Mapping, Sequence
from typing import TypeVar

from diagnostic_msgs.msg import DiagnosticArray
from rclpy.node import Node
from rosgraph_msgs.msg import Clock
from std_msgs.msg import String
from vision_msgs.msg import Detection2DArray

from openral_console.ros.cameras import IMAGE_TIMEOUT, Cameras
from openral_console.ros.commands import COMMAND_TIMEOUT, Commands
from openral_console.ros.fold import PERCEPTION, Fold, slug_of
from openral_console.sections import Json, Sections
from openral_console.source import Broken, Frame, RejectedCommand
from openral_msgs.msg import (
    DetectorInfo,
    FailureTrigger,
    Handoff,
    MissionStatus,
    PromptReceipt,
    PromptStamped,
    SceneGraph,
    WorldState,
)
from openral_ros.conversions.stamps import seconds
from openral_ros.node_thread import Deliver, NodeCallFailed, NodeThread
from openral_ros.qos import LATCHED, LATCHED_HISTORY, RECEIPTS, RELIABLE, SENSOR

Answer = TypeVar("Answer")
DISCOVERY_PERIOD = 1.0
"""Time between two looks for detectors, cameras and nodes that came or went [s]."""
CLOCK_PERIOD = 0.5
"""Time between two versions of the robot's clock [s]."""
MAX_PEERS = 64
"""Most detectors, failure topics and cameras; bounds memory, since peers can create any number."""
FIXED = (
    (MissionStatus, "openral/mission", LATCHED_HISTORY),
    (Handoff, "openral/handoff", LATCHED),
    (PromptStamped, "openral/prompt", RELIABLE),
    (PromptReceipt, "openral/prompt_receipt", RECEIPTS),
    (String, "openral/palette", LATCHED),
    (SceneGraph, "openral/scene_graph", LATCHED),
    (WorldState, "openral/world_state", RELIABLE),
    (DiagnosticArray, "/diagnostics", RELIABLE),
)
DISCOVERED: Mapping[str, tuple[type, str, object]] = {
    "openral_msgs/msg/FailureTrigger": (FailureTrigger, "openral/failure/", RELIABLE),
    "openral_msgs/msg/DetectorInfo": (DetectorInfo, PERCEPTION, LATCHED),
    "vision_msgs/msg/Detection2DArray": (Detection2DArray, PERCEPTION, RELIABLE),
}
"""Topics of which there may be any number, by type: class, part of the name, quality of service."""
SOURCES = {
    "reasoner": "openral/mission",
    "world_state": "openral/scene_graph",
    "skill server": "openral/skills",
}
"""Topic by whose publisher the page knows that a part of the robot is there."""


class RobotSource:
    """Node on a thread of its own, which carries out the requests of pages.

    Args:
        namespace: Of the robot.
        domain: ROS domain; None takes that of the environment.
        arguments: ROS arguments, such as remaps.
    """

    is_live = True

    def __init__(self, namespace: str = "", domain: int | None = None, arguments: Sequence[str] = ()) -> None:
        self.sections = Sections()
        self._thread = NodeThread("console", namespace, domain, arguments)
        self._scope, self._node = self._thread.scope, self._thread.node
        self._fold = Fold(self.sections)
        self._known: set[str] = set()
        self._clock_shown = 0.0
        self._cameras = Cameras(self._scope, self._node)
        self._commands = Commands(self._scope, self._node)
        self._subscribe()
        self._thread.start()

    def declare(self, read: Callable[[Node], Answer]) -> Answer:
        """Return what ``read`` returns for the node, such as its parameters."""
        return read(self._node)

    async def frame(self, camera: str, after: float, time: float) -> Frame:
        """Return the newest image of a camera; subscribes to it while pages ask."""
        return await self._call(lambda done: self._cameras.request(camera, after, done), IMAGE_TIMEOUT)

    def at(self, time: float) -> str:
        """Refuse: a robot has no past here."""
        raise RejectedCommand("a running robot has no timeline; open a recording: openral console RUN")

    async def command(self, name: str, values: Mapping[str, Json]) -> Json:
        """Carry out a command on the node's thread."""
        return await self._call(lambda done: self._commands.start(name, values, done), COMMAND_TIMEOUT)

    def close(self) -> None:
        """Stop the thread and release the node."""
        self._thread.close()

    async def _call(self, begin: Callable[[Deliver[Answer]], None], timeout: float) -> Answer:
        try:
            return await self._thread.call(begin, timeout)
        except NodeCallFailed as error:
            raise Broken from error

    def _subscribe(self) -> None:
        for message_type, topic, qos in FIXED:
            self._listen(message_type, topic, qos)
        self._scope.subscription(Clock, "/clock", self._on_clock, SENSOR)
        self._scope.timer(DISCOVERY_PERIOD, self._discover)

    def _listen(self, message_type: type, topic: str, qos: object) -> None:
        self._scope.subscription(message_type, topic, lambda message: self._fold.apply(topic, message), qos)

    def _discover(self) -> None:
        topics = self._node.get_topic_names_and_types()
        own = self._node.get_namespace().rstrip("/") + "/"
        for topic, types in topics:
            kind = DISCOVERED.get(types[0]) if len(types) == 1 and topic.startswith(own) else None
            if kind is None or topic in self._known or kind[1] not in topic or len(self._known) > MAX_PEERS:
                continue
            self._known.add(topic)
            self._listen(kind[0], topic, kind[2])
        self.sections.put("cameras", self._cameras.discover(topics, own))
        self.sections.put("parts", self._parts())

    def _parts(self) -> Json:
        parts = {name: self._node.count_publishers(topic) > 0 for name, topic in SOURCES.items()}
        for topic in self._known:
            if topic.endswith("/info") and PERCEPTION in topic:
                parts[f"detector {slug_of(topic)}"] = self._node.count_publishers(topic) > 0
        return parts

    def _on_clock(self, message: Clock) -> None:
        now = time.monotonic()
        if now - self._clock_shown > CLOCK_PERIOD:
            self._clock_shown = now
            self.sections.put("clock", round(seconds(message.clock), 1))
