"""A running robot as the source of the console: one more client of its topics and services.

Subscribes: openral/mission, handoff, prompt, operator_prompts, prompt_receipt, palette, scene_graph,
    world_state, /diagnostics, openral/failure/<source>, openral/stop_state, openral/frontier,
    openral/world_state/pictures, map, home_map,
    openral/home_edits, info and objects of every detector, /clock; an image, tf, tf_static,
    robot_description and camera_info only while a page shows them. While no page is open, streams are sampled
    twice a second.
Publishes: openral/prompt, openral/stop, openral/edit_home.
Calls: recall_object, edit_memory, observe, release, locate_in_view and change_state of detectors.
"""

import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any, TypeVar

import cv2
from diagnostic_msgs.msg import DiagnosticArray, DiagnosticStatus
from nav_msgs.msg import OccupancyGrid
from rclpy.callback_groups import ReentrantCallbackGroup
from rclpy.node import Node
from rosgraph_msgs.msg import Clock
from sensor_msgs.msg import CameraInfo, CompressedImage, Image
from std_msgs.msg import String
from tf2_msgs.msg import TFMessage
from vision_msgs.msg import Detection2DArray

from openral_console.ros.commands import COMMAND_TIMEOUT, Commands
from openral_console.ros.fold import OPERATOR_PROMPTS, PERCEPTION, PICTURES, Fold, slug_of
from openral_console.sections import Json, Sections
from openral_console.source import Broken, JpegImage, NothingToShow, RejectedCommand
from openral_core.errors import OpenRALError, format_choices
from openral_core.home_edits import HOME_EDITS
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
from openral_ros.conversions.images import rgb_of
from openral_ros.conversions.stamps import seconds
from openral_ros.foreign_topics import subscribe_state
from openral_ros.node_thread import Deliver, NodeCallFailed, NodeThread
from openral_ros.qos import LATCHED, LATCHED_HISTORY, RECEIPTS, RELIABLE, SENSOR
from openral_ros.rclpy_internals import take_waiting
from openral_ros.resources import ResourceScope
from openral_ros.tf_buffer import MOVING, STATIC

IMAGE = "sensor_msgs/msg/Image"
SUFFIX = "/image_raw"
MAX_CAMERAS = 32  # Above any robot; a flood of topics ends here.
LINGER = 3.0
"""Time without a request after which a subscription ends [s]."""
IMAGE_TIMEOUT = 2.0
"""Longest wait for an image [s]."""
JPEG_QUALITY = 75
"""Quality of the JPEG [1]: a 640x480 image has about 35 kB."""
CHECK_PERIOD = 0.25  # Between two looks for lingering subscriptions [s].


@dataclass
class Watched:
    """A camera that pages show: its newest image, and the requests that wait for another one."""

    scope: ResourceScope
    requested_at: float
    image: Image | None = None
    encoded: JpegImage | None = None
    requests: list[tuple[float, float, Deliver[JpegImage]]] = field(default_factory=list)


class CameraSubscriptions:
    """Subscriptions that follow the requests; used on the node's thread alone."""

    def __init__(self, scope: ResourceScope) -> None:
        self._scope = scope
        self._topics: dict[str, str] = {}
        self._watched: dict[str, Watched] = {}
        scope.callback(self._fail_all)

    @property
    def ids(self) -> tuple[str, ...]:
        """Ids of the cameras in the graph."""
        return tuple(self._topics)

    def discover(self, topics: Iterable[tuple[str, list[str]]], own: str) -> Json:
        """Take the cameras below the robot's namespace from the graph; return their ids."""
        cameras = {
            topic.removeprefix(own).removesuffix(SUFFIX): topic
            for topic, types in topics
            if types == [IMAGE] and topic.startswith(own) and topic.endswith(SUFFIX)
        }
        self._topics = dict(sorted(cameras.items())[:MAX_CAMERAS])
        return list(self._topics)

    def request(self, camera: str, after: float, deliver: Deliver[JpegImage]) -> None:
        """Answer with an image whose stamp differs from ``after`` [s], at once or when one comes.

        Raises:
            RejectedCommand: If there is no such camera.
        """
        if camera not in self._topics:
            raise RejectedCommand(f"unknown camera {camera[:60]!r}: {format_choices(sorted(self._topics))}")
        now = time.monotonic()
        watched = self._watched.get(camera) or self._watch(camera, now)
        watched.requested_at = now
        watched.requests.append((after, now + IMAGE_TIMEOUT, deliver))
        self._serve(watched)

    def _watch(self, camera: str, now: float) -> Watched:
        def keep(message: Image) -> None:
            watched.image, watched.encoded = message, None
            self._serve(watched)

        self._watched[camera] = watched = Watched(self._scope.part(), now)
        watched.scope.subscription(Image, self._topics[camera], keep, SENSOR)
        watched.scope.timer(CHECK_PERIOD, partial(self._check, camera, watched))
        return watched

    def _serve(self, watched: Watched) -> None:
        image = watched.image
        if image is None or not watched.requests:
            return
        stamp = seconds(image.header.stamp)
        ready = [entry for entry in watched.requests if abs(entry[0] - stamp) > 1e-6]
        watched.requests = [entry for entry in watched.requests if entry not in ready]
        if not ready:
            return
        outcome: JpegImage | NothingToShow
        try:
            outcome = watched.encoded = watched.encoded or encoded(image)
        except OpenRALError as error:
            outcome = NothingToShow(str(error))
        for _, _, deliver in ready:
            deliver(outcome)

    def _check(self, camera: str, watched: Watched) -> None:
        """End requests that waited too long, and the subscription that no page uses."""
        now = time.monotonic()
        late = [entry for entry in watched.requests if entry[1] < now]
        watched.requests = [entry for entry in watched.requests if entry not in late]
        for _, _, deliver in late:
            deliver(NothingToShow(f"camera {camera} has sent no new image for {IMAGE_TIMEOUT:g} s"))
        if now - watched.requested_at > LINGER:
            del self._watched[camera]
            watched.scope.close()

    def _fail_all(self) -> None:
        for watched in self._watched.values():
            for _, _, deliver in watched.requests:
                deliver(NothingToShow("the console ends"))


def encoded(image: Image) -> JpegImage:
    """Encode an image as JPEG.

    Raises:
        OpenRALError: If it cannot be converted.
    """
    ok, data = cv2.imencode(
        ".jpg", cv2.cvtColor(rgb_of(image), cv2.COLOR_RGB2BGR), [cv2.IMWRITE_JPEG_QUALITY, JPEG_QUALITY]
    )
    if not ok:
        raise NothingToShow(f"image of {image.width}x{image.height} gives no JPEG")
    return JpegImage(bytes(data), image.header.frame_id, seconds(image.header.stamp))


class Geometry:
    """Subscriptions to where the robot's parts and cameras are, for as long as pages draw them."""

    def __init__(self, scope: ResourceScope, receive: Callable[[str, object], None]) -> None:
        self._scope, self._receive = scope, receive
        self._part = scope.part()
        self._topics: set[str] = set()
        self._requested_at = 0.0

    def request(self, cameras: Iterable[str]) -> None:
        """Subscribe, or keep the subscriptions."""
        self._requested_at = time.monotonic()
        if not self._topics:
            self._part.timer(CHECK_PERIOD, self._check)
        infos = [(CameraInfo, f"{camera}/camera_info", SENSOR) for camera in cameras]
        for message_type, topic, qos in (*GEOMETRY, *infos):
            if topic not in self._topics:
                self._topics.add(topic)
                receive = partial(self._receive, topic)
                if qos is MOVING:
                    self._part.subscription(message_type, topic, receive, qos)
                else:
                    subscribe_state(self._part, message_type, topic, receive, qos.depth)

    def _check(self) -> None:
        if time.monotonic() - self._requested_at > LINGER:
            self._part.close()
            self._part, self._topics = self._scope.part(), set()


GEOMETRY = (
    (TFMessage, "tf", MOVING),
    (TFMessage, "tf_static", STATIC),
    (String, "robot_description", LATCHED),
)
Answer = TypeVar("Answer")
DISCOVERY_PERIOD = 1.0
"""Time between two looks for detectors, cameras and nodes that came or went [s]."""
SAMPLE_PERIOD = 0.5
"""Time between two versions of the robot's clock, and while no page is open of all streams [s]."""
MAX_PEERS = 64
"""Most detectors, failure topics and cameras; bounds memory, since peers can create any number."""
FIXED = (
    (MissionStatus, "openral/mission", LATCHED_HISTORY),
    (Handoff, "openral/handoff", LATCHED),
    (PromptStamped, "openral/prompt", RELIABLE),
    (PromptStamped, OPERATOR_PROMPTS, LATCHED_HISTORY),
    (PromptReceipt, "openral/prompt_receipt", RECEIPTS),
    (String, "openral/palette", LATCHED),
    (DiagnosticStatus, "openral/frontier", LATCHED),
    (SceneGraph, "openral/scene_graph", LATCHED),
    (WorldState, "openral/world_state", RELIABLE),
    (CompressedImage, PICTURES, RECEIPTS),
    (DiagnosticArray, "/diagnostics", RECEIPTS),
    (OccupancyGrid, "map", LATCHED),
    (String, "home_map", LATCHED),
    (String, HOME_EDITS, LATCHED),
)
DISCOVERED: Mapping[str, tuple[type, str, object]] = {
    "openral_msgs/msg/FailureTrigger": (FailureTrigger, "openral/failure/", RELIABLE),
    "openral_msgs/msg/DetectorInfo": (DetectorInfo, PERCEPTION, LATCHED),
    "vision_msgs/msg/Detection2DArray": (Detection2DArray, PERCEPTION, RELIABLE),
}
"""Topics of which there may be any number, by type: class, part of the name, quality of service."""
STREAMS = frozenset({OccupancyGrid, SceneGraph, WorldState, DetectorInfo, Detection2DArray, DiagnosticArray})
"""Types that come many times a second whether anything happens or not."""
SILENCE = 2.5
"""Silence after which a detector counts as not running [s]; it announces itself twice a second."""
SOURCES = {
    "reasoner": "openral/mission",
    "world_state": "openral/scene_graph",
    "skill server": "openral/skills",
}
"""Topic by whose publisher the page knows that a part of the robot is there."""


class GatedGroup(ReentrantCallbackGroup):
    """Subscriptions that the executor serves only while ``is_open`` returns true.

    To wait for one message costs rclpy most of a millisecond, ten times as much as to fold it.
    """

    def __init__(self, is_open: Callable[[], bool]) -> None:
        super().__init__()
        self.is_open = is_open

    def can_execute(self, entity: object) -> bool:
        """Return whether the executor may wait for a subscription."""
        return self.is_open()


class LiveSource:
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
        self._topics: set[str] = set()
        self._heard_at: dict[str, float] = {}
        self._while_read = GatedGroup(lambda: self.sections.is_read)
        self._streams: list[tuple[GatedGroup, Callable[[], object]]] = []
        self._cameras = CameraSubscriptions(self._scope)
        self._geometry = Geometry(self._scope, self._fold.apply)
        self._commands = Commands(
            self._scope, self._node, lambda reason: self.sections.put("stopped", reason)
        )
        self._subscribe()
        self._thread.start()

    def declare(self, read: Callable[[Node], Answer]) -> Answer:
        """Return what ``read`` returns for the node, such as its parameters."""
        return read(self._node)

    async def frame(self, camera: str, after: float, time: float) -> JpegImage:
        """Return the newest image of a camera; subscribes to it while pages ask."""
        return await self._call(lambda deliver: self._cameras.request(camera, after, deliver), IMAGE_TIMEOUT)

    def picture(self, name: str, time: float) -> JpegImage:
        """Return the newest picture of an object."""
        return self._fold.picture(name)

    def watch(self) -> None:
        """Subscribe to transforms, intrinsics and robot description for the next seconds."""
        self._thread.post(lambda: self._geometry.request(self._cameras.ids))

    def at(self, time: float) -> str:
        """Refuse: a robot has no past here."""
        raise RejectedCommand("a running robot has no timeline; open a recording: openral console RUN")

    async def command(self, name: str, values: Mapping[str, Json]) -> Json:
        """Carry out a command on the node's thread."""
        return await self._call(lambda deliver: self._commands.start(name, values, deliver), COMMAND_TIMEOUT)

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
        self._sample(Clock, "/clock", self._on_clock, SENSOR, GatedGroup(lambda: False))
        self._scope.timer(SAMPLE_PERIOD, self._read_streams)
        self._scope.timer(DISCOVERY_PERIOD, self._discover)

    def _listen(self, message_type: type, topic: str, qos: object) -> None:
        def receive(message: object) -> None:
            self._heard_at[topic] = time.monotonic()
            self._fold.apply(topic, message)

        if message_type in STREAMS:
            self._sample(message_type, topic, receive, qos, self._while_read)
        else:
            self._scope.subscription(message_type, topic, receive, qos)

    def _sample(
        self, message_type: type, topic: str, receive: Callable[[Any], None], qos: object, gate: GatedGroup
    ) -> None:
        """Subscribe to a stream that is read twice a second while the gate is shut."""
        subscription = self._scope.subscription(message_type, topic, receive, qos, callback_group=gate)

        def read() -> None:
            for message in take_waiting(subscription, only_newest=message_type is not DiagnosticArray):
                receive(message)

        self._streams.append((gate, self._scope.guarded(f"stream {topic}", read)))

    def _read_streams(self) -> None:
        for gate, read in self._streams:
            if not gate.is_open():
                read()

    def _discover(self) -> None:
        topics = self._node.get_topic_names_and_types()
        own = self._node.get_namespace().rstrip("/") + "/"
        for topic, types in topics:
            kind = DISCOVERED.get(types[0]) if len(types) == 1 and topic.startswith(own) else None
            if kind is None or topic in self._topics or kind[1] not in topic or len(self._topics) > MAX_PEERS:
                continue
            self._topics.add(topic)
            self._listen(kind[0], topic, kind[2])
        self.sections.put("cameras", self._cameras.discover(topics, own))
        self.sections.put("parts", self._parts())

    def _parts(self) -> Json:
        parts = {name: self._node.count_publishers(topic) > 0 for name, topic in SOURCES.items()}
        spoke_after = time.monotonic() - SILENCE
        for topic in self._topics:
            if topic.endswith("/info") and PERCEPTION in topic:
                # The publisher of a killed process is listed for half a minute more.
                parts[f"detector {slug_of(topic)}"] = self._heard_at.get(topic, 0.0) > spoke_after
        return parts

    def _on_clock(self, message: Clock) -> None:
        self.sections.put("clock", round(seconds(message.clock), 1))
