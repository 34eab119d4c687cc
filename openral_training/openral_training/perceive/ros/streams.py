"""Streams of a recording under the names of the graph, and the subscriptions that they feed."""

import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import Any, TypeVar

from rclpy.qos import QoSProfile
from rosgraph_msgs.msg import Clock
from sensor_msgs.msg import CameraInfo, CompressedImage, Image
from std_msgs.msg import String
from tf2_msgs.msg import TFMessage
from vision_msgs.msg import Detection2DArray

from openral_core.errors import OpenRALError
from openral_core.robot import RobotDescription, driver_topics
from openral_core.rskills import Sensor
from openral_msgs.msg import DetectorInfo, KeyValue, SceneGraph, SkillCatalogue
from openral_ros.conversions.images import image_message
from openral_ros.conversions.stamps import seconds
from openral_ros.message_types import by_type_name, decoded
from openral_training.perceive.bag import Bag, BagMessage
from openral_training.perceive.ros.compressed_depth import depth_of_compressed

T = TypeVar("T")
TYPES: Mapping[str, type] = by_type_name(
    (
        CameraInfo,
        Clock,
        CompressedImage,
        Detection2DArray,
        DetectorInfo,
        Image,
        KeyValue,
        SceneGraph,
        SkillCatalogue,
        TFMessage,
    )
)
"""Types that perception and memory read."""
IMAGES = frozenset({"sensor_msgs/msg/Image", "sensor_msgs/msg/CompressedImage"})
EVENTS = "openral/recording/reasoner"
"""Events of the reasoner, as the recorder writes them."""
TRANSPORTS = ("/compressedDepth", "/compressed")
"""Suffixes by which image_transport names compressed images."""
SCENE_GRAPH = "openral/scene_graph"
IMAGE = re.compile(r"^(?P<camera>[^/]+)/image_raw$")
SHARED = frozenset({"/tf", "/tf_static", "/clock"})
"""Topics outside of a robot's namespace in most recordings."""


class NoCamera(OpenRALError):
    """A recording whose cameras are not known."""

    def __init__(self, bag: Bag) -> None:
        images = sorted(topic for topic, kind in bag.topics.items() if "Image" in kind)
        super().__init__(
            f"{bag.path} has no <camera>/image_raw or <camera>/depth; its images are "
            f"{', '.join(images[:10]) or 'none'}: name the topics in a robot.yaml, and give it with --robot"
        )


@dataclass(frozen=True, slots=True)
class StreamNames:
    """Names of recorded topics in the graph, relative to the robot's namespace; images without transport."""

    namespace: str = ""
    drivers: Mapping[str, str] = field(default_factory=dict)
    """Topics of drivers to those of the graph."""

    @classmethod
    def of(cls, bag: Bag, robot: RobotDescription | None) -> "StreamNames":
        """Return the names of a robot's file, else those of a recorded run."""
        if robot is not None:
            return cls(robot.namespace, {driver: name for name, driver in driver_topics(robot).items()})
        graphs = (topic for topic in sorted(bag.topics) if topic.endswith(f"/{SCENE_GRAPH}"))
        return cls(next(graphs, f"/{SCENE_GRAPH}").removesuffix(f"/{SCENE_GRAPH}"))

    def name(self, topic: str) -> str:
        """Return the name of a topic; an absolute one is outside of the robot's namespace."""
        for suffix in TRANSPORTS:
            topic = topic.removesuffix(suffix)
        topic = self.drivers.get(topic, topic)
        if topic in SHARED:
            return topic[1:]
        return topic.removeprefix(f"{self.namespace}/") if topic.startswith(f"{self.namespace}/") else topic

    def streams(self, bag: Bag) -> dict[str, str]:
        """Map the topics to play back to their names.

        Of an image that was recorded in several ways, the compressed one is left out.
        """
        chosen: dict[str, str] = {}
        for topic, kind in sorted(bag.topics.items()):
            name = self.name(topic)
            is_read = kind in TYPES and (kind not in IMAGES or name.endswith(("/image_raw", "/depth")))
            if name == EVENTS or (is_read and name not in chosen.values()):
                chosen[topic] = name
        return chosen

    def sensors(self, bag: Bag) -> frozenset[Sensor]:
        """Return what is recorded of the cameras."""
        names = set(self.streams(bag).values())
        depth = {Sensor.DEPTH} if any(name.endswith("/depth") for name in names) else set()
        return frozenset({Sensor.RGB, *depth})

    def cameras(self, bag: Bag) -> tuple[str, ...]:
        """Return the ids of the recorded cameras.

        Raises:
            NoCamera: If there is none.
        """
        names = (IMAGE.match(self.name(topic)) for topic in sorted(bag.topics))
        cameras = tuple(dict.fromkeys(match["camera"] for match in names if match is not None))
        if not cameras:
            raise NoCamera(bag)
        return cameras


class PlaybackScope:
    """Subscriptions that a recording feeds instead of the graph; no node and no middleware takes part."""

    def __init__(self) -> None:
        self._callbacks: dict[str, list[Callable[[Any], object]]] = {}
        self._time_jumps: list[Callable[[], object]] = []
        self._clock = 0.0
        self.failures: Counter[str] = Counter()
        self.examples: dict[str, str] = {}
        self.subscription(Clock, "clock", self._on_clock, QoSProfile(depth=1))

    def subscription(
        self, message_type: type, topic: str, callback: Callable[[Any], object], qos: QoSProfile, **_: object
    ) -> None:
        """Call ``callback`` with each message of a topic."""
        self._callbacks.setdefault(topic, []).append(self.guarded(topic, callback))

    def guarded(self, source: str, callback: Callable[..., T]) -> Callable[..., T | None]:
        """Return a callback whose errors are counted."""
        return partial(self._run, callback)

    def on_time_jumped_back(self, callback: Callable[[], object]) -> None:
        """Register a callback for jumps back of the recorded clock."""
        self._time_jumps.append(callback)

    def publish(self, topic: str, message: object) -> None:
        """Hand a message to the subscriptions of its topic."""
        for callback in self._callbacks.get(topic, ()):
            callback(message)

    def _run(self, callback: Callable[..., T], *arguments: object) -> T | None:
        try:
            return callback(*arguments)
        except OpenRALError as error:
            self.failures[type(error).__name__] += 1
            self.examples.setdefault(type(error).__name__, str(error))
            return None

    def _on_clock(self, message: Clock) -> None:
        now = seconds(message.clock)
        if now < self._clock:
            for callback in self._time_jumps:
                callback()
        self._clock = now


def played(bag: Bag, streams: Mapping[str, str], failures: Counter[str]) -> Iterator[tuple[str, Any, float]]:
    """Yield (name, message, time [s]) of the streams, in the order in which they were recorded.

    Depth is decompressed. What cannot be read is counted in ``failures`` and left out.
    """
    for message in bag.messages(streams):
        name = streams[message.topic]
        try:
            content = _content(name, message)
        except OpenRALError as error:
            failures[type(error).__name__] += 1
            continue
        yield name, content, message.time


def _content(name: str, message: BagMessage) -> object:
    kind = String if name == EVENTS else TYPES[message.message_type]
    content = decoded(message.data, kind)
    if isinstance(content, CompressedImage) and name.endswith("/depth"):
        header, metres = content.header, depth_of_compressed(content)
        image = image_message(metres, "32FC1", 0.0, header.frame_id)
        image.header.stamp = header.stamp
        return image
    return content
